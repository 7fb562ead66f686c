use keops::keops;

keops! {
    fn f(type: Vi<3>, y_j: Vj<3>) = Sum_Reduction(SqDist(type, y_j), 0);
}

fn main() {}
