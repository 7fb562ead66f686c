//! `x^y`.
//!
//! `2^(y · log2 x)` needs the logarithm to some ten bits more than the lane type has, so it is computed as an unevaluated
//! sum of two numbers.

use super::exp::exp2_sum;
use super::log::decompose;
use super::pair::Pair;
use super::polynomial::{constant, polynomial};
use crate::real::Real;

/// `c·(atanh(s)/s − 1 − s²/3) / s⁴` with `c = 2/ln 2`, in powers of `s²`, `s` on ±0.1716, for `f32`: relative error of the
/// logarithm 8.6e−12.
const LOG2_F32: [f64; 3] = [0.5770801901817322, 0.41184988617897034, 0.3378220498561859];

/// The same for `f64`: relative error of the logarithm 7.8e−23.
const LOG2_F64: [f64; 8] = [
    0.5770780163555851,
    0.41219858311134583,
    0.32059889791273677,
    0.2623081986657174,
    0.22195226971345905,
    0.19240135083612223,
    0.16845086622463196,
    0.1728232054538239,
];

/// `2/ln 2` and a third of it, to twice the precision.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
fn leading<R: Real>() -> (Pair<R>, Pair<R>) {
    let c = Pair {
        hi: constant(2.885390043258667, 2.8853900817779268),
        lo: constant(3.851926067000022e-08, 4.0710547481862066e-17),
    };
    let third = Pair {
        hi: constant(0.9617967009544373, 0.9617966939259756),
        lo: constant(-7.028461812552678e-09, 5.0577616648125907e-17),
    };
    (c, third)
}

/// `log2 x` for positive finite `x`, relative error below 2⁻³⁵ (`f32`) and 2⁻⁶⁴ (`f64`).
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
fn log2<R: Real>(x: R) -> Pair<R> {
    let (k, m) = decompose(x);
    let one = R::lit(1.0);
    // s = (m − 1)/(m + 1), the quotient and its remainder.
    let numerator = m - one;
    let denominator = Pair::sum(m, one);
    let inverse = one / denominator.hi;
    let s = numerator * inverse;
    let back = Pair::product(s, denominator.hi);
    let s = Pair { hi: s, lo: (((numerator - back.hi) - back.lo) - s * denominator.lo) * inverse };
    let z = s.times(s);
    // s · (c + z · (c/3 + z · polynomial))
    let (c, third) = leading::<R>();
    let series = third.plus_small(z.hi * polynomial(z.hi, &LOG2_F32, &LOG2_F64));
    let inner = z.times(series);
    let fraction = s.times(c.plus_smaller(inner));
    Pair { hi: k, lo: R::lit(0.0) }.plus_smaller(fraction)
}

/// `x^y` as C's `pow`: ≤ 1.5 ulp.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn powf<R: Real>(x: R, y: R) -> R {
    let (zero, one, infinity) = (R::lit(0.0), R::lit(1.0), R::lit(f64::INFINITY));
    let a = x.abs();
    // No base but 1 has a finite, non-zero result for exponents beyond the bound; products stay finite within it.
    let bound = constant::<R>(8589934592.0, 9223372036854775808.0);
    let exponent = bound.min_or(y.abs()).copysign(y);
    let product = log2(a).scaled(exponent);
    let limit = constant::<R>(160.0, 1100.0);
    let over = limit.lt(product.hi.abs());
    let hi = R::select(over, limit.copysign(product.hi), product.hi);
    let lo = R::select(over, zero, product.lo);
    let magnitude = exp2_sum(hi, lo);

    // Bases 0 and ∞: one of them to a positive power, the other to a negative one, is 0.
    let grows = (infinity.eq(a) & zero.lt(y)) | (zero.eq(a) & y.lt(zero));
    let extreme = zero.eq(a) | infinity.eq(a);
    let magnitude = R::select(extreme, R::select(grows, infinity, zero), magnitude);

    // Negative bases: odd exponents keep the sign, fractions have no real result. Infinite exponents count as even.
    let negative = one.copysign(x).lt(zero);
    let half = R::lit(0.5) * y;
    let integer = y.floor().eq(y);
    let odd = integer & !half.floor().eq(half);
    let signed = R::select(negative & odd, -magnitude, magnitude);
    let real = R::select(negative & !integer & !extreme, R::lit(f64::NAN), signed);

    let ordered = x.eq(x) & y.eq(y);
    R::select(y.eq(zero) | x.eq(one), one, R::select(ordered, real, x + y))
}
