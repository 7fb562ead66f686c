//! The instructions of the GPU: thread indices, barrier, shared memory, and numbers computed with its arithmetic.

use crate::grid::Grid;
use crate::memory::Memory;
use crate::number::Number;
use core::arch::{asm, nvptx};
use keops_core::lanes::scalar::{Bool, I32x1, I64x1};
use keops_core::{Real, Scalar};

/// The thread that runs this code, and the grid around it.
#[derive(Debug, Clone, Copy)]
pub struct Device;

impl Grid for Device {
    type Shared<T: Number> = Shared;
    #[inline(always)]
    fn thread(self) -> u32 {
        // SAFETY: reads a register.
        unsafe { nvptx::_thread_idx_x() as u32 }
    }
    #[inline(always)]
    fn block(self) -> u32 {
        // SAFETY: reads a register.
        unsafe { nvptx::_block_idx_x() as u32 }
    }
    #[inline(always)]
    fn blocks(self) -> u32 {
        // SAFETY: reads a register.
        unsafe { nvptx::_grid_dim_x() as u32 }
    }
    #[inline(always)]
    fn barrier(self) {
        // SAFETY: kernels call it where all threads of a block pass.
        unsafe { nvptx::_syncthreads() }
    }
    #[inline(always)]
    fn fresh(self, v: u64) -> u64 {
        let same: u64;
        // SAFETY: copies a number.
        unsafe { asm!("mov.u64 {0}, {1};", out(reg64) same, in(reg64) v, options(nomem, nostack)) };
        same
    }
    #[inline(always)]
    fn shared<T: Number>(self) -> Shared {
        let address: u32;
        // SAFETY: takes the address of the array that `kernel_file!` declares.
        unsafe { asm!("mov.u32 {0}, keops_shared;", out(reg32) address, options(pure, nomem, nostack)) };
        Shared(address)
    }
}

/// The same number, of which the compiler knows nothing.
#[inline(always)]
pub(crate) fn opaque(n: usize) -> usize {
    let same: usize;
    // SAFETY: copies a number.
    unsafe { asm!("mov.u64 {0}, {1};", out(reg64) same, in(reg64) n, options(pure, nomem, nostack)) };
    same
}

/// An address in global memory, marked as such.
#[inline(always)]
pub(crate) fn global(address: u64) -> u64 {
    let same: u64;
    // SAFETY: converts an address there and back.
    unsafe {
        asm!("{{ .reg .u64 there; cvta.to.global.u64 there, {1}; cvta.global.u64 {0}, there; }}",
            out(reg64) same, in(reg64) address, options(pure, nomem, nostack));
    };
    same
}

/// The dynamic shared memory of the block.
#[derive(Debug, Clone, Copy)]
pub struct Shared(u32);

impl<T: Number> Memory<T> for Shared {
    #[inline(always)]
    unsafe fn load(self, at: u32) -> T {
        // SAFETY: promised by the caller.
        unsafe { T::load_shared(self.0 + at * size_of::<T>() as u32) }
    }
    #[inline(always)]
    unsafe fn pick(self, base: u32, k: u32) -> T {
        // SAFETY: promised by the caller.
        unsafe { T::pick_shared(self.0 + base * size_of::<T>() as u32, k) }
    }
    #[inline(always)]
    unsafe fn store(self, at: u32, v: T) {
        // SAFETY: promised by the caller.
        unsafe { T::store_shared(self.0 + at * size_of::<T>() as u32, v) }
    }
    /// Loads of shared memory are written as functions of their address, so that the compiler may order them as it likes:
    /// loads that it must not move stand in front of all arithmetic, and their results fill all registers. The address is
    /// therefore a new one after every barrier.
    #[inline(always)]
    fn staged(self) -> Self {
        let address: u32;
        // SAFETY: copies a number.
        unsafe { asm!("mov.u32 {0}, {1};", out(reg32) address, in(reg32) self.0, options(nostack)) };
        Shared(address)
    }
}

/// One `f32`.
#[derive(Debug, Clone, Copy)]
pub struct F32(f32);

/// One `f64`.
#[derive(Debug, Clone, Copy)]
pub struct F64(f64);

macro_rules! operator {
    ($real:ident, $trait:ident, $f:ident, $op:tt) => {
        impl core::ops::$trait for $real {
            type Output = Self;
            #[inline(always)]
            fn $f(self, o: Self) -> Self {
                $real(self.0 $op o.0)
            }
        }
    };
}

