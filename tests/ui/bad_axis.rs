use keops::keops;

keops! {
    fn f(x_i: Vi<3>, y_j: Vj<3>) = SqDist(x_i, y_j).sum(axis = 3);
    fn g(x_i: Vi<3>, y_j: Vj<3>) = SqDist(x_i, y_j).logsumexp(1);
    fn h(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(SqDist(x_i, y_j), tag = 0, axis = 1);
}

fn main() {}
