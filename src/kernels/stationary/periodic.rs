//! The periodic kernel.

use keops_macros::keops;

keops! {
    /// Periodic kernel: a_i = Σ_j exp(−2 Σ_d sin²(π (x_id − y_jd) / p) / ℓ²) b_j, with p = `period` and ℓ = `length_scale`.
    ///
    #[doc = include_str!("../../../docs/kernels/periodic.svg")]
    ///
    /// The same in every dimension when a coordinate moves by p. Smooth everywhere: at coincident points, and at points that
    /// are whole periods apart, the value is 1 and the gradient towards the points 0 up to rounding.
    ///
    /// Source: Rasmussen & Williams, *Gaussian Processes for Machine Learning* (2006), eq. 4.31, as a product over dimensions.
    #[grad(x_i, y_j, b_j, period, length_scale)]
    pub fn periodic<const D: usize, const E: usize>(x_i: Vi<D>, y_j: Vj<D>, b_j: Vj<E>, period: Pm<1>, length_scale: Pm<1>)
        = Sum_Reduction(
            Exp(-(2 / Square(length_scale)) * SqNorm2(Sin((3.141592653589793 / period) * (x_i - y_j)))) * b_j,
            0
        );
}
