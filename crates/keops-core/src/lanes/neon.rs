//! NEON lanes: 4 × `f32` and 2 × `f64` in one 128-bit register.
//!
//! The types may only be used where neon is enabled, which it is by default on every aarch64 target with hardware
//! floating point; elsewhere inside a `#[target_feature]` shell after run-time detection.

use super::ldexp_in_two_steps;
use crate::real::{Int, Mask, Real};
use core::arch::aarch64::*;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Implements operators of two arguments, one instruction each.
macro_rules! operators {
    ($ty:ident: $($trait:ident :: $f:ident = $op:ident),*) => { $(
        impl $trait for $ty {
            type Output = Self;
            #[inline(always)]
            fn $f(self, o: Self) -> Self {
                // SAFETY: see the module's rule.
                unsafe { $ty($op(self.0, o.0)) }
            }
        }
    )* };
}

macro_rules! neon {
    ($lane:ident, $int:ident, $mask:ident, $t:ident, $n:literal, $v:ident, $bits:ident, $unsigned:ident,
     [$add:ident $sub:ident $mul:ident $div:ident $neg:ident $dup:ident $load:ident $store:ident],
     [$fma:ident $fms:ident $abs:ident $sqrt:ident $floor:ident $round:ident],
     [$lt:ident $le:ident $eq:ident $select:ident $select_int:ident $to_bits:ident $from_bits:ident],
     [$iadd:ident $isub:ident $and:ident $or:ident $xor:ident $idup:ident $ishl:ident $counts:ident $halves:path]) => {
        #[doc = concat!(stringify!($n), " × `", stringify!($t), "` in a NEON register.")]
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $lane(pub $v);
        #[doc = concat!("Integer lanes of [`", stringify!($lane), "`].")]
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $int(pub $bits);
        #[doc = concat!("Truth values of [`", stringify!($lane), "`]: all bits of a lane set, or none.")]
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $mask(pub $bits);

        operators!($mask: BitAnd::bitand = $and, BitOr::bitor = $or);
        impl Not for $mask {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                // SAFETY: see the module's rule; the same holds for every block below that says nothing else.
                unsafe { $mask($xor(self.0, $idup($unsigned::MAX))) }
            }
        }
        impl Mask for $mask {
            #[inline(always)]
            fn any(self) -> bool {
                unsafe { vmaxvq_u32($halves(self.0)) != 0 }
            }
            #[inline(always)]
            fn all(self) -> bool {
                unsafe { vminvq_u32($halves(self.0)) != 0 }
            }
        }

        operators!($int: Add::add = $iadd, Sub::sub = $isub, BitAnd::bitand = $and, BitOr::bitor = $or);
        impl Int for $int {
            #[inline(always)]
            fn splat(v: i64) -> Self {
                unsafe { $int($idup(v as $unsigned)) }
            }
            // The shifts by an immediate want their own kind of constant. By a register, the count is signed (negative
            // means down); a constant in that register becomes an immediate again.
            #[inline(always)]
            fn shl<const N: u32>(self) -> Self {
                unsafe { $int($ishl(self.0, $counts(N as _))) }
            }
            #[inline(always)]
            fn shr<const N: u32>(self) -> Self {
                unsafe { $int($ishl(self.0, $counts(-(N as i32) as _))) }
            }
        }

        operators!($lane: Add::add = $add, Sub::sub = $sub, Mul::mul = $mul, Div::div = $div);
        impl Neg for $lane {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                unsafe { $lane($neg(self.0)) }
            }
        }

        impl Real for $lane {
            type Scalar = $t;
            type Mask = $mask;
            type Int = $int;
            const LANES: usize = $n;
            #[inline(always)]
            fn splat(v: $t) -> Self {
                unsafe { $lane($dup(v)) }
            }
            #[inline(always)]
            unsafe fn load(p: *const $t) -> Self {
                // SAFETY: the caller vouches for the memory.
                unsafe { $lane($load(p)) }
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $t) {
                // SAFETY: the caller vouches for the memory.
                unsafe { $store(p, self.0) }
            }
            #[inline(always)]
            fn fma(self, a: Self, b: Self) -> Self {
                unsafe { $lane($fma(b.0, self.0, a.0)) }
            }
            #[inline(always)]
            fn fnma(self, a: Self, b: Self) -> Self {
                unsafe { $lane($fms(b.0, self.0, a.0)) }
            }
            #[inline(always)]
            fn abs(self) -> Self {
                unsafe { $lane($abs(self.0)) }
            }
            #[inline(always)]
            fn copysign(self, sign: Self) -> Self {
                unsafe { $lane($select($to_bits($dup(-0.0)), sign.0, self.0)) }
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                unsafe { $lane($sqrt(self.0)) }
            }
            #[inline(always)]
            fn floor(self) -> Self {
                unsafe { $lane($floor(self.0)) }
            }
            #[inline(always)]
            fn round_even(self) -> Self {
                unsafe { $lane($round(self.0)) }
            }
            // FMIN and FMAX yield NaN for a NaN on either side, FMINNM and FMAXNM the other number: none is the rule here.
            #[inline(always)]
            fn min_or(self, o: Self) -> Self {
                Self::select(self.lt(o), self, o)
            }
            #[inline(always)]
            fn max_or(self, o: Self) -> Self {
                Self::select(o.lt(self), self, o)
            }
            #[inline(always)]
            fn lt(self, o: Self) -> $mask {
                unsafe { $mask($lt(self.0, o.0)) }
            }
            #[inline(always)]
            fn le(self, o: Self) -> $mask {
                unsafe { $mask($le(self.0, o.0)) }
            }
            #[inline(always)]
            fn eq(self, o: Self) -> $mask {
                unsafe { $mask($eq(self.0, o.0)) }
            }
            #[inline(always)]
            fn select(m: $mask, a: Self, b: Self) -> Self {
                unsafe { $lane($select(m.0, a.0, b.0)) }
            }
            #[inline(always)]
            fn select_int(m: $mask, a: $int, b: $int) -> $int {
                unsafe { $int($select_int(m.0, a.0, b.0)) }
            }
            #[inline(always)]
            fn to_bits(self) -> $int {
                unsafe { $int($to_bits(self.0)) }
            }
            #[inline(always)]
            fn from_bits(b: $int) -> Self {
                unsafe { $lane($from_bits(b.0)) }
            }
            #[inline(always)]
            fn ldexp(self, n: Self) -> Self {
                ldexp_in_two_steps(self, n)
            }
        }
    };
}

