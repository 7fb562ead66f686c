//! The density of points, and its logarithm.

use keops::keops;

keops! {
    /// Density at x_i of points y_j, each blurred by a Gaussian of standard deviation h.
    pub fn density(x_i: Vi<2>, y_j: Vj<2>, h: Pm<1>)
        = Sum_Reduction(Exp(-SqDist(x_i, y_j) / (2 * h ** 2)) / (6.283185307179586 * h ** 2), 0);

    /// Its logarithm up to a constant, without underflow however far x_i is from all points, and the gradient of that.
    #[grad(x_i)]
    pub fn log_density(x_i: Vi<2>, y_j: Vj<2>, h: Pm<1>) = LogSumExp_Reduction(-SqDist(x_i, y_j) / (2 * h ** 2), 0);
}
