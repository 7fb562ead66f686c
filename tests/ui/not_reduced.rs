use keops::keops;

keops! {
    fn f(x_i: Vi<3>, y_j: Vj<3>) = Exp(-SqDist(x_i, y_j));
    fn g(x_i: Vi<3>, y_j: Vj<3>) = x_i;
    fn h(x_i: Vi<3>, y_j: Vj<3>) = x_i.sqdist(y_j).sum();
}

fn main() {}