neon!(F32x4, I32x4, Mask32x4, f32, 4, float32x4_t, uint32x4_t, u32,
    [vaddq_f32 vsubq_f32 vmulq_f32 vdivq_f32 vnegq_f32 vdupq_n_f32 vld1q_f32 vst1q_f32],
    [vfmaq_f32 vfmsq_f32 vabsq_f32 vsqrtq_f32 vrndmq_f32 vrndnq_f32],
    [vcltq_f32 vcleq_f32 vceqq_f32 vbslq_f32 vbslq_u32 vreinterpretq_u32_f32 vreinterpretq_f32_u32],
    [vaddq_u32 vsubq_u32 vandq_u32 vorrq_u32 veorq_u32 vdupq_n_u32 vshlq_u32 vdupq_n_s32 core::convert::identity]);
neon!(F64x2, I64x2, Mask64x2, f64, 2, float64x2_t, uint64x2_t, u64,
    [vaddq_f64 vsubq_f64 vmulq_f64 vdivq_f64 vnegq_f64 vdupq_n_f64 vld1q_f64 vst1q_f64],
    [vfmaq_f64 vfmsq_f64 vabsq_f64 vsqrtq_f64 vrndmq_f64 vrndnq_f64],
    [vcltq_f64 vcleq_f64 vceqq_f64 vbslq_f64 vbslq_u64 vreinterpretq_u64_f64 vreinterpretq_f64_u64],
    [vaddq_u64 vsubq_u64 vandq_u64 vorrq_u64 veorq_u64 vdupq_n_u64 vshlq_u64 vdupq_n_s64 vreinterpretq_u32_u64]);
