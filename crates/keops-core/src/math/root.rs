//! Reciprocal square root.

use crate::real::Real;

/// `1 / √x`, and 0 at ±0: ≤ 1.5 ulp.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn rsqrt<R: Real>(x: R) -> R {
    R::select(x.eq(R::lit(0.0)), R::lit(0.0), R::lit(1.0) / x.sqrt())
}
