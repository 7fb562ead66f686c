use keops::keops;

keops! {
    fn f(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(99999999999999999999 * SqDist(x_i, y_j) + 1e400, 0);
}

fn main() {}
