//! The energy distance kernel.

use keops_macros::keops;

keops! {
    /// Energy distance kernel: a_i = −Σ_j |x_i − y_j| b_j, with the Euclidean norm.
    ///
    #[doc = include_str!("../../../docs/kernels/energy_distance.svg")]
    ///
    /// Conditionally positive definite: Σ_i b_i a_i ≥ 0 where x = y and the b sum to 0. At coincident points the value is 0; the
    /// kernel has a kink there, and 0 is what the gradient towards the points is taken to be.
    ///
    /// Source: G. J. Székely & M. L. Rizzo, *Energy statistics*, Journal of Statistical Planning and Inference 143 (2013),
    /// 1249–1272.
    #[grad(x_i, y_j, b_j)]
    pub fn energy_distance<const D: usize, const E: usize>(x_i: Vi<D>, y_j: Vj<D>, b_j: Vj<E>)
        = Sum_Reduction(-Norm2(x_i - y_j) * b_j, 0);
}
