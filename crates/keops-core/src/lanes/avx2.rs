//! AVX2 + FMA lanes: 8 × `f32` and 4 × `f64` in one 256-bit register.
//!
//! The types may only be used inside a `#[target_feature]` shell that enabled avx2 and fma after run-time detection;
//! every function here is inlined into such a shell.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rule above is the safety comment of every block")]

use super::component::WIDEST;
use super::x86_macros::{int_lanes, lane_operators};
use super::{gather, ldexp_in_two_steps};
use crate::math::exp;
use crate::real::{Int, Mask, Real};
use core::arch::x86_64::*;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

macro_rules! avx2 {
    ($lane:ident, $int:ident, $mask:ident, $t:ident, $el:ty, $n:literal, $v:ident,
     [$add:ident $sub:ident $mul:ident $div:ident $set1:ident $loadu:ident $storeu:ident],
     [$fma:ident $fnma:ident $sqrt:ident $round:ident $min:ident $max:ident $cmp:ident],
     [$and:ident $or:ident $andnot:ident $xor:ident $blendv:ident $toi:ident $fromi:ident $movemask:ident],
     [$iadd:ident $isub:ident $iset1:ident $isll:ident $isrl:ident]) => {
        #[doc = concat!(stringify!($n), " × `", stringify!($t), "` in an AVX register.")]
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $lane(pub $v);
        #[doc = concat!("Integer lanes of [`", stringify!($lane), "`].")]
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $int(pub __m256i);
        #[doc = concat!("Truth values of [`", stringify!($lane), "`]: all bits of a lane set, or none.")]
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $mask(pub $v);

        lane_operators!($lane, $add, $sub, $mul, $div, $set1);
        int_lanes!($int, $el, $iadd, $isub, _mm256_and_si256, _mm256_or_si256, $iset1, $isll, $isrl);

        impl BitAnd for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitand(self, o: Self) -> Self {
                // SAFETY: see the module's rule; the same holds for every block below.
                unsafe { $mask($and(self.0, o.0)) }
            }
        }
        impl BitOr for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitor(self, o: Self) -> Self {
                unsafe { $mask($or(self.0, o.0)) }
            }
        }
        impl Not for $mask {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                unsafe { $mask($xor(self.0, $fromi(_mm256_set1_epi32(-1)))) }
            }
        }
        impl Mask for $mask {
            #[inline(always)]
            fn any(self) -> bool {
                unsafe { $movemask(self.0) != 0 }
            }
            #[inline(always)]
            fn all(self) -> bool {
                unsafe { $movemask(self.0) == (1 << $n) - 1 }
            }
        }

        impl Real for $lane {
            type Scalar = $t;
            type Mask = $mask;
            type Int = $int;
            const LANES: usize = $n;
            #[inline(always)]
            fn splat(v: $t) -> Self {
                unsafe { $lane($set1(v)) }
            }
            #[inline(always)]
            unsafe fn load(p: *const $t) -> Self {
                // SAFETY: the caller vouches for the memory.
                unsafe { $lane($loadu(p)) }
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $t) {
                // SAFETY: the caller vouches for the memory.
                unsafe { $storeu(p, self.0) }
            }
            #[inline(always)]
            unsafe fn load_component(records: *const $t, width: usize, k: usize) -> Self {
                // SAFETY: the caller vouches for the memory.
                unsafe {
                    match width {
                        1 => Self::load(records),
                        2..=WIDEST => Self::component(records, width, k),
                        _ => gather(records, width, k),
                    }
                }
            }
            #[inline(always)]
            fn fma(self, a: Self, b: Self) -> Self {
                unsafe { $lane($fma(self.0, a.0, b.0)) }
            }
            #[inline(always)]
            fn fnma(self, a: Self, b: Self) -> Self {
                unsafe { $lane($fnma(self.0, a.0, b.0)) }
            }
            #[inline(always)]
            fn abs(self) -> Self {
                unsafe { $lane($andnot($set1(-0.0), self.0)) }
            }
            #[inline(always)]
            fn copysign(self, sign: Self) -> Self {
                unsafe {
                    let top = $set1(-0.0);
                    $lane($or($and(top, sign.0), $andnot(top, self.0)))
                }
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                unsafe { $lane($sqrt(self.0)) }
            }
            #[inline(always)]
            fn floor(self) -> Self {
                unsafe { $lane($round::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(self.0)) }
            }
            #[inline(always)]
            fn round_even(self) -> Self {
                unsafe { $lane($round::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(self.0)) }
            }
            #[inline(always)]
            fn min_or(self, o: Self) -> Self {
                unsafe { $lane($min(self.0, o.0)) }
            }
            #[inline(always)]
            fn max_or(self, o: Self) -> Self {
                unsafe { $lane($max(self.0, o.0)) }
            }
            #[inline(always)]
            fn lt(self, o: Self) -> $mask {
                unsafe { $mask($cmp::<_CMP_LT_OQ>(self.0, o.0)) }
            }
            #[inline(always)]
            fn le(self, o: Self) -> $mask {
                unsafe { $mask($cmp::<_CMP_LE_OQ>(self.0, o.0)) }
            }
            #[inline(always)]
            fn eq(self, o: Self) -> $mask {
                unsafe { $mask($cmp::<_CMP_EQ_OQ>(self.0, o.0)) }
            }
            #[inline(always)]
            fn select(m: $mask, a: Self, b: Self) -> Self {
                unsafe { $lane($blendv(b.0, a.0, m.0)) }
            }
            #[inline(always)]
            fn select_int(m: $mask, a: $int, b: $int) -> $int {
                unsafe { $int($toi($blendv($fromi(b.0), $fromi(a.0), m.0))) }
            }
            #[inline(always)]
            fn to_bits(self) -> $int {
                unsafe { $int($toi(self.0)) }
            }
            #[inline(always)]
            fn from_bits(b: $int) -> Self {
                unsafe { $lane($fromi(b.0)) }
            }
            #[inline(always)]
            fn ldexp(self, n: Self) -> Self {
                ldexp_in_two_steps(self, n)
            }
            #[inline(always)]
            fn exp2(self) -> Self {
                Self::exp2_hardware(self)
            }
            #[inline(always)]
            fn exp2_mul(self, c: Self) -> Self {
                Self::exp2_mul_hardware(self, c)
            }
        }
    };
}

