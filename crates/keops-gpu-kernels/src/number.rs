//! [`Number`]: the number types of kernels, and what they are computed with on this target.

use keops_core::{Real, Scalar};

/// `f32` and `f64`, as kernels see them.
pub trait Number: Scalar {
    /// One number as a [`Real`]: on a GPU with the instructions it has.
    type Real: Real<Scalar = Self>;
    /// The number in it.
    fn of(v: Self::Real) -> Self;
    /// The larger of two numbers; of a number and a NaN, the number.
    fn larger(self, other: Self) -> Self;
    /// The smaller of two numbers; of a number and a NaN, the number.
    fn smaller(self, other: Self) -> Self;

    /// Reads from shared memory.
    ///
    /// # Safety
    /// `address` must be that of an aligned, initialised number in shared memory.
    #[cfg(target_arch = "nvptx64")]
    unsafe fn load_shared(address: u32) -> Self;
    /// Reads number `k` behind `base` together with its neighbours; see [`crate::memory::Memory::pick`].
    ///
    /// # Safety
    /// As for [`Number::load_shared`], for the neighbours too; `base` must be a multiple of 16.
    #[cfg(target_arch = "nvptx64")]
    unsafe fn pick_shared(base: u32, k: u32) -> Self;
    /// Writes to shared memory.
    ///
    /// # Safety
    /// `address` must be an aligned address in shared memory.
    #[cfg(target_arch = "nvptx64")]
    unsafe fn store_shared(address: u32, v: Self);
}

/// The same number, of which the compiler knows nothing: a loop that ends there is not unrolled.
#[inline(always)]
pub(crate) fn opaque(n: usize) -> usize {
    #[cfg(target_arch = "nvptx64")]
    return crate::device::opaque(n);
    #[cfg(not(target_arch = "nvptx64"))]
    n
}

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use super::Number;
    use keops_core::lanes::{F32x1, F64x1};

    macro_rules! number {
        ($t:ident, $real:ident) => {
            impl Number for $t {
                type Real = $real;
                #[inline(always)]
                fn of(v: $real) -> $t {
                    v.0
                }
                #[inline(always)]
                fn larger(self, other: $t) -> $t {
                    self.max(other)
                }
                #[inline(always)]
                fn smaller(self, other: $t) -> $t {
                    self.min(other)
                }
            }
        };
    }
    number!(f32, F32x1);
    number!(f64, F64x1);
}

/// Is it anything but NaN?
#[inline(always)]
#[allow(clippy::eq_op, reason = "that is what NaN is")]
pub(crate) fn is_number<T: PartialEq + Copy>(v: T) -> bool {
    v == v
}
