use keops::keops;

keops! {
    fn f(x_i: Vi<3>, y_j: Vj<3>) = SqDist(x_i, y_j) * y_j.sum(axis = 1);
}

fn main() {}
