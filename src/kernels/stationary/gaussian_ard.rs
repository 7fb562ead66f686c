//! The Gaussian kernel with a length scale for each dimension.

use keops_macros::keops;

keops! {
    /// Gaussian kernel with a length scale for each dimension (automatic relevance determination):
    /// a_i = Σ_j exp(−½ Σ_d (x_id − y_jd)² / ℓ_d²) b_j, with ℓ = `length_scales`.
    ///
    #[doc = include_str!("../../../docs/kernels/gaussian_ard.svg")]
    ///
    /// Smooth everywhere: at coincident points the value is 1 and the gradient towards the points 0. The length scales enter by
    /// their squares; an infinite one takes its dimension out.
    ///
    /// Source: Rasmussen & Williams, *Gaussian Processes for Machine Learning* (2006), eq. 5.1 and 5.2 with M = diag(ℓ)⁻².
    #[grad(x_i, y_j, b_j, length_scales)]
    pub fn gaussian_ard<const D: usize, const E: usize>(x_i: Vi<D>, y_j: Vj<D>, b_j: Vj<E>, length_scales: Pm<D>)
        = Sum_Reduction(Exp(-SqNormDiag(0.5 / Square(length_scales), x_i - y_j)) * b_j, 0);
}
