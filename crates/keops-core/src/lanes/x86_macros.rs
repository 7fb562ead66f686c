//! The part that all x86 lane types share: operators and everything for which both widths have an instruction.

/// Implements the operators of a lane type from four intrinsics and a sign mask.
macro_rules! lane_operators {
    ($lane:ident, $add:ident, $sub:ident, $mul:ident, $div:ident, $set1:ident) => {
        impl Add for $lane {
            type Output = Self;
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                // SAFETY: a value of this type exists only inside a shell that enabled its instructions.
                unsafe { $lane($add(self.0, o.0)) }
            }
        }
        impl Sub for $lane {
            type Output = Self;
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                // SAFETY: as above.
                unsafe { $lane($sub(self.0, o.0)) }
            }
        }
        impl Mul for $lane {
            type Output = Self;
            #[inline(always)]
            fn mul(self, o: Self) -> Self {
                // SAFETY: as above.
                unsafe { $lane($mul(self.0, o.0)) }
            }
        }
        impl Div for $lane {
            type Output = Self;
            #[inline(always)]
            fn div(self, o: Self) -> Self {
                // SAFETY: as above.
                unsafe { $lane($div(self.0, o.0)) }
            }
        }
        impl Neg for $lane {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                // `-0.0 - x` is what LLVM canonicalises to a negation and folds into a fused multiply-add.
                // SAFETY: as above.
                unsafe { $lane($sub($set1(-0.0), self.0)) }
            }
        }
    };
}

/// Implements [`crate::real::Int`] for integer lanes.
macro_rules! int_lanes {
    ($int:ident, $el:ty, $add:ident, $sub:ident, $and:ident, $or:ident, $set1:ident, $sll:expr, $srl:expr) => {
        impl Add for $int {
            type Output = Self;
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                // SAFETY: a value of this type exists only inside a shell that enabled its instructions.
                unsafe { $int($add(self.0, o.0)) }
            }
        }
        impl Sub for $int {
            type Output = Self;
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                // SAFETY: as above.
                unsafe { $int($sub(self.0, o.0)) }
            }
        }
        impl BitAnd for $int {
            type Output = Self;
            #[inline(always)]
            fn bitand(self, o: Self) -> Self {
                // SAFETY: as above.
                unsafe { $int($and(self.0, o.0)) }
            }
        }
        impl BitOr for $int {
            type Output = Self;
            #[inline(always)]
            fn bitor(self, o: Self) -> Self {
                // SAFETY: as above.
                unsafe { $int($or(self.0, o.0)) }
            }
        }
        impl Int for $int {
            #[inline(always)]
            fn splat(v: i64) -> Self {
                // SAFETY: as above.
                unsafe { $int($set1(v as $el)) }
            }
            #[inline(always)]
            fn shl<const N: u32>(self) -> Self {
                // SAFETY: as above.
                unsafe { $int($sll(self.0, _mm_cvtsi32_si128(N as i32))) }
            }
            #[inline(always)]
            fn shr<const N: u32>(self) -> Self {
                // SAFETY: as above.
                unsafe { $int($srl(self.0, _mm_cvtsi32_si128(N as i32))) }
            }
        }
    };
}

pub(super) use {int_lanes, lane_operators};
