//! Inverse sine, cosine and tangent.

use super::polynomial::{constant, polynomial};
use crate::real::Real;

/// `(atan(t)/t − 1) / t²` in powers of `t²` for |t| ≤ 9/16, for `f32`: relative error of the angle 1.2e−9.
const ATAN_F32: [f64; 6] = [
    -0.3333331048488617,
    0.19998563826084137,
    -0.1425534337759018,
    0.1081007868051529,
    -0.07521866261959076,
    0.03267478942871094,
];

/// The same for `f64`: relative error of the angle 5.4e−18.
const ATAN_F64: [f64; 13] = [
    -0.3333333333333302,
    0.19999999999920873,
    -0.14285714278700648,
    0.11111110797188715,
    -0.09090900775124755,
    0.07692165489563736,
    -0.06665013318559367,
    0.05868869680249083,
    -0.051847142673670014,
    0.04434356948896292,
    -0.03368899247105936,
    0.019230293962259015,
    -0.005835048807580197,
];

/// `(asin(s)/s − 1) / s²` in powers of `s²` for |s| ≤ 1/2, for `f32`: relative error of the angle 4.9e−9.
const ASIN_F32: [f64; 5] =
    [0.16666752099990845, 0.074953094124794, 0.04546914994716644, 0.024184776470065117, 0.04215831309556961];

/// The same for `f64`: relative error of the angle 5.7e−18.
const ASIN_F64: [f64; 13] = [
    0.1666666666666676,
    0.07499999999970866,
    0.04464285717458045,
    0.03038194270792996,
    0.02237221501605999,
    0.01735161100642506,
    0.013980837757353173,
    0.01139871252065568,
    0.010782001217783837,
    0.0036955399371124712,
    0.021750269301529984,
    -0.02109252887677555,
    0.03271397687915684,
];

/// Between these tangents the angle is taken from π/4, above from π/2. With bounds this far out `a − 1` is exact between
/// them and the angle there is above 1/2, so that the rounding of the quotient weighs little.
const LOW: f64 = 0.5625;
const HIGH: f64 = 1.7777777777777777;

/// `n · π/4` as a rounded value and what rounding took off.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
fn eighth_turns<R: Real>(count: f64) -> (R, R) {
    let hi = constant::<R>(0.7853981852531433, core::f64::consts::FRAC_PI_4);
    let lo = constant::<R>(-2.1855694143368964e-08, 3.061616997868383e-17);
    // Only 0, 1, 2, 4 occur (exact) and 3, whose rounding error is put back below.
    let n = R::lit(count);
    if count == 3.0 {
        let two = R::lit(2.0) * hi;
        let sum = two + hi;
        (sum, ((two - sum) + hi) + n * lo)
    } else {
        (n * hi, n * lo)
    }
}

/// `base + t + (odd terms of atan t)`.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
fn add_atan<R: Real>((hi, lo): (R, R), t: R) -> R {
    let z = t * t;
    let terms = (t * z).fma(polynomial(z, &ATAN_F32, &ATAN_F64), lo);
    // Two-term sum: |t| is below every base other than 0, and with 0 nothing is lost.
    let sum = hi + t;
    sum + (((hi - sum) + t) + terms)
}

#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
fn select_pair<R: Real>(mask: R::Mask, a: (R, R), b: (R, R)) -> (R, R) {
    (R::select(mask, a.0, b.0), R::select(mask, a.1, b.1))
}

/// `atan x`: ≤ 1 ulp.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn atan<R: Real>(x: R) -> R {
    let one = R::lit(1.0);
    let a = x.abs();
    let low = a.lt(R::lit(LOW));
    let high = R::lit(HIGH).lt(a);
    let numerator = R::select(low, a, R::select(high, -one, a - one));
    let denominator = R::select(low, one, R::select(high, a, a + one));
    let base = select_pair(high, eighth_turns::<R>(2.0), eighth_turns::<R>(1.0));
    let base = select_pair(low, eighth_turns::<R>(0.0), base);
    add_atan(base, numerator / denominator).copysign(x)
}

/// Angle of the point (`x`, `y`), quadrants and special values as in C: ≤ 1.75 ulp.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn atan2<R: Real>(y: R, x: R) -> R {
    let zero = R::lit(0.0);
    // The sum of two huge coordinates must not overflow.
    let scale = R::select(constant::<R>(1e38, 1e307).lt(x.abs().max_or(y.abs())), R::lit(0.25), R::lit(1.0));
    let (a, b) = (x.abs() * scale, y.abs() * scale);
    let low = b.le(a * R::lit(LOW));
    let middle = b.lt(a * R::lit(HIGH));
    let numerator = R::select(low, b, R::select(middle, b - a, -a));
    let denominator = R::select(low, a, R::select(middle, b + a, b));
    let t = R::select(a.eq(b), zero, numerator / denominator);
    // Equal coordinates lie on the diagonal, unless both are 0; equal infinities have no quotient.
    let low = low & !(a.eq(b) & zero.lt(a));
    let middle = middle | a.eq(b);
    let right = select_pair(middle, eighth_turns::<R>(1.0), eighth_turns::<R>(2.0));
    let right = select_pair(low, eighth_turns::<R>(0.0), right);
    let left = select_pair(middle, eighth_turns::<R>(3.0), eighth_turns::<R>(2.0));
    let left = select_pair(low, eighth_turns::<R>(4.0), left);
    let is_left = R::lit(1.0).copysign(x).lt(zero);
    add_atan(select_pair(is_left, left, right), R::select(is_left, -t, t)).copysign(y)
}

/// `asin` of a magnitude up to 1/2 as `s + terms`, of a larger one as `π/2 − 2 (s + terms)`.
struct Arc<R: Real> {
    small: R::Mask,
    s: R,
    terms: R,
}

#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
fn arc<R: Real>(a: R) -> Arc<R> {
    let small = a.lt(R::lit(0.5));
    let half = R::lit(0.5) * (R::lit(1.0) - a);
    let z = R::select(small, a * a, half);
    let s = R::select(small, a, half.sqrt());
    Arc { small, s, terms: (s * z) * polynomial(z, &ASIN_F32, &ASIN_F64) }
}

/// `asin x`, NaN outside [−1, 1]: ≤ 1.25 ulp.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn asin<R: Real>(x: R) -> R {
    let Arc { small, s, terms } = arc(x.abs());
    let (hi, lo) = eighth_turns::<R>(2.0);
    let (s2, terms2) = (s + s, terms + terms);
    let near = hi - s2;
    let large = near + (((hi - near) - s2) - (terms2 - lo));
    R::select(small, s + terms, large).copysign(x)
}

/// `acos x`, NaN outside [−1, 1]: ≤ 1.25 ulp.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn acos<R: Real>(x: R) -> R {
    let Arc { small, s, terms } = arc(x.abs());
    let (hi, lo) = eighth_turns::<R>(2.0);
    let middle = hi - (s.copysign(x) + (terms.copysign(x) - lo));
    let (s2, terms2) = (s + s, terms + terms);
    let left = (hi + hi) - (s2 + (terms2 - (lo + lo)));
    R::select(small, middle, R::select(x.lt(R::lit(0.0)), left, s2 + terms2))
}
