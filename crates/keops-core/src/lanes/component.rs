//! One component of neighbouring records, by permutations of whole registers: from arrays of structures to lanes.
//!
//! The numbers x₀ y₀ z₀ x₁ y₁ z₁ … of `LANES` records of width 3 lie in three registers. Component y is in lane 1 + 3l of
//! them, taken as one: each register is permuted by the same indices (modulo `LANES`), and masks pick the lanes that
//! come from it.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the caller's promise covers whole registers of records")]

use super::avx2::F32x8;
use super::avx512::{F32x16, F64x8};
use core::arch::x86_64::*;

/// Records up to this width are read in whole registers.
pub(super) const WIDEST: usize = 4;

/// For each width and component: the lane to take, and for each register the lanes that come from it.
struct Plan<I, const N: usize> {
    index: [[[I; N]; WIDEST]; WIDEST + 1],
    from: [[[u32; WIDEST]; WIDEST]; WIDEST + 1],
}

macro_rules! plan {
    ($int:ty, $n:literal) => {{
        let mut plan: Plan<$int, $n> =
            Plan { index: [[[0; $n]; WIDEST]; WIDEST + 1], from: [[[0; WIDEST]; WIDEST]; WIDEST + 1] };
        let mut width = 1;
        while width <= WIDEST {
            let mut k = 0;
            while k < width {
                let mut lane = 0;
                while lane < $n {
                    let at = k + width * lane;
                    plan.index[width][k][lane] = (at % $n) as $int;
                    plan.from[width][k][at / $n] |= 1 << lane;
                    lane += 1;
                }
                k += 1;
            }
            width += 1;
        }
        plan
    }};
}

static SIXTEEN: Plan<i32, 16> = plan!(i32, 16);
static EIGHT: Plan<i32, 8> = plan!(i32, 8);
static EIGHT_WIDE: Plan<i64, 8> = plan!(i64, 8);

impl F32x16 {
    /// # Safety
    /// As for [`crate::Real::load_component`], with `width` at most [`WIDEST`].
    #[inline(always)]
    pub(super) unsafe fn component(records: *const f32, width: usize, k: usize) -> Self {
        unsafe {
            let index = _mm512_loadu_si512(SIXTEEN.index[width][k].as_ptr().cast());
            let mut v = _mm512_permutexvar_ps(index, _mm512_loadu_ps(records));
            for q in 1..width {
                let mask = SIXTEEN.from[width][k][q] as u16;
                v = _mm512_mask_permutexvar_ps(v, mask, index, _mm512_loadu_ps(records.add(16 * q)));
            }
            F32x16(v)
        }
    }
}

impl F64x8 {
    /// # Safety
    /// As for [`crate::Real::load_component`], with `width` at most [`WIDEST`].
    #[inline(always)]
    pub(super) unsafe fn component(records: *const f64, width: usize, k: usize) -> Self {
        unsafe {
            let index = _mm512_loadu_si512(EIGHT_WIDE.index[width][k].as_ptr().cast());
            let mut v = _mm512_permutexvar_pd(index, _mm512_loadu_pd(records));
            for q in 1..width {
                let mask = EIGHT_WIDE.from[width][k][q] as u8;
                v = _mm512_mask_permutexvar_pd(v, mask, index, _mm512_loadu_pd(records.add(8 * q)));
            }
            F64x8(v)
        }
    }
}

impl F32x8 {
    /// # Safety
    /// As for [`crate::Real::load_component`], with `width` at most [`WIDEST`].
    #[inline(always)]
    pub(super) unsafe fn component(records: *const f32, width: usize, k: usize) -> Self {
        unsafe {
            let index = _mm256_loadu_si256(EIGHT.index[width][k].as_ptr().cast());
            let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let mut v = _mm256_permutevar8x32_ps(_mm256_loadu_ps(records), index);
            for q in 1..width {
                let lanes = _mm256_and_si256(_mm256_set1_epi32(EIGHT.from[width][k][q] as i32), bits);
                let mask = _mm256_castsi256_ps(_mm256_cmpeq_epi32(lanes, bits));
                v = _mm256_blendv_ps(v, _mm256_permutevar8x32_ps(_mm256_loadu_ps(records.add(8 * q)), index), mask);
            }
            F32x8(v)
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::super::avx2::F64x4;
    use super::*;
    use crate::real::{Real, Scalar};
    use std::vec::Vec;

    /// Every component of records 0, 1, 2, … of every width: component k of record l of width w is number k + w·l.
    #[inline(always)]
    fn check<R: Real>() {
        for width in 1..8 {
            let numbers: Vec<R::Scalar> = (0..width * R::LANES).map(|v| R::Scalar::from_f64(v as f64)).collect();
            for k in 0..width {
                let mut lanes = [R::Scalar::default(); 16];
                unsafe { R::load_component(numbers.as_ptr(), width, k).store(lanes.as_mut_ptr()) };
                for l in 0..R::LANES {
                    assert_eq!(lanes[l].to_f64(), (k + width * l) as f64, "width {width}, component {k}, lane {l}");
                }
            }
        }
    }

    #[target_feature(enable = "avx2,fma")]
    fn avx2() {
        check::<F32x8>();
        check::<F64x4>();
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")]
    fn avx512() {
        check::<F32x16>();
        check::<F64x8>();
    }

    #[test]
    fn components_are_read_in_order() {
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
            unsafe { avx2() };
        }
        if std::is_x86_feature_detected!("avx512bw") && std::is_x86_feature_detected!("avx512vl") {
            unsafe { avx512() };
        }
    }
}