avx2!(F32x8, I32x8, Mask32x8, f32, i32, 8, __m256,
    [_mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps],
    [_mm256_fmadd_ps _mm256_fnmadd_ps _mm256_sqrt_ps _mm256_round_ps _mm256_min_ps _mm256_max_ps _mm256_cmp_ps],
    [_mm256_and_ps _mm256_or_ps _mm256_andnot_ps _mm256_xor_ps _mm256_blendv_ps _mm256_castps_si256 _mm256_castsi256_ps _mm256_movemask_ps],
    [_mm256_add_epi32 _mm256_sub_epi32 _mm256_set1_epi32 _mm256_sll_epi32 _mm256_srl_epi32]);
avx2!(F64x4, I64x4, Mask64x4, f64, i64, 4, __m256d,
    [_mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_div_pd _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd],
    [_mm256_fmadd_pd _mm256_fnmadd_pd _mm256_sqrt_pd _mm256_round_pd _mm256_min_pd _mm256_max_pd _mm256_cmp_pd],
    [_mm256_and_pd _mm256_or_pd _mm256_andnot_pd _mm256_xor_pd _mm256_blendv_pd _mm256_castpd_si256 _mm256_castsi256_pd _mm256_movemask_pd],
    [_mm256_add_epi64 _mm256_sub_epi64 _mm256_set1_epi64x _mm256_sll_epi64 _mm256_srl_epi64]);

