//! [`Twin`]: two values treated as one.
//!
//! Nested twins make a *tile*: `Twin<Twin<F32x16>>` is four registers, and a formula evaluated on it does everything
//! four times in straight-line code, without a loop that the optimiser would have to unroll before it can keep the
//! values in registers. Which level means rows and which means columns is the engine's business.

use crate::real::{Int, Mask, Real};
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Two values, side by side.
#[derive(Clone, Copy, Debug)]
pub struct Twin<A>(pub A, pub A);

macro_rules! both {
    ($($trait:ident :: $f:ident),*) => { $(
        impl<A: $trait<Output = A>> $trait for Twin<A> {
            type Output = Self;
            #[inline(always)]
            fn $f(self, o: Self) -> Self {
                Twin(self.0.$f(o.0), self.1.$f(o.1))
            }
        }
    )* };
}
both!(Add::add, Sub::sub, Mul::mul, Div::div, BitAnd::bitand, BitOr::bitor);

impl<A: Neg<Output = A>> Neg for Twin<A> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Twin(-self.0, -self.1)
    }
}
impl<A: Not<Output = A>> Not for Twin<A> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Twin(!self.0, !self.1)
    }
}
impl<A: Mask> Mask for Twin<A> {
    #[inline(always)]
    fn any(self) -> bool {
        (self.0 | self.1).any()
    }
    #[inline(always)]
    fn all(self) -> bool {
        (self.0 & self.1).all()
    }
}
impl<A: Int> Int for Twin<A> {
    #[inline(always)]
    fn splat(v: i64) -> Self {
        Twin(A::splat(v), A::splat(v))
    }
    #[inline(always)]
    fn shl<const N: u32>(self) -> Self {
        Twin(self.0.shl::<N>(), self.1.shl::<N>())
    }
    #[inline(always)]
    fn shr<const N: u32>(self) -> Self {
        Twin(self.0.shr::<N>(), self.1.shr::<N>())
    }
}

macro_rules! one {
    ($($f:ident),*) => { $(
        #[inline(always)]
        fn $f(self) -> Self {
            Twin(self.0.$f(), self.1.$f())
        }
    )* };
}
macro_rules! two {
    ($($f:ident),*) => { $(
        #[inline(always)]
        fn $f(self, o: Self) -> Self {
            Twin(self.0.$f(o.0), self.1.$f(o.1))
        }
    )* };
}
macro_rules! compare {
    ($($f:ident),*) => { $(
        #[inline(always)]
        fn $f(self, o: Self) -> Self::Mask {
            Twin(self.0.$f(o.0), self.1.$f(o.1))
        }
    )* };
}

impl<A: Real> Real for Twin<A> {
    type Scalar = A::Scalar;
    type Mask = Twin<A::Mask>;
    type Int = Twin<A::Int>;
    const LANES: usize = 2 * A::LANES;

    #[inline(always)]
    fn splat(v: A::Scalar) -> Self {
        let a = A::splat(v);
        Twin(a, a)
    }
    #[inline(always)]
    unsafe fn load(p: *const A::Scalar) -> Self {
        // SAFETY: the caller vouches for `LANES` scalars, twice as many as one half.
        unsafe { Twin(A::load(p), A::load(p.add(A::LANES))) }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut A::Scalar) {
        // SAFETY: as in `load`.
        unsafe {
            self.0.store(p);
            self.1.store(p.add(A::LANES));
        }
    }
    #[inline(always)]
    fn map(self, f: impl Fn(A::Scalar) -> A::Scalar) -> Self {
        Twin(self.0.map(&f), self.1.map(&f))
    }
    #[inline(always)]
    fn zip(self, o: Self, f: impl Fn(A::Scalar, A::Scalar) -> A::Scalar) -> Self {
        Twin(self.0.zip(o.0, &f), self.1.zip(o.1, &f))
    }
    #[inline(always)]
    fn fma(self, a: Self, b: Self) -> Self {
        Twin(self.0.fma(a.0, b.0), self.1.fma(a.1, b.1))
    }
    #[inline(always)]
    fn fnma(self, a: Self, b: Self) -> Self {
        Twin(self.0.fnma(a.0, b.0), self.1.fnma(a.1, b.1))
    }
    #[inline(always)]
    fn select(m: Self::Mask, a: Self, b: Self) -> Self {
        Twin(A::select(m.0, a.0, b.0), A::select(m.1, a.1, b.1))
    }
    #[inline(always)]
    fn select_int(m: Self::Mask, a: Self::Int, b: Self::Int) -> Self::Int {
        Twin(A::select_int(m.0, a.0, b.0), A::select_int(m.1, a.1, b.1))
    }
    #[inline(always)]
    fn to_bits(self) -> Self::Int {
        Twin(self.0.to_bits(), self.1.to_bits())
    }
    #[inline(always)]
    fn from_bits(b: Self::Int) -> Self {
        Twin(A::from_bits(b.0), A::from_bits(b.1))
    }
    compare!(lt, le, eq);
    two!(copysign, min_or, max_or, ldexp, exp2_mul, atan2, powf);
    one!(abs, sqrt, floor, round_even, exp2, exp, ln, sin, cos, asin, acos, atan, rsqrt, sinxdivx, sinxdivx_prime);
    one!(xlogx, round, sign, step, relu);
}
