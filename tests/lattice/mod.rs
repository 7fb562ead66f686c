//! Deterministic test data: points on a lattice of exact fractions, so that reference values can be had from any program
//! without sharing files, and the comparisons that go with them.

// Each test file uses a part of it.
#![allow(dead_code)]

use keops::{Level, Real};

/// Number `d` of point `i` of the first cloud.
pub(crate) fn x(i: usize, d: usize) -> f64 {
    ((7919 * i + 1047 * d + 5) % 10007) as f64 / 10007.0
}

/// Number `d` of point `j` of the second cloud.
pub(crate) fn y(j: usize, d: usize) -> f64 {
    ((6133 * j + 2203 * d + 17) % 10009) as f64 / 10009.0
}

/// Number `e` of signal `j`, between −½ and ½.
pub(crate) fn b(j: usize, e: usize) -> f64 {
    ((4721 * j + 331 * e + 3) % 10037) as f64 / 10037.0 - 0.5
}

/// The first `rows` rows of `D` numbers of one of the above, rounded to `T`.
pub(crate) fn rows<T: Real, const D: usize>(number: impl Fn(usize, usize) -> f64, rows: usize) -> Vec<[T; D]> {
    (0..rows).map(|i| std::array::from_fn(|d| T::from_f64(number(i, d)))).collect()
}

/// |a − b|² of two rows, in `f64`.
pub(crate) fn sqdist<T: Real>(a: &[T], b: &[T]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a.to_f64() - b.to_f64()).powi(2)).sum()
}

/// Error allowed in a sum whose terms add up to `magnitude` in absolute value.
pub(crate) fn tolerance<T: Real>(magnitude: f64) -> f64 {
    if T::BITS == 64 { 1e-13 * magnitude } else { 8.0 * 2f64.powi(-24) * magnitude }
}

/// Error allowed in the value of one operation.
pub(crate) fn four_ulp<T: Real>(value: f64) -> f64 {
    value.abs() * if T::BITS == 64 { 4.0 * f64::EPSILON } else { 4.0 * f64::from(f32::EPSILON) }
}

/// Asserts that a result is right.
#[track_caller]
pub(crate) fn close<T: Real>(got: T, want: f64, tolerance: f64) {
    let got = got.to_f64();
    assert!(
        (got - want).abs() <= tolerance,
        "got {got:e}, want {want:e}, off by {:e}, allowed {tolerance:e}",
        got - want
    );
}

/// The instruction levels of this processor.
pub(crate) fn levels() -> impl Iterator<Item = Level> {
    Level::ALL.into_iter().filter(|level| level.is_available())
}
