use keops::keops;

keops! {
    fn f(x_i: Vi<3>, y_j: Vj<3>) = SqDist(x_i, y_j).argkmin(k = 3, axe = 1);
    fn g(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(Exp(f = x_i | y_j), 0);
}

fn main() {}
