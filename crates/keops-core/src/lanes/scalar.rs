//! One lane: plain `f32` and `f64`. Runs everywhere; also evaluates the row, column and parameter stages.

use super::ldexp_in_two_steps;
use crate::real::{Int, Mask, Real, Scalar};
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// One truth value.
#[derive(Clone, Copy, Debug)]
pub struct Bool(pub bool);

impl BitAnd for Bool {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, o: Self) -> Self {
        Bool(self.0 & o.0)
    }
}
impl BitOr for Bool {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, o: Self) -> Self {
        Bool(self.0 | o.0)
    }
}
impl Not for Bool {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Bool(!self.0)
    }
}
impl Mask for Bool {
    #[inline(always)]
    fn any(self) -> bool {
        self.0
    }
    #[inline(always)]
    fn all(self) -> bool {
        self.0
    }
}

macro_rules! scalar_lane {
    ($t:ident, $lane:ident, $int:ident, $bits_ty:ident, $bits:literal, $avx2:ident, $avx512:ident, $neon:ident) => {
        #[doc = concat!("One `", stringify!($t), "`.")]
        #[derive(Clone, Copy, Debug)]
        pub struct $lane(pub $t);

        #[doc = concat!("One `", stringify!($bits_ty), "`.")]
        #[derive(Clone, Copy, Debug)]
        pub struct $int(pub $bits_ty);

        impl Scalar for $t {
            const BITS: u32 = $bits;
            const NAME: &'static str = stringify!($t);
            type Lane = $lane;
            #[cfg(target_arch = "x86_64")]
            type Avx2 = super::avx2::$avx2;
            #[cfg(target_arch = "x86_64")]
            type Avx512 = super::avx512::$avx512;
            #[cfg(target_arch = "aarch64")]
            type Neon = super::neon::$neon;
            #[inline(always)]
            fn from_f64(v: f64) -> Self {
                v as $t
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn to_raw(self) -> u64 {
                self.to_bits() as u64
            }
            #[inline(always)]
            fn from_raw(bits: u64) -> Self {
                $t::from_bits(bits as $bits_ty)
            }
        }

        impl Add for $int {
            type Output = Self;
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                $int(self.0.wrapping_add(o.0))
            }
        }
        impl Sub for $int {
            type Output = Self;
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                $int(self.0.wrapping_sub(o.0))
            }
        }
        impl BitAnd for $int {
            type Output = Self;
            #[inline(always)]
            fn bitand(self, o: Self) -> Self {
                $int(self.0 & o.0)
            }
        }
        impl BitOr for $int {
            type Output = Self;
            #[inline(always)]
            fn bitor(self, o: Self) -> Self {
                $int(self.0 | o.0)
            }
        }
        impl Int for $int {
            #[inline(always)]
            fn splat(v: i64) -> Self {
                $int(v as $bits_ty)
            }
            #[inline(always)]
            fn shl<const N: u32>(self) -> Self {
                $int(self.0 << N)
            }
            #[inline(always)]
            fn shr<const N: u32>(self) -> Self {
                $int(self.0 >> N)
            }
        }

        impl Add for $lane {
            type Output = Self;
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                $lane(self.0 + o.0)
            }
        }
        impl Sub for $lane {
            type Output = Self;
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                $lane(self.0 - o.0)
            }
        }
        impl Mul for $lane {
            type Output = Self;
            #[inline(always)]
            fn mul(self, o: Self) -> Self {
                $lane(self.0 * o.0)
            }
        }
        impl Div for $lane {
            type Output = Self;
            #[inline(always)]
            fn div(self, o: Self) -> Self {
                $lane(self.0 / o.0)
            }
        }
        impl Neg for $lane {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                $lane(-self.0)
            }
        }

        impl Real for $lane {
            type Scalar = $t;
            type Mask = Bool;
            type Int = $int;
            const LANES: usize = 1;
            #[inline(always)]
            fn splat(v: $t) -> Self {
                $lane(v)
            }
            #[inline(always)]
            unsafe fn load(p: *const $t) -> Self {
                // SAFETY: the caller vouches for one readable scalar.
                $lane(unsafe { p.read_unaligned() })
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $t) {
                // SAFETY: the caller vouches for one writable scalar.
                unsafe { p.write_unaligned(self.0) }
            }
            #[inline(always)]
            fn map(self, f: impl Fn($t) -> $t) -> Self {
                $lane(f(self.0))
            }
            #[inline(always)]
            fn zip(self, other: Self, f: impl Fn($t, $t) -> $t) -> Self {
                $lane(f(self.0, other.0))
            }
            #[inline(always)]
            fn fma(self, a: Self, b: Self) -> Self {
                $lane(self.0 * a.0 + b.0)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                $lane($t::from_bits(self.0.to_bits() & !(1 << ($bits - 1))))
            }
            #[inline(always)]
            fn copysign(self, sign: Self) -> Self {
                let top: $bits_ty = 1 << ($bits - 1);
                $lane($t::from_bits((self.0.to_bits() & !top) | (sign.0.to_bits() & top)))
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                $lane(libm::Libm::<$t>::sqrt(self.0))
            }
            #[inline(always)]
            fn floor(self) -> Self {
                $lane(libm::Libm::<$t>::floor(self.0))
            }
            #[inline(always)]
            fn round_even(self) -> Self {
                $lane(libm::Libm::<$t>::rint(self.0))
            }
            #[inline(always)]
            fn min_or(self, o: Self) -> Self {
                $lane(if self.0 < o.0 { self.0 } else { o.0 })
            }
            #[inline(always)]
            fn max_or(self, o: Self) -> Self {
                $lane(if self.0 > o.0 { self.0 } else { o.0 })
            }
            #[inline(always)]
            fn lt(self, o: Self) -> Bool {
                Bool(self.0 < o.0)
            }
            #[inline(always)]
            fn le(self, o: Self) -> Bool {
                Bool(self.0 <= o.0)
            }
            #[inline(always)]
            fn eq(self, o: Self) -> Bool {
                Bool(self.0 == o.0)
            }
            #[inline(always)]
            fn select(m: Bool, a: Self, b: Self) -> Self {
                if m.0 { a } else { b }
            }
            #[inline(always)]
            fn select_int(m: Bool, a: $int, b: $int) -> $int {
                if m.0 { a } else { b }
            }
            #[inline(always)]
            fn to_bits(self) -> $int {
                $int(self.0.to_bits())
            }
            #[inline(always)]
            fn from_bits(b: $int) -> Self {
                $lane($t::from_bits(b.0))
            }
            #[inline(always)]
            fn ldexp(self, n: Self) -> Self {
                ldexp_in_two_steps(self, n)
            }
        }
    };
}

scalar_lane!(f32, F32x1, I32x1, u32, 32, F32x8, F32x16, F32x4);
scalar_lane!(f64, F64x1, I64x1, u64, 64, F64x4, F64x8, F64x2);
