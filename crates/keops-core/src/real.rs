//! [`Real`]: a value of a formula as one machine value, be it one number, a SIMD register or a tile of registers.
//!
//! An emitted formula is generic over `Real` and therefore the same text for every engine. A lane type supplies the
//! *primitive* operations below, each of which is one or a few instructions; everything else (`exp`, `sin`, …) has a
//! default in [`crate::math`] written in terms of the primitives, which a lane type overrides where its hardware has
//! something better.
//!
//! Comparisons follow IEEE 754 (any comparison with a NaN is false), and no operation panics.

use core::fmt::Debug;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// The element types of the arrays: `f32` and `f64`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number type of formulas",
    label = "expected data of `f32` or `f64`"
)]
pub trait Scalar: Copy + Debug + Default + PartialEq + PartialOrd + Send + Sync + 'static {
    /// 32 or 64; lets generic maths choose its coefficients at compile time.
    const BITS: u32;
    /// Short name, as Rust spells it.
    const NAME: &'static str;
    /// One lane of this type.
    type Lane: Real<Scalar = Self>;
    /// Lanes of an AVX2 register.
    #[cfg(target_arch = "x86_64")]
    type Avx2: Real<Scalar = Self>;
    /// Lanes of an AVX-512 register.
    #[cfg(target_arch = "x86_64")]
    type Avx512: Real<Scalar = Self>;
    /// Lanes of a NEON register.
    #[cfg(target_arch = "aarch64")]
    type Neon: Real<Scalar = Self>;
    /// Nearest value to `v`.
    fn from_f64(v: f64) -> Self;
    /// The same value as `f64` (exact).
    fn to_f64(self) -> f64;
    /// The bits, zero-extended.
    fn to_raw(self) -> u64;
    /// The value with these (low) bits.
    fn from_raw(bits: u64) -> Self;
}

/// One truth value per lane.
pub trait Mask: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {
    /// Is it set in at least one lane?
    fn any(self) -> bool;
    /// Is it set in every lane?
    fn all(self) -> bool;
}

/// Integer lanes as wide as the lanes of a [`Real`] (32 or 64 bits each); arithmetic wraps.
pub trait Int: Copy + Add<Output = Self> + Sub<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self> {
    /// The same integer in every lane (truncated to the lane's width).
    fn splat(v: i64) -> Self;
    /// Bits moved up by `N`.
    fn shl<const N: u32>(self) -> Self;
    /// Bits moved down by `N`, zeros from above.
    fn shr<const N: u32>(self) -> Self;
}

