//! AVX-512 lanes: 16 × `f32` and 8 × `f64` in one 512-bit register.
//!
//! The types may only be used inside a `#[target_feature]` shell that enabled avx512f, avx512dq, avx512bw and avx512vl
//! after run-time detection; every function here is inlined into such a shell.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rule above is the safety comment of every block")]

use super::component::WIDEST;
use super::gather;
use super::x86_macros::{int_lanes, lane_operators};
use crate::math::exp;
use crate::real::{Int, Mask, Real};
use core::arch::x86_64::*;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Rounding modes of `vrndscale`/`vreduce`: no fraction bits, exceptions suppressed.
const TO_EVEN: i32 = 0x08;
const DOWN: i32 = 0x09;

macro_rules! avx512 {
    ($lane:ident, $int:ident, $mask:ident, $t:ident, $el:ty, $n:literal, $v:ident, $k:ident,
     [$add:ident $sub:ident $mul:ident $div:ident $set1:ident $loadu:ident $storeu:ident],
     [$fma:ident $fnma:ident $abs:ident $sqrt:ident $round:ident $min:ident $max:ident],
     [$cmp:ident $blend:ident $blendi:ident $toi:ident $fromi:ident $scalef:ident $reduce:ident],
     [$iadd:ident $isub:ident $iand:ident $ior:ident $iset1:ident $isll:ident $isrl:ident $itern:ident]) => {
        #[doc = concat!(stringify!($n), " × `", stringify!($t), "` in an AVX-512 register.")]
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $lane(pub $v);
        #[doc = concat!("Integer lanes of [`", stringify!($lane), "`].")]
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $int(pub __m512i);
        #[doc = concat!("Truth values of [`", stringify!($lane), "`].")]
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $mask(pub $k);

        lane_operators!($lane, $add, $sub, $mul, $div, $set1);
        int_lanes!($int, $el, $iadd, $isub, $iand, $ior, $iset1, $isll, $isrl);

        impl BitAnd for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitand(self, o: Self) -> Self {
                $mask(self.0 & o.0)
            }
        }
        impl BitOr for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitor(self, o: Self) -> Self {
                $mask(self.0 | o.0)
            }
        }
        impl Not for $mask {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                $mask(!self.0)
            }
        }
        impl Mask for $mask {
            #[inline(always)]
            fn any(self) -> bool {
                self.0 != 0
            }
            #[inline(always)]
            fn all(self) -> bool {
                self.0 == <$k>::MAX
            }
        }

        impl Real for $lane {
            type Scalar = $t;
            type Mask = $mask;
            type Int = $int;
            const LANES: usize = $n;
            #[inline(always)]
            fn splat(v: $t) -> Self {
                // SAFETY: see the module's rule; the same holds for every block below.
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
                unsafe { $lane($abs(self.0)) }
            }
            #[inline(always)]
            fn copysign(self, sign: Self) -> Self {
                let top = Self::lit(-0.0).to_bits();
                // 0xCA: the second operand where the first is set, the third elsewhere.
                unsafe { $lane($fromi($itern::<0xCA>(top.0, sign.to_bits().0, self.to_bits().0))) }
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                unsafe { $lane($sqrt(self.0)) }
            }
            #[inline(always)]
            fn floor(self) -> Self {
                unsafe { $lane($round::<DOWN>(self.0)) }
            }
            #[inline(always)]
            fn round_even(self) -> Self {
                unsafe { $lane($round::<TO_EVEN>(self.0)) }
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
                unsafe { $lane($blend(m.0, b.0, a.0)) }
            }
            #[inline(always)]
            fn select_int(m: $mask, a: $int, b: $int) -> $int {
                unsafe { $int($blendi(m.0, b.0, a.0)) }
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
                unsafe { $lane($scalef(self.0, n.0)) }
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

avx512!(F32x16, I32x16, Mask16, f32, i32, 16, __m512, __mmask16,
    [_mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_div_ps _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps],
    [_mm512_fmadd_ps _mm512_fnmadd_ps _mm512_abs_ps _mm512_sqrt_ps _mm512_roundscale_ps _mm512_min_ps _mm512_max_ps],
    [_mm512_cmp_ps_mask _mm512_mask_blend_ps _mm512_mask_blend_epi32 _mm512_castps_si512 _mm512_castsi512_ps _mm512_scalef_ps _mm512_reduce_ps],
    [_mm512_add_epi32 _mm512_sub_epi32 _mm512_and_si512 _mm512_or_si512 _mm512_set1_epi32 _mm512_sll_epi32 _mm512_srl_epi32 _mm512_ternarylogic_epi32]);
avx512!(F64x8, I64x8, Mask8, f64, i64, 8, __m512d, __mmask8,
    [_mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_div_pd _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd],
    [_mm512_fmadd_pd _mm512_fnmadd_pd _mm512_abs_pd _mm512_sqrt_pd _mm512_roundscale_pd _mm512_min_pd _mm512_max_pd],
    [_mm512_cmp_pd_mask _mm512_mask_blend_pd _mm512_mask_blend_epi64 _mm512_castpd_si512 _mm512_castsi512_pd _mm512_scalef_pd _mm512_reduce_pd],
    [_mm512_add_epi64 _mm512_sub_epi64 _mm512_and_si512 _mm512_or_si512 _mm512_set1_epi64 _mm512_sll_epi64 _mm512_srl_epi64 _mm512_ternarylogic_epi64]);

impl F32x16 {
    /// `vreduceps` leaves x − ⌊x⌋ (0 for ±∞), the polynomial gives 2 to that power, and `vscalefps` multiplies by 2^⌊x⌋
    /// with gradual underflow, overflow and NaN as they should be: no clamp and no integer arithmetic.
    #[inline(always)]
    fn exp2_hardware(self) -> Self {
        // SAFETY: see the module's rule.
        unsafe { F32x16(_mm512_scalef_ps(self.exp2_of_fraction().0, self.0)) }
    }

    /// The same with 0 for results below the normal numbers: Intel's processors take some hundred cycles for each subnormal
    /// result, and again wherever it is a factor.
    #[inline(always)]
    fn exp2_mul_hardware(self, c: Self) -> Self {
        let x = self * c;
        // SAFETY: see the module's rule.
        unsafe {
            // Not less: true of NaN, which stays.
            let normal = _mm512_cmp_ps_mask::<_CMP_NLT_UQ>(x.0, _mm512_set1_ps(-126.0));
            F32x16(_mm512_maskz_scalef_ps(normal, x.exp2_of_fraction().0, x.0))
        }
    }

    /// `2^(x − ⌊x⌋)`.
    #[inline(always)]
    fn exp2_of_fraction(self) -> Self {
        // SAFETY: see the module's rule.
        let r = unsafe { F32x16(_mm512_reduce_ps::<DOWN>(self.0)) };
        let c = |k: usize| Self::lit(exp::EXP2_F32_UNIT[k]);
        c(5).fma(r, c(4)).fma(r, c(3)).fma(r, c(2)).fma(r, c(1)).fma(r, c(0))
    }
}

/// 2^(k/16).
const SIXTEENTHS: [f64; 16] = [
    1.0,
    1.0442737824274138,
    1.0905077326652577,
    1.1387886347566916,
    1.189207115002721,
    1.241857812073484,
    1.2968395546510096,
    1.3542555469368927,
    core::f64::consts::SQRT_2,
    1.4768261459394993,
    1.5422108254079407,
    1.6104903319492543,
    1.681792830507429,
    1.7562521603732995,
    1.8340080864093424,
    1.9152065613971474,
];

impl F64x8 {
    /// Reduction to sixteenths: 2^(k/16) comes from a table of two registers, the polynomial covers [−1/32, 1/32], and
    /// `vscalefpd` multiplies by the integer part, with gradual underflow, overflow and NaN as they should be.
    #[inline(always)]
    fn exp2_hardware(self) -> Self {
        let (power, n) = self.exp2_in_parts();
        // SAFETY: see the module's rule.
        unsafe { F64x8(_mm512_scalef_pd(power.0, n.0)) }
    }

    /// The same with 0 for results below the normal numbers, as for `f32`.
    #[inline(always)]
    fn exp2_mul_hardware(self, c: Self) -> Self {
        let x = self * c;
        let (power, n) = x.exp2_in_parts();
        // SAFETY: see the module's rule.
        unsafe {
            let normal = _mm512_cmp_pd_mask::<_CMP_NLT_UQ>(x.0, _mm512_set1_pd(-1022.0));
            F64x8(_mm512_maskz_scalef_pd(normal, power.0, n.0))
        }
    }

    /// Two numbers `p`, `n` with `2^x = p · 2^⌊n⌋`.
    #[inline(always)]
    fn exp2_in_parts(self) -> (Self, Self) {
        // SAFETY: see the module's rule.
        unsafe {
            // Adding 1.5·2^48 rounds to multiples of 1/16 and leaves k in the low bits. Outside the range of finite
            // results the clamp keeps the difference below finite; the unclamped exponent would be as good.
            let x = Self::lit(1.0e4).min_or(Self::lit(-1.0e4).max_or(self));
            let magic = Self::lit(422_212_465_065_984.0);
            let t = x + magic;
            let n = t - magic;
            let r = x - n;
            let low = _mm512_loadu_pd(SIXTEENTHS.as_ptr());
            let high = _mm512_loadu_pd(SIXTEENTHS.as_ptr().add(8));
            let w = F64x8(_mm512_permutex2var_pd(low, t.to_bits().0, high));
            let c = |k: usize| Self::lit(exp::EXP2_F64_SIXTEENTH[k]);
            let q = c(6).fma(r, c(5)).fma(r, c(4)).fma(r, c(3)).fma(r, c(2)).fma(r, c(1));
            (w.fma(q * r, w), n)
        }
    }
}
