use keops::keops;

keops! {
    fn f(x_i: Vi<3>, y_j: Vj<3>, e_i: Vi<1>) = Grad(Min_Reduction(SqDist(x_i, y_j), 0), x_i, e_i);
}

fn main() {}
