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
    #[grad(y_j(x_i))]
    fn reduced_first(x_i: Vi<3>, y_j: Vj<3>) = LogSumExp_Reduction(SqDist(x_i, y_j), 0);
    #[grad(x_i(x_i))]
    fn weighted(x_i: Vi<3>, y_j: Vj<3>, w_j: Vj<1>) = LogSumExp_Reduction(SqDist(x_i, y_j), 0, w_j);
    #[grad(x_i(x_i))]
    fn mean(x_i: Vi<3>, y_j: Vj<3>) = SumSoftMaxWeight_Reduction(SqDist(x_i, y_j), 0, y_j);
    #[grad(x_i(y_j(x_i)))]
    fn third(x_i: Vi<3>, y_j: Vj<3>) = LogSumExp_Reduction(SqDist(x_i, y_j), 0);
    #[grad(x_i(y_j))]
    fn selected(x_i: Vi<3>, y_j: Vj<3>) = Min_Reduction(SqDist(x_i, y_j), 0);
    #[grad(x_i)]
    fn of_whole(x_i: Vi<3>, y_j: Vj<3>, e_i: Vi<1>) = Grad(Min_Reduction(SqDist(x_i, y_j), 0), x_i, e_i);
}

fn main() {}
