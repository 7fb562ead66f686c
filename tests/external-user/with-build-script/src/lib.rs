use keops::keops;

keops! {
    /// Density at `x_i` of points `y_j` with weights `b_j`.
    #[grad(x_i)]
    pub fn density(x_i: Vi<2>, y_j: Vj<2>, b_j: Vj<1>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)) * b_j, 0);
}

keops! {
    pub fn total(x_i: Vi<1>, y_j: Vj<1>) = Sum_Reduction(x_i * y_j, 0);
}
