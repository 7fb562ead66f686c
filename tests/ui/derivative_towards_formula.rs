use keops::keops;

keops! {
    fn f(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(Grad(SqDist(x_i, y_j), x_i - y_j, 1), 0);
    fn g(x_i: Vi<3>, y_j: Vj<3>) = Grad(Sum_Reduction(SqDist(x_i, y_j), 0), x_i * 2, 1);
}

fn main() {}
