//! The inverse multiquadric kernel.

use keops_macros::keops;

keops! {
    /// Inverse multiquadric kernel: a_i = Σ_j b_j / √(c² + |x_i − y_j|²), with c = `offset`.
    ///
    #[doc = include_str!("../../../docs/kernels/inverse_multiquadric.svg")]
    ///
    /// Smooth everywhere for c ≠ 0: at coincident points the value is 1 / |c| and the gradient towards the points 0. With c = 0
    /// it is the Coulomb kernel 1 / |x_i − y_j| in which a point does not act on itself: coincident points add 0.
    ///
    /// Source: C. A. Micchelli, *Interpolation of scattered data*, Constructive Approximation 2 (1986), 11–22.
    #[grad(x_i, y_j, b_j, offset)]
    pub fn inverse_multiquadric<const D: usize, const E: usize>(x_i: Vi<D>, y_j: Vj<D>, b_j: Vj<E>, offset: Pm<1>)
        = Sum_Reduction(Rsqrt(Square(offset) + SqDist(x_i, y_j)) * b_j, 0);
}
