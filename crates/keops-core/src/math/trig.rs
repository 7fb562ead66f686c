//! Sine and cosine.
//!
//! The argument is reduced to `x − n·π/2` with π/2 cut into four parts, so short that the products with `n` are exact:
//! nothing depends on a fused multiply-add. Arguments too large for that go to [`super::far`], lane by lane.

use super::far::sin_or_cos;
use super::polynomial::{constant, polynomial};
use crate::real::{Int, Mask, Real, Scalar};

/// `(sin(r)/r − 1) / r²` in powers of `r²` on ±0.7856 for `f32`: relative error of the sine 4.0e−9.
const SIN_F32: [f64; 3] = [-0.16666655242443085, 0.008332189172506332, -0.00019518275803420693];

/// The same for `f64`: relative error of the sine 3.8e−18.
const SIN_F64: [f64; 6] = [
    -0.1666666666666663,
    0.008333333333321842,
    -0.0001984126982936105,
    2.7557313539766568e-06,
    -2.5050734644170365e-08,
    1.5895451381351227e-10,
];

/// `(cos(r) − 1 + r²/2) / r⁴` in powers of `r²` on ±0.7856 for `f32`: relative error of the cosine 1.2e−10.
const COS_F32: [f64; 3] = [0.04166664555668831, -0.0013887309469282627, 2.4432327336398885e-05];

/// The same for `f64`: relative error of the cosine 6.3e−20.
const COS_F64: [f64; 6] = [
    0.041666666666666595,
    -0.0013888888888873333,
    2.4801587288975554e-05,
    -2.755731420225648e-07,
    2.0875702432376696e-09,
    -1.1358549534091333e-11,
];

/// π/2 as a sum of four: multiples of 2⁻¹¹, 2⁻²³, 2⁻³⁵ and a rest in `f32`, of 2⁻²⁵, 2⁻⁵¹, 2⁻⁷⁷ and a rest in `f64`.
const HALF_PI_F32: [f64; 4] = [1.5703125, 0.0004837512969970703, 7.549533620476723e-08, 2.5633440682570896e-12];
const HALF_PI_F64: [f64; 4] =
    [1.5707963109016418, 1.5893254712295857e-08, 6.123233601181349e-17, 3.9455541665632055e-24];

/// Up to this magnitude (2¹² and 2²⁵) the lanes reduce the argument themselves.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
fn beyond<R: Real>(x: R) -> R::Mask {
    constant::<R>(4096.0, 33554432.0).lt(x.abs())
}

/// An argument minus the nearest multiple of π/2.
pub(super) struct Reduced<R: Real> {
    /// The difference, rounded …
    pub(super) hi: R,
    /// … and what rounding took off.
    pub(super) lo: R,
    /// The multiple; the two lowest bits name the quadrant.
    pub(super) quadrant: R::Int,
}

#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
fn reduce<R: Real>(x: R) -> Reduced<R> {
    let part = if R::Scalar::BITS == 32 { HALF_PI_F32 } else { HALF_PI_F64 };
    // Adding 1.5 · 2^23 (2^52) rounds to an integer and leaves it in the low bits.
    let shift = constant(12582912.0, 6755399441055744.0);
    let shifted = x.fma(R::lit(core::f64::consts::FRAC_2_PI), shift);
    let n = shifted - shift;
    // The first two differences are exact; the roundings of the next two are kept.
    let exact = n.fnma(R::lit(part[1]), n.fnma(R::lit(part[0]), x));
    let third = n * R::lit(part[2]);
    let near = exact - third;
    let lost = (exact - near) - third;
    let fourth = n * R::lit(part[3]);
    let hi = near - fourth;
    let lo = ((near - hi) - fourth) + lost;
    Reduced { hi, lo, quadrant: shifted.to_bits() }
}

impl<R: Real> Reduced<R> {
    /// Sine and cosine of the reduced argument.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn sin_cos(&self) -> (R, R) {
        let (r, lo) = (self.hi, self.lo);
        let z = r * r;
        let sin = r + (r * z).fma(polynomial(z, &SIN_F32, &SIN_F64), lo);
        let half = R::lit(0.5) * z;
        let near = R::lit(1.0) - half;
        let rest = (R::lit(1.0) - near) - half;
        let cos = near + (rest + (z * z).fma(polynomial(z, &COS_F32, &COS_F64), -(r * lo)));
        (sin, cos)
    }

    /// The sine of the whole argument from sine and cosine of the reduced one, `quadrant` multiples of π/2 further on.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn turn(quadrant: R::Int, sin: R, cos: R) -> R {
        // Bit 0, moved to the exponent, is 0.0 or 2.0: odd quadrants take the cosine.
        let odd = R::lit(0.0).lt(R::from_bits(to_top::<R>(quadrant & R::Int::splat(1))));
        // Bit 1, moved to the sign of 1.0: the upper two quadrants are negative.
        let sign = R::from_bits(to_top::<R>(quadrant & R::Int::splat(2)) | R::lit(1.0).to_bits());
        R::select(odd, cos, sin) * sign
    }
}

/// Bits 0 and 1 moved to the top: the upper exponent bit and the sign.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
fn to_top<R: Real>(bits: R::Int) -> R::Int {
    if R::Scalar::BITS == 32 { bits.shl::<30>() } else { bits.shl::<62>() }
}

/// Out of line where there are calls: rare and long.
#[cfg_attr(not(target_arch = "nvptx64"), cold, inline(never))]
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn far<R: Real>(x: R, near: R, f: impl Fn(R::Scalar) -> R::Scalar) -> R {
    R::select(beyond(x), x.map(f), near)
}

#[inline(always)]
fn far_sin<T: Scalar>(x: T) -> T {
    T::from_f64(sin_or_cos(x.to_f64(), false))
}

#[inline(always)]
fn far_cos<T: Scalar>(x: T) -> T {
    T::from_f64(sin_or_cos(x.to_f64(), true))
}

/// `sin x`: ≤ 1 ulp, for any finite argument; NaN at the infinities.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn sin<R: Real>(x: R) -> R {
    let reduced = reduce(x);
    let (sin, cos) = reduced.sin_cos();
    let y = Reduced::turn(reduced.quadrant, sin, cos);
    finish_sin(x, y)
}

/// Tiny arguments (whose signed zeros the reduction loses) and huge ones.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
fn finish_sin<R: Real>(x: R, y: R) -> R {
    let y = R::select(x.abs().lt(constant(2.44140625e-4, 7.450580596923828e-9)), x, y);
    if beyond(x).any() { far(x, y, far_sin) } else { y }
}

/// `cos x`: ≤ 1 ulp, for any finite argument; NaN at the infinities.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn cos<R: Real>(x: R) -> R {
    let reduced = reduce(x);
    let (sin, cos) = reduced.sin_cos();
    finish_cos(x, Reduced::turn(reduced.quadrant + R::Int::splat(1), sin, cos))
}

#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
fn finish_cos<R: Real>(x: R, y: R) -> R {
    if beyond(x).any() { far(x, y, far_cos) } else { y }
}

/// `(sin x, cos x)` for little more than the price of one.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn sin_cos<R: Real>(x: R) -> (R, R) {
    let reduced = reduce(x);
    let (sin, cos) = reduced.sin_cos();
    let s = Reduced::turn(reduced.quadrant, sin, cos);
    let c = Reduced::turn(reduced.quadrant + R::Int::splat(1), sin, cos);
    (finish_sin(x, s), finish_cos(x, c))
}
