//! The Gaussian kernel.

use keops_macros::keops;

keops! {
    /// Gaussian (squared exponential, RBF) kernel: a_i = Σ_j exp(−|x_i − y_j|² / 2ℓ²) b_j, with ℓ = `length_scale`.
    ///
    #[doc = include_str!("../../../docs/kernels/gaussian.svg")]
    ///
    /// Smooth everywhere: at coincident points the value is 1 and the gradient towards the points 0. ℓ enters by its square, so
    /// its sign does not matter; ℓ = 0 is no kernel. For exp(−γ |x_i − y_j|²) take ℓ = 1 / √(2γ).
    ///
    /// Source: Rasmussen & Williams, *Gaussian Processes for Machine Learning* (2006), eq. 4.9.
    #[grad(x_i, y_j, b_j, length_scale)]
    pub fn gaussian<const D: usize, const E: usize>(x_i: Vi<D>, y_j: Vj<D>, b_j: Vj<E>, length_scale: Pm<1>)
        = Sum_Reduction(Exp(-(0.5 / Square(length_scale)) * SqDist(x_i, y_j)) * b_j, 0);
}
