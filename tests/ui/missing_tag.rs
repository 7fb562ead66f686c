use keops::keops;

keops! {
    fn f(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(SqDist(x_i, y_j));
    fn g(x_i: Vi<3>, y_j: Vj<3>) = SqDist(x_i, y_j).logsumexp();
}

fn main() {}
