use keops::keops;

keops! {
    fn a(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(x_i[1..] * y_j, 0);
    fn b(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(x_i[-1] * y_j, 0);
    fn c(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(x_i[2..2] * y_j, 0);
    fn d(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(x_i[0:2] * y_j, 0);
    fn e(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(x_i[2..5] * y_j, 0);
    fn f(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(x_i[y_j] * y_j, 0);
}

fn main() {}
