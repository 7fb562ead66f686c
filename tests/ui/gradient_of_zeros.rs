use keops::keops;

keops! {
    #[grad(x_i)]
    fn f(x_i: Vi<3>, y_j: Vj<3>) = Zero_Reduction(3, 0);
}

fn main() {}
