//! The Cauchy kernel.

use keops_macros::keops;

keops! {
    /// Cauchy kernel: a_i = Σ_j b_j / (1 + |x_i − y_j|² / ℓ²), with ℓ = `length_scale`.
    ///
    #[doc = include_str!("../../../docs/kernels/cauchy.svg")]
    ///
    /// Smooth everywhere: at coincident points the value is 1 and the gradient towards the points 0. It is the rational
    /// quadratic kernel of α = 1 and length scale ℓ / √2, for less work.
    ///
    /// Source: Rasmussen & Williams, *Gaussian Processes for Machine Learning* (2006), eq. 4.19 with α = 1; J. Basak, *A least square kernel machine with box constraints* (2008).
    #[grad(x_i, y_j, b_j, length_scale)]
    pub fn cauchy<const D: usize, const E: usize>(x_i: Vi<D>, y_j: Vj<D>, b_j: Vj<E>, length_scale: Pm<1>)
        = Sum_Reduction(Inv(1 + Inv(Square(length_scale)) * SqDist(x_i, y_j)) * b_j, 0);
}
