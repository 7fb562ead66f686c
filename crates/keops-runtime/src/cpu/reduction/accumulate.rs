//! Compensated addition: `a + b` as a sum and its exact rounding error.

use crate::cpu::reduction::Block;
use keops_core::{Real, Scalar};

/// `(s, e)` with `s = fl(a + b)` and `s + e = a + b` exactly (Knuth), as long as everything is finite.
#[inline(always)]
pub(in crate::cpu) fn two_sum<L: Real>(a: L, b: L) -> (L, L) {
    let s = a + b;
    let b1 = s - a;
    let a1 = s - b1;
    (s, (a - a1) + (b - b1))
}

/// Adds `v` to the pair (sum at `sum`, carried error at `carry`) of register `r`.
#[inline(always)]
pub(super) fn add<L: Real, const NR: usize>(state: Block<L::Scalar, NR>, sum: usize, carry: usize, r: usize, v: L) {
    let (s, e) = two_sum(state.get::<L>(sum, r), v);
    state.set(sum, r, s);
    state.set(carry, r, state.get::<L>(carry, r) + e);
}

/// Adds (sum, carry) `b` to `a`, in one lane.
#[inline(always)]
pub(super) fn merge<T: Scalar>(sum: &mut T, carry: &mut T, b: T, b_carry: T) {
    let lane = |v: T| T::Lane::splat(v);
    let (s, e) = two_sum(lane(*sum), lane(b));
    *sum = lower(s);
    *carry = lower(lane(*carry) + lane(b_carry) + e);
}

/// The value of a compensated sum. An infinite or NaN sum has a meaningless error term.
#[inline(always)]
pub(super) fn total<T: Scalar>(sum: T, carry: T) -> T {
    if sum.to_f64().is_finite() { lower(T::Lane::splat(sum) + T::Lane::splat(carry)) } else { sum }
}

/// The number in a one-lane value.
#[inline(always)]
pub(super) fn lower<L: Real>(v: L) -> L::Scalar {
    let mut out = L::Scalar::default();
    debug_assert!(L::LANES == 1);
    // SAFETY: one lane is one number.
    unsafe { v.store(&mut out) };
    out
}
