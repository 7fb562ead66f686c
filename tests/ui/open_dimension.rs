use keops::keops;

keops! {
    fn component(x_i: Vi, y_j: Vj) = Sum_Reduction(SqDist(x_i, y_j) * x_i[0], 0);
    fn matrix<const D: usize>(x_i: Vi<D>, y_j: Vj<D>) = Sum_Reduction(GradMatrix(SqDist(x_i, y_j), x_i), 0);
    fn joined<const D: usize>(x_i: Vi<D>, y_j: Vj<D>) = Sum_Reduction(Concat(x_i, y_j), 0);
    fn product<const D: usize>(x_i: Vi<D>, y_j: Vj<D>) = Sum_Reduction(TensorProd(x_i, y_j), 0);
    fn laplacian<const D: usize>(x_i: Vi<D>, y_j: Vj<D>) = Sum_Reduction(Laplacian(SqDist(x_i, y_j), x_i), 0);
    fn two<const D: usize, const E: usize>(x_i: Vi<D>, y_j: Vj<E>) = Sum_Reduction(SqDist(x_i, y_j), 0);
}

fn main() {}
