use keops::keops;

keops! {
    #[grad(x_i)]
    fn f(x_i: Vi<3>, y_j: Vj<3>) = ArgMin_Reduction(SqDist(x_i, y_j), 0);
    #[grad(y_j)]
    fn g(x_i: Vi<3>, y_j: Vj<3>) = ArgKMin_Reduction(SqDist(x_i, y_j), 3, 0);
}

fn main() {}
