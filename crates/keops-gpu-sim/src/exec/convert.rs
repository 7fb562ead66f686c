//! `cvt`: conversions between all types, with the rounding the instruction names.

use super::float::clamp;
use crate::ptx::program::{Conversion, Rounding};
use crate::ptx::types::{Type, signed, truncate};

/// Converts a register's value.
pub(crate) fn convert(how: Conversion, value: u64) -> u64 {
    match (how.from, how.to) {
        (Type::Float(_), Type::Float(_)) => float_to_float(how, value),
        (Type::Float(_), _) => float_to_integer(how, value),
        (_, Type::Float(_)) => {
            let value = integer(how.from, value);
            let rounded = if how.to == Type::Float(32) {
                round_to_single(value as f32, |f| (f as i128).cmp(&value), how.rounding)
            } else {
                return integer_to_double(value, how.rounding).to_bits();
            };
            u64::from(rounded.to_bits())
        }
        _ => {
            let value = integer(how.from, value);
            let value = if how.saturate { saturated(value, how.to) } else { value };
            truncate(value as u64, how.to.bits())
        }
    }
}

fn integer(ty: Type, value: u64) -> i128 {
    if ty.is_signed() { i128::from(signed(value, ty.bits())) } else { i128::from(truncate(value, ty.bits())) }
}

fn saturated(value: i128, to: Type) -> i128 {
    let bits = to.bits();
    if to.is_signed() {
        value.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        value.clamp(0, (1 << bits) - 1)
    }
}

fn round_to_single(nearest: f32, against: impl Fn(f32) -> std::cmp::Ordering, rounding: Rounding) -> f32 {
    use std::cmp::Ordering::{Greater, Less};
    match (against(nearest), rounding) {
        (Greater, Rounding::Down) => nearest.next_down(),
        (Less, Rounding::Up) => nearest.next_up(),
        (Greater, Rounding::Zero) if nearest > 0.0 => nearest.next_down(),
        (Less, Rounding::Zero) if nearest < 0.0 => nearest.next_up(),
        _ => nearest,
    }
}

fn integer_to_double(value: i128, rounding: Rounding) -> f64 {
    let nearest = value as f64;
    match ((nearest as i128).cmp(&value), rounding) {
        (std::cmp::Ordering::Greater, Rounding::Down) => nearest.next_down(),
        (std::cmp::Ordering::Less, Rounding::Up) => nearest.next_up(),
        (std::cmp::Ordering::Greater, Rounding::Zero) if nearest > 0.0 => nearest.next_down(),
        (std::cmp::Ordering::Less, Rounding::Zero) if nearest < 0.0 => nearest.next_up(),
        _ => nearest,
    }
}

fn float(ty: Type, value: u64, flush: bool) -> f64 {
    if ty == Type::Float(64) {
        return f64::from_bits(value);
    }
    let single = f32::from_bits(value as u32);
    f64::from(if flush && single.is_subnormal() { 0f32.copysign(single) } else { single })
}

fn to_integral(value: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::Zero => value.trunc(),
        Rounding::Down => value.floor(),
        Rounding::Up => value.ceil(),
        Rounding::Nearest | Rounding::Default => value.round_ties_even(),
    }
}

fn float_to_integer(how: Conversion, value: u64) -> u64 {
    let value = to_integral(float(how.from, value, how.flush), how.rounding);
    // `as` saturates and maps NaN to 0, as the hardware does.
    truncate(saturated(value as i128, how.to) as u64, how.to.bits())
}

fn float_to_float(how: Conversion, value: u64) -> u64 {
    let mut value = float(how.from, value, how.flush);
    if how.to_integer {
        value = to_integral(value, how.rounding);
    }
    if how.saturate {
        value = clamp(value);
    }
    if how.to == Type::Float(64) {
        return value.to_bits();
    }
    let order = |f: f32| f64::from(f).partial_cmp(&value).unwrap_or(std::cmp::Ordering::Equal);
    let single = round_to_single(value as f32, order, how.rounding);
    let single = if how.flush && single.is_subnormal() { 0f32.copysign(single) } else { single };
    u64::from(if single.is_nan() { 0x7fff_ffff } else { single.to_bits() })
}
