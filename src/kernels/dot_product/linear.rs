//! The linear kernel.

use keops_macros::keops;

keops! {
    /// Linear kernel: a_i = Σ_j ⟨x_i, y_j⟩ b_j.
    ///
    #[doc = include_str!("../../../docs/kernels/linear.svg")]
    ///
    /// The matrix has rank D or less, so that for many points Σ_j y_j b_jᵀ first, then a product with every x_i, takes fewer
    /// operations; this sum over pairs is the one that combines with other kernels.
    ///
    /// Source: Rasmussen & Williams, *Gaussian Processes for Machine Learning* (2006), section 4.2.2.
    #[grad(x_i, y_j, b_j)]
    pub fn linear<const D: usize, const E: usize>(x_i: Vi<D>, y_j: Vj<D>, b_j: Vj<E>)
        = Sum_Reduction((x_i | y_j) * b_j, 0);
}
