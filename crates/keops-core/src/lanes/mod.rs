//! Lane types: what a [`crate::Real`] is on each kind of hardware.

pub mod scalar;
pub mod twin;

#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;
#[cfg(target_arch = "x86_64")]
mod component;
#[cfg(target_arch = "aarch64")]
pub mod neon;
#[cfg(target_arch = "x86_64")]
mod x86_macros;

pub use scalar::{F32x1, F64x1};
pub use twin::Twin;

#[cfg(target_arch = "x86_64")]
pub use avx2::{F32x8, F64x4};
#[cfg(target_arch = "x86_64")]
pub use avx512::{F32x16, F64x8};
#[cfg(target_arch = "aarch64")]
pub use neon::{F32x4, F64x2};

use crate::real::{Int, Real, Scalar};

/// `x · 2ⁿ` for hardware without such an instruction, for |x| in [1/4, 4] and integer-valued n: the power is applied in
/// two factors, so that only the second product can round, and once.
#[inline(always)]
pub fn ldexp_in_two_steps<R: Real>(x: R, n: R) -> R {
    // Beyond these the result is 0 or infinite anyway. A NaN passes (`max_or` and `min_or` yield their argument).
    let (low, high) = if R::Scalar::BITS == 32 { (-250.0, 254.0) } else { (-2040.0, 2046.0) };
    let n = R::lit(high).min_or(R::lit(low).max_or(n));
    let half = (n * R::lit(0.5)).round_even();
    x * power_of_two(half) * power_of_two(n - half)
}

/// 2ⁿ for integer-valued n in the range of normal numbers: adding 1.5·2^(mantissa bits) leaves n in the low bits.
#[inline(always)]
fn power_of_two<R: Real>(n: R) -> R {
    if R::Scalar::BITS == 32 {
        R::from_bits((n + R::lit(12_582_912.0)).to_bits().shl::<23>() + R::Int::splat(127 << 23))
    } else {
        R::from_bits((n + R::lit(6_755_399_441_055_744.0)).to_bits().shl::<52>() + R::Int::splat(1023 << 52))
    }
}

/// [`Real::load_component`] for records of any width, number by number.
///
/// # Safety
/// As for [`Real::load_component`].
#[inline(always)]
pub(crate) unsafe fn gather<R: Real>(records: *const R::Scalar, width: usize, k: usize) -> R {
    const { assert!(R::LANES <= 16, "wider types read their halves") };
    // SAFETY: promised by the caller; the array holds a register of at most 16 lanes.
    unsafe {
        if R::LANES == 1 {
            return R::load(records.add(k));
        }
        let mut lanes = [R::Scalar::default(); 16];
        for l in 0..R::LANES {
            lanes[l] = *records.add(l * width + k);
        }
        R::load(lanes.as_ptr())
    }
}
