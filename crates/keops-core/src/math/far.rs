//! Sine and cosine of huge arguments: the product with 2/π in integers, of which only the part modulo 4 counts (Payne &
//! Hanek, *Radian reduction for trigonometric functions*, 1983).

use super::trig::Reduced;
use crate::lanes::F64x1;

/// The first 1280 binary digits of 2/π.
const TWO_OVER_PI: [u64; 20] = [
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
];

/// π/2 as a multiple of 2⁻²⁵ and a rest.
const HALF_PI: (f64, f64) = (1.5707963109016418, 1.5893254773528196e-8);

/// The sine, or the cosine, of |x| ≥ 2¹²; NaN for everything else.
#[inline(always)]
pub(super) fn sin_or_cos(x: f64, cos: bool) -> f64 {
    if !(4096.0..=f64::MAX).contains(&x.abs()) {
        return f64::NAN;
    }
    let reduced = reduce(x.abs());
    let (sin_part, cos_part) = reduced.sin_cos();
    let quadrant = crate::lanes::scalar::I64x1(reduced.quadrant.0.wrapping_add(u64::from(cos)));
    let y = Reduced::turn(quadrant, sin_part, cos_part).0;
    if x < 0.0 && !cos { -y } else { y }
}

/// `x` minus the nearest multiple of π/2, for x ≥ 2¹².
#[inline(always)]
fn reduce(x: f64) -> Reduced<F64x1> {
    // x = mantissa · 2^exponent
    let exponent = (x.to_bits() >> 52) as i32 - 1075;
    let mantissa = (x.to_bits() & ((1 << 52) - 1)) | 1 << 52;
    // Digits before these give multiples of 4; 192 of them leave more than 2⁻¹³⁰ of the product right.
    let skipped = (exponent - 2).max(0) as usize;
    let (word, bit) = (skipped / 64, skipped % 64);
    let digits = |k: usize| {
        let at = |k: usize| u128::from(TWO_OVER_PI.get(word + k).copied().unwrap_or(0));
        (((at(k) << 64 | at(k + 1)) << bit) >> 64) as u64
    };
    let times = |digits: u64, carry: u128| u128::from(mantissa) * u128::from(digits) + carry;
    let low = times(digits(2), 0);
    let middle = times(digits(1), low >> 64);
    let high = times(digits(0), middle >> 64);
    let low = (middle << 64) | (low & u128::from(u64::MAX));

    // The product is (high, low) · 2^−point.
    let point = 192 - (exponent - skipped as i32);
    let whole = (high >> (point - 128)) as u64;
    let shift = 256 - point;
    let fraction = (high << shift) | (low >> (128 - shift));
    // As a signed number the fraction is relative to the nearest integer.
    let (above, below) = ((fraction >> 64) as i64, fraction as u64);
    let quadrant = whole.wrapping_add(u64::from(above < 0));
    const UNIT: f64 = 1.0 / (1u128 << 64) as f64;
    let hi = above as f64;
    let lo = above.wrapping_sub(hi as i64) as f64 + below as f64 * UNIT;
    let (hi, lo) = two_sum(hi * UNIT, lo * UNIT);

    // Products of 26 and 27 digits are exact.
    let head = f64::from_bits(hi.to_bits() & !((1 << 27) - 1));
    let rest = (hi - head) * HALF_PI.0 + (hi * HALF_PI.1 + lo * HALF_PI.0);
    let (hi, lo) = two_sum(head * HALF_PI.0, rest);
    Reduced { hi: F64x1(hi), lo: F64x1(lo), quadrant: crate::lanes::scalar::I64x1(quadrant) }
}

/// The sum of two numbers, of which the first is larger or 0, and its rounding error.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    (s, b - (s - a))
}

#[cfg(test)]
mod tests {
    use super::sin_or_cos;

    #[test]
    fn agrees_with_libm() {
        let mut x = 4096.0;
        let mut n = 0u64;
        while x < f64::MAX / 1.1 {
            for v in [x, -x, x * 1.000_000_1, f64::from(x as f32)].into_iter().filter(|v| v.is_finite()) {
                for (got, wanted) in [(sin_or_cos(v, false), libm::sin(v)), (sin_or_cos(v, true), libm::cos(v))] {
                    assert!((got - wanted).abs() <= 2.3e-16 * wanted.abs(), "{v:e}: {got:e} instead of {wanted:e}");
                }
            }
            n += 1;
            x *= 1.07 + (n % 13) as f64 * 0.003;
        }
        // The double closest to a multiple of π/2.
        let x = 6_381_956_970_095_103.0 * 2f64.powi(797);
        let wanted = -4.687_165_924_254_628e-19;
        assert!((sin_or_cos(x, true) - wanted).abs() <= 2.3e-16 * 4.7e-19, "{:e}", sin_or_cos(x, true));
    }

    #[test]
    fn has_no_value_at_infinity() {
        assert!(sin_or_cos(f64::INFINITY, false).is_nan() && sin_or_cos(f64::NAN, true).is_nan());
    }
}
