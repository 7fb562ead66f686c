//! The Matérn kernel of order 5/2.

use keops_macros::keops;

keops! {
    /// Matérn kernel of order ν = 5/2: a_i = Σ_j (1 + s r + s² r² / 3) exp(−s r) b_j, with r = |x_i − y_j|, s = √5 / ℓ and
    /// ℓ = `length_scale`.
    ///
    #[doc = include_str!("../../../docs/kernels/matern52.svg")]
    ///
    /// Differentiable twice everywhere: at coincident points the value is 1 and the gradient towards the points 0.
    ///
    /// Source: Rasmussen & Williams, *Gaussian Processes for Machine Learning* (2006), eq. 4.17.
    #[grad(x_i, y_j, b_j, length_scale)]
    pub fn matern52<const D: usize, const E: usize>(x_i: Vi<D>, y_j: Vj<D>, b_j: Vj<E>, length_scale: Pm<1>)
        = Sum_Reduction(
            (1 + (2.23606797749979 / length_scale) * Norm2(x_i - y_j)
                + (5 / (3 * Square(length_scale))) * SqDist(x_i, y_j))
                * Exp(-(2.23606797749979 / length_scale) * Norm2(x_i - y_j)) * b_j,
            0
        );
}
