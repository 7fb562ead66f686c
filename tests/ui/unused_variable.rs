use keops::keops;

keops! {
    fn f(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<1>, s: Pm<1>) = Sum_Reduction(x_i | y_j, 0);
}

fn main() {}
