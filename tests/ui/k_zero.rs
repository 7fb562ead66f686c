use keops::keops;

keops! {
    fn f(x_i: Vi<3>, y_j: Vj<3>) = KMin_Reduction(SqDist(x_i, y_j), 0, 0);
    fn g(x_i: Vi<3>, y_j: Vj<3>) = ArgKMin_Reduction(SqDist(x_i, y_j), -3, 0);
}

fn main() {}