macro_rules! number {
    ($t:ident, $real:ident, $int:ident, $bits_ty:ident, $intrinsics:ident,
     fma: $fma:literal, sqrt: $sqrt:literal, floor: $floor:literal, round: $round:literal,
     overrides: { $($overrides:tt)* }) => {
        mod $intrinsics {
            #[allow(improper_ctypes)]
            unsafe extern "C" {
                #[link_name = $fma]
                pub(super) safe fn fma(a: $t, b: $t, c: $t) -> $t;
                #[link_name = $sqrt]
                pub(super) safe fn sqrt(a: $t) -> $t;
                #[link_name = $floor]
                pub(super) safe fn floor(a: $t) -> $t;
                #[link_name = $round]
                pub(super) safe fn round_even(a: $t) -> $t;
            }
        }
        operator!($real, Add, add, +);
        operator!($real, Sub, sub, -);
        operator!($real, Mul, mul, *);
        impl core::ops::Neg for $real {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                $real(-self.0)
            }
        }
        impl Real for $real {
            type Scalar = $t;
            type Mask = Bool;
            type Int = $int;
            const LANES: usize = 1;
            #[inline(always)]
            fn splat(v: $t) -> Self {
                $real(v)
            }
            #[inline(always)]
            unsafe fn load(p: *const $t) -> Self {
                // SAFETY: the caller vouches for one readable number; pointers to numbers are aligned on the device.
                $real(unsafe { p.read() })
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $t) {
                // SAFETY: as in `load`.
                unsafe { p.write(self.0) }
            }
            #[inline(always)]
            fn map(self, f: impl Fn($t) -> $t) -> Self {
                $real(f(self.0))
            }
            #[inline(always)]
            fn zip(self, other: Self, f: impl Fn($t, $t) -> $t) -> Self {
                $real(f(self.0, other.0))
            }
            #[inline(always)]
            fn fma(self, a: Self, b: Self) -> Self {
                $real($intrinsics::fma(self.0, a.0, b.0))
            }
            #[inline(always)]
            fn abs(self) -> Self {
                $real($t::from_bits(self.0.to_bits() & !(1 << ($t::BITS - 1))))
            }
            #[inline(always)]
            fn copysign(self, sign: Self) -> Self {
                let top: $bits_ty = 1 << ($t::BITS - 1);
                $real($t::from_bits((self.0.to_bits() & !top) | (sign.0.to_bits() & top)))
            }
            #[inline(always)]
            fn floor(self) -> Self {
                $real($intrinsics::floor(self.0))
            }
            #[inline(always)]
            fn round_even(self) -> Self {
                $real($intrinsics::round_even(self.0))
            }
            #[inline(always)]
            fn min_or(self, o: Self) -> Self {
                $real(if self.0 < o.0 { self.0 } else { o.0 })
            }
            #[inline(always)]
            fn max_or(self, o: Self) -> Self {
                $real(if self.0 > o.0 { self.0 } else { o.0 })
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
                $real($t::from_bits(b.0))
            }
            #[inline(always)]
            fn ldexp(self, n: Self) -> Self {
                keops_core::lanes::ldexp_in_two_steps(self, n)
            }
            $($overrides)*
        }
    };
}

/// A function of one `f32` that is one instruction.
macro_rules! instruction {
    ($vis:vis $f:ident, $text:literal) => {
        #[inline(always)]
        $vis fn $f(x: f32) -> f32 {
            let y;
            // SAFETY: arithmetic.
            unsafe { asm!($text, out(reg32) y, in(reg32) x, options(pure, nomem, nostack)) };
            y
        }
    };
}

instruction!(ex2, "ex2.approx.ftz.f32 {0}, {1};");
// The minus sign is part of the operand; what the compiler makes of it in front of assembly is an operation of its own.
instruction!(ex2_of_minus, "{{ .reg .f32 minus; neg.f32 minus, {1}; ex2.approx.ftz.f32 {0}, minus; }}");

unsafe extern "C" {
    #[link_name = "llvm.is.constant.f32"]
    safe fn is_constant(v: f32) -> bool;
}

#[cfg(feature = "fast-math")]
mod fast {
    use core::arch::asm;
    instruction!(pub(super) log2, "lg2.approx.f32 {0}, {1};");
    instruction!(pub(super) sin, "sin.approx.f32 {0}, {1};");
    instruction!(pub(super) cos, "cos.approx.f32 {0}, {1};");
    instruction!(pub(super) sqrt, "sqrt.approx.f32 {0}, {1};");
    instruction!(pub(super) rsqrt, "rsqrt.approx.f32 {0}, {1};");

    #[inline(always)]
    pub(super) fn quotient(a: f32, b: f32) -> f32 {
        let q;
        // SAFETY: arithmetic.
        unsafe {
            asm!("div.full.f32 {0}, {1}, {2};", out(reg32) q, in(reg32) a, in(reg32) b, options(pure, nomem, nostack));
        };
        q
    }
}

#[cfg(not(feature = "fast-math"))]
operator!(F32, Div, div, /);
operator!(F64, Div, div, /);

#[cfg(feature = "fast-math")]
impl core::ops::Div for F32 {
    type Output = Self;
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        F32(fast::quotient(self.0, o.0))
    }
}

