//! `2^x` and `e^x`, and the coefficients on which they rest.
//!
//! The polynomials are minimax fits computed with 90-digit arithmetic; coefficients were rounded one after the other, each
//! time refitting the rest. Coefficient `k` belongs to the `k`-th power. The errors stated are those of the rounded
//! polynomial evaluated exactly.

use super::polynomial::{constant, polynomial};
use crate::real::Real;

/// `2^r` on [0, 1) for `f32`, for reductions by `floor`: error 1.3 ulp (1.6e−7), none at 0. The remainder of `vreduceps` is
/// rounded down, which takes up to 0.7 ulp off the power; above 1/2 the polynomial leans upwards by half of that.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub(crate) const EXP2_F32_UNIT: [f64; 6] =
    [1.0, 0.6931537985801697, 0.2401394546031952, 0.05587690323591232, 0.008924564346671104, 0.0019052409334108233];

/// `2^r` on [−1/16, 1/16] for `f32`: relative error 2.6e−8, none at 0. For reductions to eighths, with a table of
/// `2^(k/8)`.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub(crate) const EXP2_F32_EIGHTH: [f64; 4] = [1.0, 0.6931472420692444, 0.24025751650333405, 0.05548900365829468];

/// `2^r` on [−1/2, 1/2] for `f64`: relative error 4.1e−18 (0.04 ulp), none at 0.
pub(crate) const EXP2_F64: [f64; 12] = [
    1.0,
    core::f64::consts::LN_2,
    0.24022650695910108,
    0.05550410866482172,
    0.009618129107601608,
    0.0013333558146546324,
    0.0001540353044903049,
    1.5252733633990254e-05,
    1.3215438839189969e-06,
    1.0178160031053736e-07,
    7.073232448209122e-09,
    4.4388657453966334e-10,
];

/// `2^r` on [−1/32, 1/32] for `f64`: relative error 7.0e−18 (0.06 ulp), none at 0. For reductions to sixteenths, with a
/// table of `2^(k/16)`.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub(crate) const EXP2_F64_SIXTEENTH: [f64; 7] = [
    1.0,
    0.6931471805599468,
    0.24022650695909906,
    0.05550410865216595,
    0.009618129112231533,
    0.0013333818292809406,
    0.00015403345469192043,
];

/// `2^r` on [−1/2, 1/2] for `f32`: relative error 3.0e−9, none at 0.
const EXP2_F32: [f64; 7] = [
    1.0,
    0.6931471824645996,
    0.24022647738456726,
    0.05550359934568405,
    0.009618505835533142,
    0.0013390806270763278,
    0.00015326471475418657,
];

/// `(e^r − 1 − r) / r²` on ±0.3466 for `f32`: relative error of `e^r` 3.2e−9.
pub(super) const EXP_F32: [f64; 5] =
    [0.4999999403953552, 0.1666652113199234, 0.041668254882097244, 0.008368675597012043, 0.0013821866596117616];

/// The same for `f64`: relative error of `e^r` 4.0e−18.
pub(super) const EXP_F64: [f64; 10] = [
    0.5000000000000011,
    0.16666666666666466,
    0.04166666666652615,
    0.008333333333464452,
    0.0013888888944833695,
    0.00019841269569898496,
    2.4801491667428954e-05,
    2.755752799376899e-06,
    2.763082373723661e-07,
    2.5019695804945585e-08,
];

/// `ln 2` as a sum. The first part times any exponent is exact, so that no fused product is needed.
pub(super) fn ln2<R: Real>() -> (R, R) {
    (constant(0.693145751953125, 0.693147180559663), constant(1.428606765330187e-06, 2.8235290563031577e-13))
}

/// `min(max(x, low), high)`, NaN for NaN.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn clamp<R: Real>(x: R, low: R, high: R) -> R {
    low.max_or(high.min_or(x))
}

/// `2^x`: ≤ 2 ulp in `f32`, ≤ 1.1 ulp in `f64`, also where lanes have a version of their own; exact for integers.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn exp2<R: Real>(x: R) -> R {
    // Beyond these bounds the result is 0 or infinite; clamping keeps infinities from becoming NaN below.
    let x = clamp(x, constant(-151.0, -1076.0), constant(128.0, 1024.0));
    let n = x.round_even();
    polynomial(x - n, &EXP2_F32, &EXP2_F64).ldexp(n)
}

/// `2^(hi + lo)` where `lo` is a correction to a finite `hi`.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn exp2_sum<R: Real>(hi: R, lo: R) -> R {
    let n = hi.round_even();
    polynomial((hi - n) + lo, &EXP2_F32, &EXP2_F64).ldexp(n)
}

/// `e^x`: ≤ 1.1 ulp in `f32`, ≤ 1 ulp in `f64`.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn exp<R: Real>(x: R) -> R {
    let x = clamp(x, constant(-105.0, -746.0), constant(89.0, 710.0));
    let n = (x * R::lit(core::f64::consts::LOG2_E)).round_even();
    let (hi, lo) = ln2::<R>();
    let r = n.fnma(lo, n.fnma(hi, x));
    let tail = (r * r) * polynomial(r, &EXP_F32, &EXP_F64);
    (R::lit(1.0) + (r + tail)).ldexp(n)
}
