use keops::keops;

keops! {
    pub fn whole(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(x_i * y_j, 0);
    pub fn cut_off(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(x_i - y_j, 0);
    pub fn renamed(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(x_i + y_j, 0);
}