number! {
    f32, F32, I32x1, u32, intrinsics_f32,
    fma: "llvm.fma.f32", sqrt: "llvm.sqrt.f32", floor: "llvm.floor.f32", round: "llvm.roundeven.f32",
    overrides: {
        /// The instruction is off by 2 ulp at most; it has neither subnormal arguments nor results.
        #[inline(always)]
        fn exp2_mul(self, c: Self) -> Self {
            F32(if is_constant(c.0) && c.0 == -1.0 { ex2_of_minus(self.0) } else { ex2(self.0 * c.0) })
        }
        #[cfg(not(feature = "fast-math"))]
        #[inline(always)]
        fn sqrt(self) -> Self {
            F32(intrinsics_f32::sqrt(self.0))
        }
        #[cfg(feature = "fast-math")]
        #[inline(always)]
        fn sqrt(self) -> Self {
            F32(fast::sqrt(self.0))
        }
        #[cfg(feature = "fast-math")]
        #[inline(always)]
        fn rsqrt(self) -> Self {
            F32(if self.0 == 0.0 { 0.0 } else { fast::rsqrt(self.0) })
        }
        #[cfg(feature = "fast-math")]
        #[inline(always)]
        fn exp2(self) -> Self {
            F32(ex2(self.0))
        }
        #[cfg(feature = "fast-math")]
        #[inline(always)]
        fn exp(self) -> Self {
            F32(ex2(self.0 * core::f32::consts::LOG2_E))
        }
        #[cfg(feature = "fast-math")]
        #[inline(always)]
        fn ln(self) -> Self {
            F32(fast::log2(self.0) * core::f32::consts::LN_2)
        }
        #[cfg(feature = "fast-math")]
        #[inline(always)]
        fn sin(self) -> Self {
            F32(fast::sin(self.0))
        }
        #[cfg(feature = "fast-math")]
        #[inline(always)]
        fn cos(self) -> Self {
            F32(fast::cos(self.0))
        }
    }
}

number! {
    f64, F64, I64x1, u64, intrinsics_f64,
    fma: "llvm.fma.f64", sqrt: "llvm.sqrt.f64", floor: "llvm.floor.f64", round: "llvm.roundeven.f64",
    overrides: {
        #[inline(always)]
        fn sqrt(self) -> Self {
            F64(intrinsics_f64::sqrt(self.0))
        }
    }
}

impl Number for f32 {
    type Real = F32;
    #[inline(always)]
    fn of(v: F32) -> f32 {
        v.0
    }
    #[inline(always)]
    fn larger(self, other: f32) -> f32 {
        self.max(other)
    }
    #[inline(always)]
    fn smaller(self, other: f32) -> f32 {
        self.min(other)
    }
    #[inline(always)]
    unsafe fn load_shared(address: u32) -> f32 {
        let v;
        // SAFETY: promised by the caller.
        unsafe { asm!("ld.shared.f32 {0}, [{1}];", out(reg32) v, in(reg32) address, options(pure, nomem, nostack)) };
        v
    }
    #[inline(always)]
    unsafe fn pick_shared(base: u32, k: u32) -> f32 {
        let (a, b, c, d);
        // SAFETY: promised by the caller.
        unsafe {
            asm!("ld.shared.v4.f32 {{{0}, {1}, {2}, {3}}}, [{4}];", out(reg32) a, out(reg32) b, out(reg32) c,
                out(reg32) d, in(reg32) base + k / 4 * 16, options(pure, nomem, nostack));
        };
        match k % 4 {
            0 => a,
            1 => b,
            2 => c,
            _ => d,
        }
    }
    #[inline(always)]
    unsafe fn store_shared(address: u32, v: f32) {
        // SAFETY: promised by the caller.
        unsafe { asm!("st.shared.f32 [{0}], {1};", in(reg32) address, in(reg32) v, options(nostack)) }
    }
}

impl Number for f64 {
    type Real = F64;
    #[inline(always)]
    fn of(v: F64) -> f64 {
        v.0
    }
    #[inline(always)]
    fn larger(self, other: f64) -> f64 {
        self.max(other)
    }
    #[inline(always)]
    fn smaller(self, other: f64) -> f64 {
        self.min(other)
    }
    #[inline(always)]
    unsafe fn load_shared(address: u32) -> f64 {
        let v;
        // SAFETY: promised by the caller.
        unsafe { asm!("ld.shared.f64 {0}, [{1}];", out(reg64) v, in(reg32) address, options(pure, nomem, nostack)) };
        v
    }
    #[inline(always)]
    unsafe fn pick_shared(base: u32, k: u32) -> f64 {
        let (a, b);
        // SAFETY: promised by the caller.
        unsafe {
            asm!("ld.shared.v2.f64 {{{0}, {1}}}, [{2}];", out(reg64) a, out(reg64) b, in(reg32) base + k / 2 * 16,
                options(pure, nomem, nostack));
        };
        if k % 2 == 0 { a } else { b }
    }
    #[inline(always)]
    unsafe fn store_shared(address: u32, v: f64) {
        // SAFETY: promised by the caller.
        unsafe { asm!("st.shared.f64 [{0}], {1};", in(reg32) address, in(reg64) v, options(nostack)) }
    }
}
