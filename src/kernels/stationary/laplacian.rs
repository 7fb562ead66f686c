//! The exponential kernel.

use keops_macros::keops;

keops! {
    /// Laplacian (exponential, Matérn ½, Ornstein–Uhlenbeck) kernel: a_i = Σ_j exp(−|x_i − y_j| / ℓ) b_j, with the Euclidean norm
    /// and ℓ = `length_scale`.
    ///
    #[doc = include_str!("../../../docs/kernels/laplacian.svg")]
    ///
    /// At coincident points the value is 1; the kernel has a kink there, and 0 is what the gradient towards the points is
    /// taken to be.
    ///
    /// Source: Rasmussen & Williams, *Gaussian Processes for Machine Learning* (2006), eq. 4.18.
    #[grad(x_i, y_j, b_j, length_scale)]
    pub fn laplacian<const D: usize, const E: usize>(x_i: Vi<D>, y_j: Vj<D>, b_j: Vj<E>, length_scale: Pm<1>)
        = Sum_Reduction(Exp(-Inv(length_scale) * Norm2(x_i - y_j)) * b_j, 0);
}
