//! Run-time dispatch: a [`Kernel`] is compiled once per instruction level, inside a shell that enables its instructions.

use crate::options::Level;
use keops_core::{Real, Scalar};

/// Work that is generic over the lane type. `run` must be `#[inline(always)]` all the way down, so that everything
/// ends up inside the shell.
pub(super) trait Kernel<T: Scalar> {
    /// Does the work with lanes `L`.
    fn run<L: Real<Scalar = T>>(self);
}

/// Runs `kernel` on lanes of `level`, which the processor must have (the options check it).
pub(super) fn dispatch<T: Scalar, K: Kernel<T>>(level: Level, kernel: K) {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => {
            debug_assert!(level.is_available());
            // SAFETY: `Options` admits a level only if `is_available` found its instructions.
            unsafe { avx512(kernel) }
        }
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => {
            debug_assert!(level.is_available());
            // SAFETY: as above.
            unsafe { avx2(kernel) }
        }
        #[cfg(target_arch = "aarch64")]
        Level::Neon => {
            debug_assert!(level.is_available());
            // SAFETY: `Options` admits a level only if `is_available` found its instructions.
            unsafe { neon(kernel) }
        }
        _ => kernel.run::<T::Lane>(),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma")]
unsafe fn avx512<T: Scalar, K: Kernel<T>>(kernel: K) {
    kernel.run::<T::Avx512>();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<T: Scalar, K: Kernel<T>>(kernel: K) {
    kernel.run::<T::Avx2>();
}

#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon")]
unsafe fn neon<T: Scalar, K: Kernel<T>>(kernel: K) {
    kernel.run::<T::Neon>();
}
