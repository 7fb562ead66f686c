use keops::keops;

keops! {
    fn f(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(Elem(x_i, 3) + Extract(y_j, 2, 2), 0);
}

fn main() {}
