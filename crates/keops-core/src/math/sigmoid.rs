//! Relatives of the exponential and the logarithm that keep their precision where those cancel: `e^x − 1`, `ln(1 + x)`,
//! `tanh`, the logistic function and its integral.

use super::exp::{EXP_F32, EXP_F64, clamp, exp, ln2};
use super::log::ln;
use super::polynomial::{constant, polynomial};
use crate::real::Real;

/// `e^x − 1`: ≤ 2.5 ulp.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn expm1<R: Real>(x: R) -> R {
    let one = R::lit(1.0);
    let y = clamp(x, constant(-105.0, -746.0), constant(89.0, 710.0));
    let n = (y * R::lit(core::f64::consts::LOG2_E)).round_even();
    let (hi, lo) = ln2::<R>();
    let r = n.fnma(lo, n.fnma(hi, y));
    let small = r + (r * r) * polynomial(r, &EXP_F32, &EXP_F64);
    // 2ⁿ (1 + small) − 1; halves, because 2ⁿ may be infinite where the result is not.
    let half = R::lit(0.5).ldexp(n);
    let large = half.fma(small, half - R::lit(0.5));
    let result = R::select(n.eq(R::lit(0.0)), small, large + large);
    // Zeros keep their sign, and NaN passes.
    R::select(x.abs().lt(one) | one.le(x.abs()), R::select(x.eq(R::lit(0.0)), x, result), x)
}

/// `ln(1 + x)`: ≤ 1.5 ulp.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn log1p<R: Real>(x: R) -> R {
    let one = R::lit(1.0);
    let u = one + x;
    // What the sum lost, times the slope.
    let lost = (x - (u - one)) / u;
    let result = ln(u) + lost;
    let special = x.eq(R::lit(0.0)) | x.eq(R::lit(f64::INFINITY));
    R::select(special, x, R::select(u.eq(R::lit(0.0)), R::lit(f64::NEG_INFINITY), result))
}

/// `tanh x`: ≤ 3 ulp.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn tanh<R: Real>(x: R) -> R {
    // Beyond this it is ±1.
    let a = clamp(x.abs(), R::lit(0.0), constant(10.0, 20.0));
    let e = expm1(a + a);
    (e / (e + R::lit(2.0))).copysign(x)
}

/// `1 / (1 + e^(−x))`: ≤ 2.5 ulp.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn sigmoid<R: Real>(x: R) -> R {
    let e = exp(-x.abs());
    let one = R::lit(1.0);
    R::select(x.lt(R::lit(0.0)), e, one) / (one + e)
}

/// `ln(1 + e^x)`: ≤ 2 ulp.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn softplus<R: Real>(x: R) -> R {
    x.relu() + log1p(exp(-x.abs()))
}
