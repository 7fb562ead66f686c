use keops::keops;

keops! {
    fn f<const D: usize>(x_i: Vi<D>, y_j: Vj<D>) = Sum_Reduction(D * SqDist(x_i, y_j), 0);
}

fn main() {}
