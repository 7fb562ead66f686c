//! `sin(x)/x` and its derivative.

use super::polynomial::polynomial;
use super::trig::{sin, sin_cos};
use crate::real::Real;

/// Derivative of `sin(x)/x`, divided by `x`, in powers of `x²` on ±2.6 for `f32`, relative error 3.2e−9. The constant term
/// is what −1/3 loses by rounding, and is to be added to that.
const PRIME_F32: [f64; 6] = [
    9.934107758624577e-09,
    0.03333332762122154,
    -0.0011904656421393156,
    2.2039403120288625e-05,
    -2.4877073201423627e-07,
    1.7075452163339833e-09,
];

/// The same for `f64`: relative error 1.8e−18.
const PRIME_F64: [f64; 10] = [
    -1.850371707708594e-17,
    0.033333333333333326,
    -0.0011904761904761472,
    2.2045855379102574e-05,
    -2.505210837704064e-07,
    1.9270852139588308e-09,
    -1.0706013662396929e-11,
    4.4980095189262956e-14,
    -1.475682441017644e-16,
    3.633723932109204e-19,
];

/// `sin(x)/x`, 1 at 0: ≤ 2 ulp; NaN at the infinities.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn sinxdivx<R: Real>(x: R) -> R {
    R::select(x.eq(R::lit(0.0)), R::lit(1.0), sin(x) / x)
}

/// Derivative of `sin(x)/x`, 0 at 0: ≤ 2 ulp on ±2; beyond that the error is ≤ 2.5 ulp of the larger of the value and
/// `1/x`.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn sinxdivx_prime<R: Real>(x: R) -> R {
    // (cos x − sin(x)/x)/x cancels near 0; from π/2 on, where the cosine is negative, it does not until the
    // derivative's own zeros.
    let z = x * x;
    let near = x * (R::lit(-1.0 / 3.0) + polynomial(z, &PRIME_F32, &PRIME_F64));
    let (sin, cos) = sin_cos(x);
    R::select(x.abs().lt(R::lit(2.0)), near, (cos - sin / x) / x)
}
