//! Polynomials with constant coefficients.

use crate::real::{Real, Scalar};

/// `Σ c_k x^k`, with the coefficients for the lane type: those of `single` in `f32`, those of `double` in `f64`.
///
/// The choice and the rounding of the coefficients are constants once the lane type is known.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn polynomial<R: Real, const N: usize, const M: usize>(x: R, single: &[f64; N], double: &[f64; M]) -> R {
    if R::Scalar::BITS == 32 { horner(x, single) } else { horner(x, double) }
}

/// Horner's rule. A plain loop: an iterator's closure might not be inlined, and lanes are slow outside their shell.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn horner<R: Real, const N: usize>(x: R, coefficients: &[f64; N]) -> R {
    let mut k = N - 1;
    let mut sum = R::lit(coefficients[k]);
    while k > 0 {
        k -= 1;
        sum = sum.fma(x, R::lit(coefficients[k]));
    }
    sum
}

/// The constant for the lane type.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn constant<R: Real>(single: f64, double: f64) -> R {
    R::lit(if R::Scalar::BITS == 32 { single } else { double })
}
