//! Natural logarithm and `x · ln x`.

use super::exp::ln2;
use super::polynomial::{constant, polynomial};
use crate::real::{Int, Real, Scalar};

/// `(ln((1+s)/(1−s)) − 2s) / s³` in powers of `s²`, `s` on ±0.1716, for `f32`: relative error of the logarithm 8.1e−10.
const LN_F32: [f64; 3] = [0.6666677594184875, 0.39977583289146423, 0.2987082898616791];

/// The same for `f64`: relative error of the logarithm 1.3e−18.
const LN_F64: [f64; 7] = [
    0.6666666666666734,
    0.39999999999416824,
    0.285714287419747,
    0.22222198610617316,
    0.18183562590164432,
    0.1531409036440284,
    0.1479559217601139,
];

/// `x = m · 2^k` with integer `k` and `m` in [√½, √2), for positive finite `x`, subnormal ones too.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn decompose<R: Real>(x: R) -> (R, R) {
    let single = R::Scalar::BITS == 32;
    let tiny = x.lt(constant(f32::MIN_POSITIVE as f64, f64::MIN_POSITIVE));
    // 2^25 and 2^54 make every subnormal number normal.
    let x = R::select(tiny, x * constant(33554432.0, 18014398509481984.0), x);
    let scaled = R::select(tiny, constant(25.0, 54.0), R::lit(0.0));
    // Subtracting the bits of √½ aligns the exponent field with the wanted interval of m.
    let (one, root) = if single { (0x3f80_0000, 0x3f35_04f3) } else { (0x3ff0_0000_0000_0000, 0x3fe6_a09e_0000_0000) };
    let aligned = x.to_bits() + R::Int::splat(one - root);
    let fraction = if single { 0x007f_ffff } else { 0x000f_ffff_ffff_ffff };
    let m = R::from_bits((aligned & R::Int::splat(fraction)) + R::Int::splat(root));
    // An integer below 2^23 (2^52) put into the fraction of that power of two is a float without any conversion.
    let exponent = if single { aligned.shr::<23>() } else { aligned.shr::<52>() };
    let carrier = R::Int::splat(if single { 0x4b00_0000 } else { 0x4330_0000_0000_0000 });
    let k = R::from_bits(exponent | carrier) - constant(8388608.0 + 127.0, 4503599627370496.0 + 1023.0);
    (k - scaled, m)
}

/// `ln x`: ≤ 1 ulp.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn ln<R: Real>(x: R) -> R {
    let (k, m) = decompose(x);
    let f = m - R::lit(1.0);
    let s = f / (f + R::lit(2.0));
    let z = s * s;
    let rest = z * polynomial(z, &LN_F32, &LN_F64);
    // ln(1+f) = f − f²/2 + s·(f²/2 + rest): the largest term is exact and is added last.
    let half_square = R::lit(0.5) * f * f;
    let (hi, lo) = ln2::<R>();
    let small = half_square - s.fma(half_square + rest, k * lo);
    let finite = k * hi - (small - f);
    let infinity = R::lit(f64::INFINITY);
    let zero = R::lit(0.0);
    let special = R::select(x.eq(zero), -infinity, R::select(x.eq(infinity), infinity, R::lit(f64::NAN)));
    R::select(zero.lt(x) & x.lt(infinity), finite, special)
}

/// `x · ln x`, 0 at ±0: ≤ 2 ulp.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn xlogx<R: Real>(x: R) -> R {
    R::select(x.eq(R::lit(0.0)), R::lit(0.0), x * ln(x))
}
