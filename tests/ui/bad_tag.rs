use keops::keops;

keops! {
    fn f(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(SqDist(x_i, y_j), 2);
    fn h(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<2>) = SumSoftMaxWeight_Reduction(x_i | y_j, b_j, 0);
    fn g(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(SqDist(x_i, y_j), x_i);
}

fn main() {}
