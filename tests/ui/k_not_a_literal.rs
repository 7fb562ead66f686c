use keops::keops;

keops! {
    fn f(x_i: Vi<3>, y_j: Vj<3>, k: Pm<1>) = ArgKMin_Reduction(SqDist(x_i, y_j), 2 * k, 0);
    fn g(x_i: Vi<3>, y_j: Vj<3>, k: Pm<1>) = ArgKMin_Reduction(SqDist(x_i, y_j), k, 0);
}

fn main() {}
