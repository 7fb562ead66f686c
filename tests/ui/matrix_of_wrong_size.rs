use keops::keops;

keops! {
    fn f(a: Pm<8>, x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(MatVecMult(a, x_i) | y_j, 0);
}

fn main() {}
