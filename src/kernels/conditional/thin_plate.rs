//! The thin plate spline.

use keops_macros::keops;

keops! {
    /// Thin plate spline: a_i = Σ_j r² ln r b_j, with r = |x_i − y_j|.
    ///
    #[doc = include_str!("../../../docs/kernels/thin_plate.svg")]
    ///
    /// Conditionally positive definite of order 2; the spline of least bending energy in two dimensions. Differentiable once
    /// everywhere: at coincident points the value and the gradient towards the points are 0.
    ///
    /// Source: J. Duchon, *Splines minimizing rotation-invariant semi-norms in Sobolev spaces* (1977); G. Wahba, *Spline Models
    /// for Observational Data* (1990), section 2.4.
    #[grad(x_i, y_j, b_j)]
    pub fn thin_plate<const D: usize, const E: usize>(x_i: Vi<D>, y_j: Vj<D>, b_j: Vj<E>)
        = Sum_Reduction(
            // Where r = 0 the logarithm is that of 1: r² (−∞) would be NaN, and so would its derivative.
            0.5 * SqDist(x_i, y_j) * Log(SqDist(x_i, y_j) + (SqDist(x_i, y_j) == 0)) * b_j,
            0
        );
}
