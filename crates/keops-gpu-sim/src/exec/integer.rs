//! Integer and bit arithmetic.

use super::compute::{Computation, binary, comparison, ternary, unary};
use crate::ptx::types::Type;

/// The instruction that `key` names on integers.
pub(super) fn find(key: &str, ty: Type) -> Option<Computation> {
    match (ty.is_signed(), ty.bits) {
        (true, 16) => short::signed(key),
        (true, 32) => word::signed(key).or_else(|| words(key)),
        (true, 64) => long::signed(key),
        (false, 16) => short::unsigned(key),
        (false, 32) => word::unsigned(key).or_else(|| words(key)),
        (false, 64) => long::unsigned(key),
        _ => None,
    }
}

/// Instructions on integers of each width; `$wide` has twice the bits.
macro_rules! integers {
    ($module:ident, $unsigned:ident, $unsigned_wide:ident, $signed:ident, $signed_wide:ident) => {
        mod $module {
            use super::*;

            pub(super) fn unsigned(key: &str) -> Option<Computation> {
                integers!(key, $unsigned, $unsigned_wide, false)
            }

            pub(super) fn signed(key: &str) -> Option<Computation> {
                match key {
                    "abs" => Some(unary($signed::wrapping_abs)),
                    "add.sat" => Some(binary($signed::saturating_add)),
                    "sub.sat" => Some(binary($signed::saturating_sub)),
                    _ => integers!(key, $signed, $signed_wide, true),
                }
            }
        }
    };
    ($key:expr, $int:ident, $wide:ident, $signed:literal) => {{
        let product = |a: $int, b: $int| a as $wide * b as $wide;
        let high = move |a, b| (product(a, b) >> $int::BITS) as $int;
        let shifted = |a: $int, n: u32| if n < $int::BITS { a >> n } else { (a >> ($int::BITS - 1)) >> 1 };
        Some(match $key {
            "mov" => unary(|a: $int| a),
            "add" => binary($int::wrapping_add),
            "sub" => binary($int::wrapping_sub),
            "mul" => binary($int::wrapping_mul),
            "mul.hi" => binary(high),
            "mul.wide" => binary(product),
            "mad" => ternary(|a: $int, b: $int, c: $int| a.wrapping_mul(b).wrapping_add(c)),
            "mad.hi" => ternary(move |a: $int, b: $int, c: $int| high(a, b).wrapping_add(c)),
            "mad.wide" => ternary(move |a: $int, b: $int, c: $wide| product(a, b).wrapping_add(c)),
            // The hardware gives all ones when it divides by zero.
            "div" => binary(|a: $int, b: $int| if b == 0 { !0 } else { a.wrapping_div(b) }),
            "rem" => binary(|a: $int, b: $int| if b == 0 { !0 } else { a.wrapping_rem(b) }),
            "min" => binary(|a: $int, b: $int| a.min(b)),
            "max" => binary(|a: $int, b: $int| a.max(b)),
            "neg" => unary($int::wrapping_neg),
            "and" => binary(|a: $int, b: $int| a & b),
            "or" => binary(|a: $int, b: $int| a | b),
            "xor" => binary(|a: $int, b: $int| a ^ b),
            "not" => unary(|a: $int| !a),
            "shl" => binary(|a: $int, n: u32| a.checked_shl(n).unwrap_or(0)),
            "shr" => binary(shifted),
            "selp" => ternary(|a: $int, b: $int, first: bool| if first { a } else { b }),
            "popc" => unary($int::count_ones),
            "clz" => unary($int::leading_zeros),
            "brev" => unary($int::reverse_bits),
            "bfe" => ternary(|a: $int, from: u32, len: u32| extracted(a as i128, from, len, $signed) as $int),
            _ => comparison($key.strip_prefix("setp.")?, |a: $int, b: $int| Some(a.cmp(&b)))?,
        })
    }};
}

integers!(short, u16, u32, i16, i32);
integers!(word, u32, u64, i32, i64);
integers!(long, u64, u128, i64, i128);

/// `bfe`: `len` bits from bit `from` on. Above the number's top are copies of its sign, or zeros.
fn extracted(a: i128, from: u32, len: u32, signed: bool) -> i128 {
    let (from, len) = ((from & 0xff).min(127), (len & 0xff).min(64));
    let unused = 128 - len;
    match (len, signed) {
        (0, _) => 0,
        (_, true) => a >> from << unused >> unused,
        (_, false) => ((a as u128) >> from << unused >> unused) as i128,
    }
}

/// Instructions that only words have.
fn words(key: &str) -> Option<Computation> {
    let both = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
    Some(match key {
        "shf.l.wrap" => ternary(move |low, high, n: u32| ((both(low, high) << (n & 31)) >> 32) as u32),
        "shf.r.wrap" => ternary(move |low, high, n: u32| (both(low, high) >> (n & 31)) as u32),
        _ => return None,
    })
}