/// Bits of 2^(k/8), less k in the place where the exponent arithmetic below adds it, times 2^`scale`.
const fn eighths(scale: u32) -> [i32; 8] {
    let bits: [u32; 8] =
        [0x3f80_0000, 0x3f8b_95c2, 0x3f98_37f0, 0x3fa5_fed7, 0x3fb5_04f3, 0x3fc5_672a, 0x3fd7_44fd, 0x3fea_c0c7];
    let mut out = [0; 8];
    let mut k = 0;
    while k < 8 {
        out[k] = (bits[k] - ((k as u32) << 20)).wrapping_add(scale << 23) as i32;
        k += 1;
    }
    out
}

/// Adding this rounds to multiples of 1/8 and leaves their number k in the low bits: 1.5·2^20.
const MAGIC: f64 = 1_572_864.0;

const EIGHTHS: [i32; 8] = eighths(0);
const HALF_EIGHTHS: [i32; 8] = eighths(u32::MAX);

impl F32x8 {
    /// As [`F32x8::exp2_hardware`] without care for the two ends of the range. The exponent is clamped to [−127, 128]:
    /// at −127 the bits come out as exactly 0, between −127 and −126 as some subnormal number, and from 127.9375 on as
    /// infinity.
    #[inline(always)]
    fn exp2_mul_hardware(self, c: Self) -> Self {
        // SAFETY: see the module's rule.
        unsafe {
            let x = Self::lit(128.0).min_or(Self::lit(-127.0).max_or(self * c));
            let magic = Self::lit(MAGIC);
            let t = x + magic;
            let r = x - (t - magic);
            let w = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(EIGHTHS.as_ptr().cast()), t.to_bits().0);
            let w = F32x8::from_bits(I32x8(w) + t.to_bits().shl::<20>());
            let c = |k: usize| Self::lit(exp::EXP2_F32_EIGHTH[k]);
            let p = c(3).fma(r, c(2)).fma(r, c(1)).fma(r, c(0));
            p * w
        }
    }

    /// Reduction to eighths: 2^(k/8) comes from a table in one register and the polynomial covers [−1/16, 1/16].
    ///
    /// The power is built half as large as it should be and doubled at the end, so that results up to the largest
    /// number stay finite and those above become infinite; below the normal numbers it is built 2^64 times larger
    /// and the last product rounds it, once, to the subnormal result.
    #[inline(always)]
    fn exp2_hardware(self) -> Self {
        // SAFETY: see the module's rule.
        unsafe {
            let tiny = self.lt(Self::lit(-125.0));
            let shift = F32x8(_mm256_and_ps(tiny.0, _mm256_set1_ps(64.0)));
            let x = Self::lit(128.0).min_or(Self::lit(-190.0).max_or(self)) + shift;
            let magic = Self::lit(MAGIC);
            let t = x + magic;
            let r = x - (t - magic);
            let w = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(HALF_EIGHTHS.as_ptr().cast()), t.to_bits().0);
            let w = F32x8::from_bits(I32x8(w) + t.to_bits().shl::<20>());
            let c = |k: usize| Self::lit(exp::EXP2_F32_EIGHTH[k]);
            let q = c(3).fma(r, c(2)).fma(r, c(1));
            // 2, or 2^−63 where the power was built 2^64 times larger.
            let scale = F32x8::select(tiny, Self::lit(1.0842021724855044e-19), Self::lit(2.0));
            w.fma(q * r, w) * scale
        }
    }
}

impl F64x4 {
    #[inline(always)]
    fn exp2_hardware(self) -> Self {
        crate::math::exp2(self)
    }
    #[inline(always)]
    fn exp2_mul_hardware(self, c: Self) -> Self {
        crate::math::exp2(self * c)
    }
    #[inline(always)]
    unsafe fn component(records: *const f64, width: usize, k: usize) -> Self {
        // SAFETY: the caller vouches for the memory.
        unsafe { gather(records, width, k) }
    }
}
