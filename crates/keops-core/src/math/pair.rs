//! Numbers of twice the precision as unevaluated sums of two, for the few functions that need them inside.
//!
//! Products are split by masking bits, so that everything holds without a fused multiply-add.

use crate::real::{Int, Real, Scalar};

/// `hi + lo` with |lo| of about an ulp of `hi`.
#[derive(Clone, Copy)]
pub(super) struct Pair<R> {
    pub(super) hi: R,
    pub(super) lo: R,
}

impl<R: Real> Pair<R> {
    /// `a + b`, exactly.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn sum(a: R, b: R) -> Self {
        let hi = a + b;
        let b_part = hi - a;
        Pair { hi, lo: (a - (hi - b_part)) + (b - b_part) }
    }

    /// `a + b` for |a| ≥ |b| or a = 0, exactly.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn ordered_sum(a: R, b: R) -> Self {
        let hi = a + b;
        Pair { hi, lo: b - (hi - a) }
    }

    /// `a · b`, exactly in `f32` and to 2⁻¹⁰⁴ in `f64` (whose 53 bits do not halve).
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn product(a: R, b: R) -> Self {
        let (a1, b1) = (upper(a), upper(b));
        let (a0, b0) = (a - a1, b - b1);
        let hi = a * b;
        Pair { hi, lo: (((a1 * b1 - hi) + a1 * b0) + a0 * b1) + a0 * b0 }
    }

    /// The product of two.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn times(self, other: Self) -> Self {
        let p = Self::product(self.hi, other.hi);
        Pair { hi: p.hi, lo: p.lo + (self.hi * other.lo + self.lo * other.hi) }
    }

    /// The product with one number.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn scaled(self, factor: R) -> Self {
        let p = Self::product(self.hi, factor);
        Pair { hi: p.hi, lo: p.lo + self.lo * factor }
    }

    /// The sum with a number that is not larger.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn plus_small(self, other: R) -> Self {
        let s = Self::ordered_sum(self.hi, other);
        Pair { hi: s.hi, lo: s.lo + self.lo }
    }

    /// The sum with a pair that is not larger, unless `self` is 0.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn plus_smaller(self, other: Self) -> Self {
        let s = Self::ordered_sum(self.hi, other.hi);
        Pair { hi: s.hi, lo: s.lo + (self.lo + other.lo) }
    }
}

/// The upper half of the digits.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
fn upper<R: Real>(a: R) -> R {
    let mask = if R::Scalar::BITS == 32 { !0xfff } else { !0x7ff_ffff };
    R::from_bits(a.to_bits() & R::Int::splat(mask))
}
