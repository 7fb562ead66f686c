use keops::keops;

keops! {
    fn f(x_i: Vi<3>, b_j: Vj<2>) = Sum_Reduction((x_i - b_j) | SqDist(x_i, b_j)*x_i + Elem(b_j, 0), 0);
}

fn main() {}
