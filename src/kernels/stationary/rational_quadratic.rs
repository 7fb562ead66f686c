//! The rational quadratic kernel.

use keops_macros::keops;

keops! {
    /// Rational quadratic kernel: a_i = Σ_j (1 + |x_i − y_j|² / 2αℓ²)^(−α) b_j, with ℓ = `length_scale` and α = `alpha` > 0.
    ///
    #[doc = include_str!("../../../docs/kernels/rational_quadratic.svg")]
    ///
    /// A mixture of Gaussian kernels of many length scales; α → ∞ leaves one, ℓ. Smooth everywhere: at coincident points the
    /// value is 1, and the gradients towards the points, ℓ and α are 0.
    ///
    /// Source: Rasmussen & Williams, *Gaussian Processes for Machine Learning* (2006), eq. 4.19.
    #[grad(x_i, y_j, b_j, length_scale, alpha)]
    pub fn rational_quadratic<const D: usize, const E: usize>(x_i: Vi<D>, y_j: Vj<D>, b_j: Vj<E>, length_scale: Pm<1>, alpha: Pm<1>)
        = Sum_Reduction(
            Exp(-alpha * Log1p((0.5 / (alpha * Square(length_scale))) * SqDist(x_i, y_j))) * b_j,
            0
        );
}
