//! Every lane type behind one signature.

use crate::functions::Function;
use keops_core::Real;
use keops_core::lanes::{F32x1, F64x1};

/// A lane type as a function on slices.
pub(crate) struct Level<T> {
    pub(crate) name: &'static str,
    pub(crate) evaluate: fn(Function, &[T], &[T]) -> Vec<T>,
}

/// Evaluates whole packs; the last one is filled up with its first number.
#[inline(always)]
fn evaluate<R: Real>(f: Function, x: &[R::Scalar], y: &[R::Scalar]) -> Vec<R::Scalar> {
    let mut out = Vec::with_capacity(x.len());
    for (x, y) in x.chunks(R::LANES).zip(y.chunks(R::LANES)) {
        let pack = |v: &[R::Scalar]| {
            let mut full = vec![v[0]; R::LANES];
            full[..v.len()].copy_from_slice(v);
            // SAFETY: `full` holds `LANES` numbers.
            unsafe { R::load(full.as_ptr()) }
        };
        let mut result = vec![x[0]; R::LANES];
        // SAFETY: `result` holds `LANES` numbers.
        unsafe { f.apply(pack(x), pack(y)).store(result.as_mut_ptr()) };
        out.extend_from_slice(&result[..x.len()]);
    }
    out
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Function, evaluate};
    use keops_core::lanes::{F32x8, F32x16, F64x4, F64x8};

    macro_rules! shell {
        ($name:ident, $lane:ident, $t:ident, $features:literal) => {
            /// # Safety
            /// The processor must have the features.
            #[target_feature(enable = $features)]
            unsafe fn $name(f: Function, x: &[$t], y: &[$t]) -> Vec<$t> {
                evaluate::<$lane>(f, x, y)
            }
        };
    }
    shell!(f32x8, F32x8, f32, "avx2,fma");
    shell!(f64x4, F64x4, f64, "avx2,fma");
    shell!(f32x16, F32x16, f32, "avx512f,avx512dq,avx512bw,avx512vl,avx2,fma");
    shell!(f64x8, F64x8, f64, "avx512f,avx512dq,avx512bw,avx512vl,avx2,fma");

    fn has_avx2() -> bool {
        is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
    }
    fn has_avx512() -> bool {
        has_avx2()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
    }

    macro_rules! add {
        ($levels:ident, $has:ident, $name:ident, $lane:ident) => {
            if $has() {
                // SAFETY: the features were detected.
                $levels.push(super::Level { name: stringify!($lane), evaluate: |f, x, y| unsafe { $name(f, x, y) } });
            }
        };
    }
    pub(super) fn add_f32(levels: &mut Vec<super::Level<f32>>) {
        add!(levels, has_avx2, f32x8, F32x8);
        add!(levels, has_avx512, f32x16, F32x16);
    }
    pub(super) fn add_f64(levels: &mut Vec<super::Level<f64>>) {
        add!(levels, has_avx2, f64x4, F64x4);
        add!(levels, has_avx512, f64x8, F64x8);
    }
}

#[cfg(target_arch = "aarch64")]
mod arm {
    use super::{Function, evaluate};
    use keops_core::lanes::{F32x4, F64x2};

    macro_rules! level {
        ($add:ident, $name:ident, $lane:ident, $t:ident) => {
            /// # Safety
            /// The processor must have NEON.
            #[target_feature(enable = "neon")]
            unsafe fn $name(f: Function, x: &[$t], y: &[$t]) -> Vec<$t> {
                evaluate::<$lane>(f, x, y)
            }
            pub(super) fn $add(levels: &mut Vec<super::Level<$t>>) {
                if std::arch::is_aarch64_feature_detected!("neon") {
                    // SAFETY: the feature was detected.
                    let evaluate = |f: Function, x: &[$t], y: &[$t]| unsafe { $name(f, x, y) };
                    levels.push(super::Level { name: stringify!($lane), evaluate });
                }
            }
        };
    }
    level!(add_f32, f32x4, F32x4, f32);
    level!(add_f64, f64x2, F64x2, f64);
}

/// The `f32` lane types of this machine.
pub(crate) fn single() -> Vec<Level<f32>> {
    #[allow(unused_mut)]
    let mut levels = vec![Level { name: "F32x1", evaluate: evaluate::<F32x1> as fn(_, &[f32], &[f32]) -> _ }];
    #[cfg(target_arch = "x86_64")]
    x86::add_f32(&mut levels);
    #[cfg(target_arch = "aarch64")]
    arm::add_f32(&mut levels);
    levels
}

/// The `f64` lane types of this machine.
pub(crate) fn double() -> Vec<Level<f64>> {
    #[allow(unused_mut)]
    let mut levels = vec![Level { name: "F64x1", evaluate: evaluate::<F64x1> as fn(_, &[f64], &[f64]) -> _ }];
    #[cfg(target_arch = "x86_64")]
    x86::add_f64(&mut levels);
    #[cfg(target_arch = "aarch64")]
    arm::add_f64(&mut levels);
    levels
}
