use keops::keops;

keops! {
    fn f(x_i: Vi<3>, y_j: Vj<3>, s: Pm<1>) = Sum_Reduction(TensorDot(x_i, y_j, 3, [3], [0], [s]), 0);
    fn g(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(x_i | [1, 2, 3] + y_j, 0);
}

fn main() {}
