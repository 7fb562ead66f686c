use keops::keops;

keops! {
    fn f(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(Max_Reduction(x_i, 0) * y_j, 0);
}

fn main() {}
