use keops::keops;

keops! {
    fn a(x_i: Vi<3>, y_j: Vj<3>, e_i: Vi<1>) = Grad(LogSumExp_Reduction(SqDist(x_i, y_j), 0), y_j, 2 * e_i);
    fn b(x_i: Vi<3>, y_j: Vj<3>, e_i: Vi<2>) = Grad(Min_Reduction(SqDist(x_i, y_j), 0), y_j, e_i);
    fn c(x_i: Vi<3>, y_j: Vj<3>, e_i: Vi<1>) = Grad(ArgMin_Reduction(SqDist(x_i, y_j), 0), y_j, e_i);
    fn d(x_i: Vi<3>, y_j: Vj<3>, u_i: Vi<3>) = Diff(SumSoftMaxWeight_Reduction(SqDist(x_i, y_j), 0, y_j), x_i, 2 * u_i);
    fn e(x_i: Vi<3>, y_j: Vj<3>, u_i: Vi<2>) = Diff(Min_Reduction(SqDist(x_i, y_j), 0), x_i, u_i);
    fn f(x_i: Vi<3>, y_j: Vj<3>, u_j: Vj<3>)
        = Grad(Grad(SumSoftMaxWeight_Reduction(SqDist(x_i, y_j), 0, x_i), x_i, x_i), y_j, u_j);
    fn h(x_i: Vi<3>, y_j: Vj<3>, u_j: Vj<3>) = Diff(Zero_Reduction(3, 0), y_j, u_j);
    fn k<const K: usize>(x_i: Vi<3>, y_j: Vj<3>, e_i: Vi<3>) = Grad(KMin_Reduction(SqDist(x_i, y_j), K, 0), y_j, e_i);
}

fn main() {}
