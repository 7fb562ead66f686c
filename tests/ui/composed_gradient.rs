use keops::keops;

keops! {
    #[grad(x_i(z_j))]
    fn unknown(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(SqDist(x_i, y_j), 0);
    #[grad(x_i())]
    fn nothing(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(SqDist(x_i, y_j), 0);
    #[grad(x_i, x_i)]
    fn twice(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(SqDist(x_i, y_j), 0);
    #[grad(x_i -> y_j, 3)]
    fn arrow(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(SqDist(x_i, y_j), 0);
    #[grad(x_i(x_i))]
    fn unknown_size<const E: usize>(x_i: Vi<3>, y_j: Vj<3>, w_j: Vj<E>) = LogSumExp_Reduction(SqDist(x_i, y_j), 0, w_j);
    #[grad(y_j)]
    fn of_indices(x_i: Vi<3>, y_j: Vj<3>) = ArgKMin_Reduction(SqDist(x_i, y_j), 2, 0);
}

fn main() {}
