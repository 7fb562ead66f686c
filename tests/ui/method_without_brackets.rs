use keops::keops;

keops! {
    fn f(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction((x_i - y_j).sqnorm2, 0);
}

fn main() {}
