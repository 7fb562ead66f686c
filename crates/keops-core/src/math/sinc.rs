//! `sin(x)/x` and its derivative.

use super::polynomial::polynomial;
use super::trig::{sin, sin_cos};
use crate::real::Real;

/// Derivative of `sin(x)/x`, divided by `x`, in powers of `x²` on ±1.6 for `f32`: relative error 3.0e−8.
const PRIME_F32: [f64; 5] = [
    -0.3333333432674408,
    0.033333443105220795,
    -0.0011906680883839726,
    2.2148478819872253e-05,
    -2.628860613640427e-07,
];

/// The same for `f64`: relative error 5.6e−17.
const PRIME_F64: [f64; 9] = [
    -0.3333333333333333,
    0.03333333333333244,
    -0.0011904761904690177,
    2.204585535719252e-05,
    -2.505210506073715e-07,
    1.9270578926389474e-09,
    -1.0693517178625904e-11,
    4.199591722516659e-14,
    1.4375677054380586e-16,
];

/// `sin(x)/x`, 1 at 0: ≤ 2 ulp; NaN at the infinities.
#[inline(always)]
pub fn sinxdivx<R: Real>(x: R) -> R {
    R::select(x.eq(R::lit(0.0)), R::lit(1.0), sin(x) / x)
}

/// Derivative of `sin(x)/x`, 0 at 0: ≤ 2 ulp on ±1.6; beyond that the error is ≤ 2.5 ulp of the larger of the value and
/// `1/x`.
#[inline(always)]
pub fn sinxdivx_prime<R: Real>(x: R) -> R {
    // (cos x − sin(x)/x)/x cancels near 0; from π/2 on, where the cosine is negative, it does not until the
    // derivative's own zeros.
    let z = x * x;
    let near = x * polynomial(z, &PRIME_F32, &PRIME_F64);
    let (sin, cos) = sin_cos(x);
    R::select(x.abs().lt(R::lit(1.6)), near, (cos - sin / x) / x)
}
