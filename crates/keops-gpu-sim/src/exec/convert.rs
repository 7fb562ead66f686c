//! `cvt`: conversions between all types.

use super::compute::{Computation, unary};
use crate::ptx::types::{Type, sign_extend, truncate};

/// The conversion from one type to another. Numbers are rounded to nearest even, or, with a `rounding` that ends in
/// `i`, to an integer in that direction; other roundings are not supported.
pub(crate) fn convert(to: Type, from: Type, rounding: Option<&str>) -> Option<Computation> {
    let integral: Option<fn(f64) -> f64> = match rounding {
        None | Some("rn") => None,
        Some("rni") => Some(f64::round_ties_even),
        Some("rzi") => Some(f64::trunc),
        Some("rmi") => Some(f64::floor),
        Some("rpi") => Some(f64::ceil),
        Some(_) => return None,
    };
    let extend = move |v: u64| if from.is_signed() { sign_extend(v, from.bits) } else { truncate(v, from.bits) };
    Some(match (from.is_float(), to.is_float()) {
        (false, false) => unary(move |v: u64| truncate(extend(v), to.bits)),
        (false, true) => unary(move |v: u64| match (from.is_signed(), to.bits) {
            (true, 32) => u64::from((extend(v) as i64 as f32).to_bits()),
            (false, 32) => u64::from((extend(v) as f32).to_bits()),
            (true, _) => (extend(v) as i64 as f64).to_bits(),
            (false, _) => (extend(v) as f64).to_bits(),
        }),
        // `as` saturates and maps NaN to 0, as the hardware does.
        (true, false) => {
            let (integral, (least, most)) = (integral?, limits(to));
            unary(move |v: u64| truncate((integral(double(v, from)) as i128).clamp(least, most) as u64, to.bits))
        }
        (true, true) => unary(move |v: u64| {
            let value = double(v, from);
            let value = integral.map_or(value, |f| f(value));
            if to.bits == 64 { value.to_bits() } else { u64::from((value as f32).to_bits()) }
        }),
    })
}

/// The least and the greatest integer of a type.
fn limits(ty: Type) -> (i128, i128) {
    if ty.is_signed() { (-1 << (ty.bits - 1), (1 << (ty.bits - 1)) - 1) } else { (0, (1 << ty.bits) - 1) }
}

fn double(bits: u64, ty: Type) -> f64 {
    if ty.bits == 64 { f64::from_bits(bits) } else { f64::from(f32::from_bits(bits as u32)) }
}