/// A pack of floating-point lanes.
pub trait Real:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// Type of one lane.
    type Scalar: Scalar;
    /// Result of comparisons.
    type Mask: Mask;
    /// Integer lanes of the same width.
    type Int: Int;
    /// How many numbers one value holds.
    const LANES: usize;

    /// The same number in every lane.
    fn splat(v: Self::Scalar) -> Self;
    /// A constant, rounded once to the lane type.
    #[inline(always)]
    fn lit(v: f64) -> Self {
        Self::splat(Self::Scalar::from_f64(v))
    }

    /// Reads `LANES` numbers.
    ///
    /// # Safety
    /// `p` must be valid for reading `LANES` scalars (no alignment beyond the scalar's is needed).
    unsafe fn load(p: *const Self::Scalar) -> Self;
    /// Writes `LANES` numbers.
    ///
    /// # Safety
    /// `p` must be valid for writing `LANES` scalars.
    unsafe fn store(self, p: *mut Self::Scalar);
    /// Reads number `k` of each of `LANES` records of `width` numbers that lie one after the other.
    ///
    /// # Safety
    /// `records` must be valid for reading `LANES · width` scalars, and `k < width`.
    #[inline(always)]
    unsafe fn load_component(records: *const Self::Scalar, width: usize, k: usize) -> Self {
        // SAFETY: promised by the caller.
        unsafe { crate::lanes::gather(records, width, k) }
    }
    /// Applies a scalar function to each lane: the slow path of functions that have no lane form.
    #[inline(always)]
    fn map(self, f: impl Fn(Self::Scalar) -> Self::Scalar) -> Self {
        self.zip(self, |v, _| f(v))
    }
    /// Applies a scalar function of two arguments to each pair of lanes.
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(Self::Scalar, Self::Scalar) -> Self::Scalar) -> Self {
        const { assert!(Self::LANES <= 16, "wider types apply it to their halves") };
        let (mut a, mut b) = ([Self::Scalar::default(); 16], [Self::Scalar::default(); 16]);
        // SAFETY: the arrays hold a register of at most 16 lanes.
        unsafe {
            self.store(a.as_mut_ptr());
            other.store(b.as_mut_ptr());
        }
        for lane in 0..Self::LANES {
            a[lane] = f(a[lane], b[lane]);
        }
        // SAFETY: as above.
        unsafe { Self::load(a.as_ptr()) }
    }

    /// `self · a + b`: fused where the hardware has it, otherwise a product and a sum (never a library call).
    fn fma(self, a: Self, b: Self) -> Self;
    /// `b − self · a`.
    #[inline(always)]
    fn fnma(self, a: Self, b: Self) -> Self {
        (-self).fma(a, b)
    }
    /// `|self|` (clears the sign bit, also of a NaN).
    fn abs(self) -> Self;
    /// The magnitude of `self` with the sign of `sign`.
    fn copysign(self, sign: Self) -> Self;
    /// IEEE square root.
    fn sqrt(self) -> Self;
    /// Largest integer not above.
    fn floor(self) -> Self;
    /// Nearest integer, ties to even.
    fn round_even(self) -> Self;
    /// `if self < other { self } else { other }`: a NaN on either side gives `other`.
    fn min_or(self, other: Self) -> Self;
    /// `if self > other { self } else { other }`: a NaN on either side gives `other`.
    fn max_or(self, other: Self) -> Self;

    /// `self < other`.
    fn lt(self, other: Self) -> Self::Mask;
    /// `self <= other`.
    fn le(self, other: Self) -> Self::Mask;
    /// `self == other`.
    fn eq(self, other: Self) -> Self::Mask;
    /// `if mask { a } else { b }`, lane by lane; the value not taken has no effect, NaN or not.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
    /// The same choice for integer lanes.
    fn select_int(mask: Self::Mask, a: Self::Int, b: Self::Int) -> Self::Int;

    /// The bits of the lanes.
    fn to_bits(self) -> Self::Int;
    /// Lanes from their bits.
    fn from_bits(bits: Self::Int) -> Self;
    /// `self · 2ⁿ` for `self` in [1/4, 4] and integer-valued `n`, rounded once: right also where the result is
    /// subnormal, zero or infinite, for any `n` up to ±∞.
    fn ldexp(self, n: Self) -> Self;

    /// `2^self`.
    #[inline(always)]
    fn exp2(self) -> Self {
        crate::math::exp2(self)
    }
    /// `2^(self · c)`, with the product rounded to the lane type: the exponential of the inner loops.
    ///
    /// Where that is faster, results below the normal numbers may be off by as much as the smallest normal number
    /// (2^−∞ is 0 all the same) and those above 2^127.9 infinite; everything else is as for [`Real::exp2`].
    #[inline(always)]
    fn exp2_mul(self, c: Self) -> Self {
        (self * c).exp2()
    }
    /// `e^self`.
    #[inline(always)]
    fn exp(self) -> Self {
        crate::math::exp(self)
    }
    /// Natural logarithm.
    #[inline(always)]
    fn ln(self) -> Self {
        crate::math::ln(self)
    }
    /// Sine (radians).
    #[inline(always)]
    fn sin(self) -> Self {
        crate::math::sin(self)
    }
    /// Cosine (radians).
    #[inline(always)]
    fn cos(self) -> Self {
        crate::math::cos(self)
    }
    /// Inverse sine, NaN outside [−1, 1].
    #[inline(always)]
    fn asin(self) -> Self {
        crate::math::asin(self)
    }
    /// Inverse cosine, NaN outside [−1, 1].
    #[inline(always)]
    fn acos(self) -> Self {
        crate::math::acos(self)
    }
    /// Inverse tangent.
    #[inline(always)]
    fn atan(self) -> Self {
        crate::math::atan(self)
    }
    /// Angle of the point (`x`, `self`), quadrants as in C.
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        crate::math::atan2(self, x)
    }
    /// `self^h` as C's `pow`, in full precision.
    #[inline(always)]
    fn powf(self, h: Self) -> Self {
        crate::math::powf(self, h)
    }
    /// `1 / √self`, and 0 at ±0.
    #[inline(always)]
    fn rsqrt(self) -> Self {
        crate::math::rsqrt(self)
    }
    /// `sin(self) / self`, 1 at 0.
    #[inline(always)]
    fn sinxdivx(self) -> Self {
        crate::math::sinxdivx(self)
    }
    /// Derivative of [`Real::sinxdivx`], without cancellation near 0.
    #[inline(always)]
    fn sinxdivx_prime(self) -> Self {
        crate::math::sinxdivx_prime(self)
    }
    /// `self · ln(self)`, 0 at ±0.
    #[inline(always)]
    fn xlogx(self) -> Self {
        crate::math::xlogx(self)
    }
    /// `e^self − 1`, without cancellation near 0.
    #[inline(always)]
    fn expm1(self) -> Self {
        crate::math::expm1(self)
    }
    /// `ln(1 + self)`, without cancellation near 0.
    #[inline(always)]
    fn log1p(self) -> Self {
        crate::math::log1p(self)
    }
    /// Hyperbolic tangent.
    #[inline(always)]
    fn tanh(self) -> Self {
        crate::math::tanh(self)
    }
    /// Logistic function, `1 / (1 + e^−self)`.
    #[inline(always)]
    fn sigmoid(self) -> Self {
        crate::math::sigmoid(self)
    }
    /// `ln(1 + e^self)`.
    #[inline(always)]
    fn softplus(self) -> Self {
        crate::math::softplus(self)
    }
    /// Error function.
    #[inline(always)]
    fn erf(self) -> Self {
        crate::math::erf(self)
    }
    /// Nearest integer, halves away from zero.
    #[inline(always)]
    fn round(self) -> Self {
        crate::math::round(self)
    }
    /// −1, 0 or 1; 0 for a NaN.
    #[inline(always)]
    fn sign(self) -> Self {
        crate::math::sign(self)
    }
    /// 0 where `self < 0`, else 1 (also for a NaN).
    #[inline(always)]
    fn step(self) -> Self {
        Self::select(self.lt(Self::lit(0.0)), Self::lit(0.0), Self::lit(1.0))
    }
    /// 0 where `self < 0`, else `self`.
    #[inline(always)]
    fn relu(self) -> Self {
        Self::select(self.lt(Self::lit(0.0)), Self::lit(0.0), self)
    }
    /// 1 where `mask`, else 0.
    #[inline(always)]
    fn from_mask(mask: Self::Mask) -> Self {
        Self::select(mask, Self::lit(1.0), Self::lit(0.0))
    }
}
