//! Read-modify-write operations on one value.

use crate::ptx::program::Atomic;
use crate::ptx::types::{Type, signed, truncate};

/// The value that replaces `old`.
pub(crate) fn update(op: Atomic, ty: Type, old: u64, [a, b]: [u64; 2]) -> u64 {
    let bits = ty.bits();
    let (first, second) = (truncate(old, bits), truncate(a, bits));
    let less = match ty {
        Type::Signed(_) => signed(a, bits) < signed(old, bits),
        Type::Float(32) => f32::from_bits(a as u32) < f32::from_bits(old as u32),
        Type::Float(_) => f64::from_bits(a) < f64::from_bits(old),
        _ => second < first,
    };
    let value = match (op, ty) {
        (Atomic::Add, Type::Float(32)) => u64::from((f32::from_bits(old as u32) + f32::from_bits(a as u32)).to_bits()),
        (Atomic::Add, Type::Float(_)) => (f64::from_bits(old) + f64::from_bits(a)).to_bits(),
        (Atomic::Add, _) => old.wrapping_add(a),
        (Atomic::Min, _) => {
            if less {
                a
            } else {
                old
            }
        }
        (Atomic::Max, _) => {
            if less {
                old
            } else {
                a
            }
        }
        (Atomic::Exchange, _) => a,
        (Atomic::CompareAndSwap, _) => {
            if first == second {
                b
            } else {
                old
            }
        }
        (Atomic::And, _) => old & a,
        (Atomic::Or, _) => old | a,
        (Atomic::Xor, _) => old ^ a,
        (Atomic::Increment, _) => {
            if first >= second {
                0
            } else {
                first + 1
            }
        }
        (Atomic::Decrement, _) => {
            if first == 0 || first > second {
                second
            } else {
                first - 1
            }
        }
    };
    truncate(value, bits)
}
