use keops::keops;

keops! {
    fn f(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(2f32 * SqDist(x_i, y_j) + 1u8, 0);
}

fn main() {}
