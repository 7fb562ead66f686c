use keops::keops;

keops! {
    fn f(x_i: Vi<3>, y_j: Vj<3>);
}

fn main() {}
