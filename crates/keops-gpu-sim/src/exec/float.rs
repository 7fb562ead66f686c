//! Floating-point arithmetic. Approximate instructions are computed exactly and rounded once.

use crate::ptx::program::{Alu, Class};

fn flush(value: f32) -> f32 {
    if value.is_subnormal() { 0f32.copysign(value) } else { value }
}

/// The result of a single-precision instruction, as bits.
pub(crate) fn single(alu: Alu, args: [u64; 3], ftz: bool, saturate: bool) -> u64 {
    let [a, b, c] = args.map(|v| {
        let value = f32::from_bits(v as u32);
        if ftz { flush(value) } else { value }
    });
    let exact = |f: fn(f64) -> f64| f(f64::from(a)) as f32;
    let value = match alu {
        Alu::Add => a + b,
        Alu::Sub => a - b,
        Alu::Mul => a * b,
        Alu::Fma => a.mul_add(b, c),
        Alu::Div => a / b,
        Alu::Min { nan } => least(f64::from(a), f64::from(b), nan) as f32,
        Alu::Max { nan } => -least(-f64::from(a), -f64::from(b), nan) as f32,
        Alu::Neg => -a,
        Alu::Abs => a.abs(),
        Alu::Copysign => b.copysign(a),
        Alu::Testp(class) => return u64::from(is(class, f64::from(a), a.is_subnormal())),
        Alu::Exp2 => exact(f64::exp2),
        Alu::Log2 => exact(f64::log2),
        Alu::Sqrt => a.sqrt(),
        Alu::Rsqrt => exact(|x| 1.0 / x.sqrt()),
        Alu::Rcp => 1.0 / a,
        Alu::Sin => exact(f64::sin),
        Alu::Cos => exact(f64::cos),
        Alu::Tanh => exact(f64::tanh),
        // Everything else never has a floating-point type in valid PTX.
        _ => f32::NAN,
    };
    let value = if ftz { flush(value) } else { value };
    let value = if saturate { clamp(f64::from(value)) as f32 } else { value };
    u64::from(canonical_single(value, alu).to_bits())
}

/// The result of a double-precision instruction, as bits.
pub(crate) fn double(alu: Alu, args: [u64; 3]) -> u64 {
    let [a, b, c] = args.map(f64::from_bits);
    let value = match alu {
        Alu::Add => a + b,
        Alu::Sub => a - b,
        Alu::Mul => a * b,
        Alu::Fma => a.mul_add(b, c),
        Alu::Div => a / b,
        Alu::Min { nan } => least(a, b, nan),
        Alu::Max { nan } => -least(-a, -b, nan),
        Alu::Neg => -a,
        Alu::Abs => a.abs(),
        Alu::Copysign => b.copysign(a),
        Alu::Testp(class) => return u64::from(is(class, a, a.is_subnormal())),
        Alu::Sqrt => a.sqrt(),
        Alu::Rsqrt => 1.0 / a.sqrt(),
        Alu::Rcp => 1.0 / a,
        // Other instructions have no double-precision form.
        _ => f64::NAN,
    };
    value.to_bits()
}

/// Single-precision arithmetic returns one NaN; instructions that only touch the sign keep the payload.
fn canonical_single(value: f32, alu: Alu) -> f32 {
    let sign_only = matches!(alu, Alu::Neg | Alu::Abs | Alu::Copysign);
    if value.is_nan() && !sign_only { f32::from_bits(0x7fff_ffff) } else { value }
}

/// The smaller number; -0 is smaller than 0. A NaN loses, or wins when `nan` is set.
fn least(a: f64, b: f64, nan: bool) -> f64 {
    if a.is_nan() || b.is_nan() {
        return if nan || a.is_nan() && b.is_nan() {
            f64::NAN
        } else if a.is_nan() {
            b
        } else {
            a
        };
    }
    if a < b || (a == b && a.is_sign_negative()) { a } else { b }
}

/// `.sat`: into [0, 1], NaN becomes 0.
pub(crate) fn clamp(value: f64) -> f64 {
    if value > 1.0 {
        1.0
    } else if value > 0.0 {
        value
    } else {
        0.0
    }
}

fn is(class: Class, value: f64, subnormal: bool) -> bool {
    match class {
        Class::Finite => value.is_finite(),
        Class::Infinite => value.is_infinite(),
        Class::Number => !value.is_nan(),
        Class::NotANumber => value.is_nan(),
        Class::Normal => value.is_finite() && value != 0.0 && !subnormal,
        Class::Subnormal => subnormal,
    }
}
