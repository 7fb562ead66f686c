//! Rounding to integers, and signs.

use crate::real::Real;

/// Nearest integer, halves away from zero (exact).
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn round<R: Real>(x: R) -> R {
    let a = x.abs();
    let whole = a.floor();
    // The fraction is exact, unlike `a + 1/2`; for an infinity it is NaN, which is not above a half either.
    let up = R::from_mask(R::lit(0.5).le(a - whole));
    (whole + up).copysign(x)
}

/// −1, 0 or 1; 0 for a NaN.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn sign<R: Real>(x: R) -> R {
    let zero = R::lit(0.0);
    R::select(zero.lt(x), R::lit(1.0), R::select(x.lt(zero), R::lit(-1.0), zero))
}
