use keops::keops;

keops! {
    fn f(x_i: Vi<3>) = Sum_Reduction(Exp(x_i), 0);
    fn g(y_j: Vj<3>) = y_j.max(axis = 0);
}

fn main() {}
