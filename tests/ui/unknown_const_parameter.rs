use keops::keops;

keops! {
    fn f(x_i: Vi<D>, y_j: Vj<D>) = Sum_Reduction(SqDist(x_i, y_j), 0);
}

fn main() {}
