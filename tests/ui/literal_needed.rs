use keops::keops;

keops! {
    fn f(x_i: Vi<3>, y_j: Vj<3>, s: Pm<1>) = Sum_Reduction(Elem(x_i, s) + Pow(x_i | y_j, 0.5) + Extract(y_j, 0, 1 + 1), 0);
}

fn main() {}
