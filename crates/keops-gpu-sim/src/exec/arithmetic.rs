//! Integer and bit arithmetic. Registers may hold more bits than an instruction's type: inputs are cut to it.

use super::float;
use crate::ptx::program::Alu;
use crate::ptx::types::{Type, signed, truncate};

/// The result of an instruction with up to three arguments.
pub(crate) fn evaluate(alu: Alu, ty: Type, args: [u64; 3], ftz: bool, saturate: bool) -> u64 {
    match (ty, alu) {
        (_, Alu::Mov) => truncate(args[0], ty.bits()),
        (_, Alu::Select) => truncate(if args[2] & 1 != 0 { args[0] } else { args[1] }, ty.bits()),
        (Type::Float(32), _) => float::single(alu, args, ftz, saturate),
        (Type::Float(_), _) => float::double(alu, args),
        _ if ty.is_signed() => with_sign(alu, ty.bits(), args, saturate),
        _ => without_sign(alu, ty.bits(), args),
    }
}

/// Instructions whose signed form differs from the unsigned one.
fn with_sign(alu: Alu, bits: u32, args: [u64; 3], saturate: bool) -> u64 {
    let [a, b, c] = args.map(|v| i128::from(signed(v, bits)));
    let value = match alu {
        Alu::Add if saturate => (a + b).clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        Alu::Sub if saturate => (a - b).clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        Alu::MulHi => (a * b) >> bits,
        Alu::MadHi => ((a * b) >> bits) + c,
        Alu::MulWide => return truncate((a * b) as u64, 2 * bits),
        // The addend has twice the width.
        Alu::MadWide => return truncate(((a * b) as u64).wrapping_add(args[2]), 2 * bits),
        Alu::Div if b == 0 => -1,
        Alu::Div => a / b,
        Alu::Rem if b == 0 => -1,
        Alu::Rem => a % b,
        Alu::Min { .. } => a.min(b),
        Alu::Max { .. } => a.max(b),
        Alu::Abs => a.abs(),
        Alu::Shr => a >> (args[1] as u32).min(bits - 1),
        Alu::Bfe => {
            let (from, len) = ((args[1] & 0xff) as u32, (args[2] & 0xff) as u32);
            let top = (from + len).min(bits);
            if len == 0 {
                0
            } else if from >= bits {
                a >> (bits - 1)
            } else {
                i128::from(signed(args[0], top)) >> from
            }
        }
        _ => return without_sign(alu, bits, args),
    };
    truncate(value as u64, bits)
}

fn without_sign(alu: Alu, bits: u32, args: [u64; 3]) -> u64 {
    let [a, b, c] = args.map(|v| truncate(v, bits));
    let wide = |a: u64, b: u64| u128::from(a) * u128::from(b);
    let amount = args[1] & 0xffff_ffff;
    let value = match alu {
        Alu::Add => a.wrapping_add(b),
        Alu::Sub => a.wrapping_sub(b),
        Alu::Mul => a.wrapping_mul(b),
        Alu::MulHi => (wide(a, b) >> bits) as u64,
        Alu::MulWide => return truncate(wide(a, b) as u64, 2 * bits),
        Alu::Mad => a.wrapping_mul(b).wrapping_add(c),
        Alu::MadHi => ((wide(a, b) >> bits) as u64).wrapping_add(c),
        Alu::MadWide => return truncate((wide(a, b) as u64).wrapping_add(args[2]), 2 * bits),
        // The hardware gives all ones.
        Alu::Div => a.checked_div(b).unwrap_or(u64::MAX),
        Alu::Rem => a.checked_rem(b).unwrap_or(u64::MAX),
        Alu::Min { .. } => a.min(b),
        Alu::Max { .. } => a.max(b),
        Alu::Neg => a.wrapping_neg(),
        Alu::And => a & b,
        Alu::Or => a | b,
        Alu::Xor => a ^ b,
        Alu::Not => !a,
        Alu::Cnot => u64::from(a == 0),
        Alu::Shl if amount >= u64::from(bits) => 0,
        Alu::Shl => a << amount,
        Alu::Shr if amount >= u64::from(bits) => 0,
        Alu::Shr => a >> amount,
        Alu::Funnel { left, wrap } => funnel(a, b, args[2] as u32, left, wrap),
        Alu::Lop3(table) => lop3(a, b, c, table),
        Alu::Prmt => permute(a, b, c),
        Alu::Bfe => {
            let (from, len) = ((args[1] & 0xff) as u32, (args[2] & 0xff) as u32);
            if from >= bits { 0 } else { truncate(a >> from, len) }
        }
        Alu::Popc => u64::from(a.count_ones()),
        Alu::Clz => u64::from(a.leading_zeros() + bits - 64),
        Alu::Brev => a.reverse_bits() >> (64 - bits),
        // The rest is floating-point.
        _ => 0,
    };
    truncate(value, bits)
}

fn funnel(low: u64, high: u64, amount: u32, left: bool, wrap: bool) -> u64 {
    let amount = if wrap { amount & 31 } else { amount.min(32) };
    let both = high << 32 | low;
    if left { (u128::from(both) << amount >> 32) as u64 } else { both >> amount }
}

fn lop3(a: u64, b: u64, c: u64, table: u8) -> u64 {
    let pick = |input: u64, wanted: bool| if wanted { input } else { !input };
    (0..8u8)
        .filter(|row| table >> row & 1 != 0)
        .map(|row| pick(a, row & 4 != 0) & pick(b, row & 2 != 0) & pick(c, row & 1 != 0))
        .fold(0, |all, row| all | row)
}

/// `prmt`: each nibble of the selector picks a byte of (b, a); its top bit spreads that byte's sign.
fn permute(a: u64, b: u64, selector: u64) -> u64 {
    let bytes = (b << 32 | a).to_le_bytes();
    (0..4).fold(0, |all, k| {
        let nibble = selector >> (4 * k) & 0xf;
        let byte = bytes[(nibble & 7) as usize];
        let byte = if nibble & 8 == 0 { byte } else { ((byte as i8) >> 7) as u8 };
        all | u64::from(byte) << (8 * k)
    })
}

/// `bfi`: `a`'s low `len` bits into `b` from bit `from` on.
pub(crate) fn bit_insert(ty: Type, [a, b, from, len]: [u64; 4]) -> u64 {
    let (from, len) = ((from & 0xff) as u32, (len & 0xff) as u32);
    if from >= ty.bits() {
        return truncate(b, ty.bits());
    }
    let mask = truncate(u64::MAX, len) << from;
    truncate((b & !mask) | (a << from & mask), ty.bits())
}
