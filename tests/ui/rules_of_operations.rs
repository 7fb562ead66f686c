use keops::keops;

keops! {
    fn odd(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(ComplexReal(x_i * y_j), 0);
    fn kron(x_i: Vi<4>, y_j: Vj<6>) = Sum_Reduction(Kron(x_i, y_j, [2, 2], [6]), 0);
    fn kron_size(x_i: Vi<4>, y_j: Vj<6>) = Sum_Reduction(Kron(x_i, y_j, [2, 3], [2, 3]), 0);
    fn tensor_dot(x_i: Vi<4>, y_j: Vj<6>) = Sum_Reduction(TensorDot(x_i, y_j, [2, 2], [2, 3], [0], [1]), 0);
    fn permuted(x_i: Vi<4>, y_j: Vj<6>) = Sum_Reduction(TensorDot(x_i, y_j, [2, 2], [2, 3], [0], [0], [0, 2]), 0);
    fn one_hot(x_i: Vi<4>, y_j: Vj<6>) = Sum_Reduction(OneHot(x_i, 3) | Elem(y_j, 0), 0);
    fn knots(x_i: Vi<1>, t_j: Vj<3>) = Sum_Reduction(BSpline(t_j, x_i, 2), 0);
    fn part(x_i: Vi<4>, y_j: Vj<6>) = Sum_Reduction(x_i.extract(3, 2) | y_j[4..8], 0);
    fn placed(x_i: Vi<1>, y_j: Vj<6>) = Sum_Reduction(ElemT(x_i, 6, 6) | y_j, 0);
    fn weights(s: Pm<2>, x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(WeightedSqDist(s, x_i, y_j), 0);
    fn divergence(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(Divergence(SqDist(x_i, y_j), x_i), 0);
    fn laplacian(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(Laplacian(x_i * y_j, x_i), 0);
    fn trace(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(TraceOperator(x_i * Exp(x_i) * y_j, x_i), 0);
    fn open_trace<const D: usize>(x_i: Vi<D>, y_j: Vj<D>) = Sum_Reduction(TraceOperator(x_i * y_j, x_i), 0);
    fn open_divergence<const D: usize>(x_i: Vi<D>, y_j: Vj<D>) = Sum_Reduction(Divergence(x_i * y_j, x_i), 0);
    fn open_kron<const D: usize>(x_i: Vi<D>, y_j: Vj<6>) = Sum_Reduction(Kron(x_i, y_j, [2], [6]), 0);
    fn seed(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(Grad(SqDist(x_i, y_j), x_i, y_j), 0);
    fn direction(x_i: Vi<3>, y_j: Vj<3>, u: Pm<2>) = Sum_Reduction(Diff(SqDist(x_i, y_j), x_i, u), 0);
    fn alignment(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(SoftDTW_SqDist(x_i, y_j, x_i), 0);
    fn repeated(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(SumT(x_i, 3) * y_j, 0);
    fn rational(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(RatCst(1, 0) * x_i * y_j, 0);
    fn complex(x_i: Vi<4>, y_j: Vj<6>) = Sum_Reduction(ComplexMult(x_i, y_j), 0);
    fn real_scale(x_i: Vi<2>, y_j: Vj<6>) = Sum_Reduction(ComplexRealScal(x_i, y_j), 0);
}

fn main() {}
