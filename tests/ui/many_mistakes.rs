use keops::keops;

keops! {
    #[grad(x_i, gama)]
    pub fn gauss(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<2>, gamma: Pm<1>, unused: Pm<4>)
        = Sum_Reduction(Exp(-gama * SqDits(x_i, y_j)) * b_j + Elem(x_i, 5) + Elem(y_j, gamma) + (x_i - b_j), 0);

    fn nearest(x_i: Vi<3>, y_j: Vj<3>) = ArgKMin_Reduction(SqDist(x_i, y_j), 0, 2);
}

fn main() {}
