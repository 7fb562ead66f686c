use keops::keops;

keops! {
    fn f(x_i: Vi<>, y_j: Vj<3>, z_j) = Sum_Reduction(SqDist(x_i, y_j), 0);
}

fn main() {}
