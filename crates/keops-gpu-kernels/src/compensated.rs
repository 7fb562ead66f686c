//! Compensated addition: `a + b` as a sum and its exact rounding error.

use crate::number::Number;
use keops_core::Real;

/// `(s, e)` with `s = fl(a + b)` and `s + e = a + b` exactly (Knuth), as long as everything is finite.
#[inline(always)]
pub(crate) fn two_sum<R: Real>(a: R, b: R) -> (R, R) {
    let s = a + b;
    let b1 = s - a;
    let a1 = s - b1;
    (s, (a - a1) + (b - b1))
}

/// The value of a compensated sum. An infinite or NaN sum has a meaningless error term.
#[inline(always)]
pub(crate) fn total<T: Number>(sum: T, carry: T) -> T {
    if sum.to_f64().is_finite() { T::of(T::Real::splat(sum) + T::Real::splat(carry)) } else { sum }
}
