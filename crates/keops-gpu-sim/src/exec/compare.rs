//! `setp`: comparisons and their combination with a predicate.

use crate::ptx::program::{Combine, Comparison, Relation};
use crate::ptx::types::{Type, signed, truncate};
use std::cmp::Ordering;

fn single(bits: u64, flush: bool) -> f32 {
    let value = f32::from_bits(bits as u32);
    if flush && value.is_subnormal() { 0.0 } else { value }
}

/// Whether `a` and `b` stand in the relation that `test` asks for.
pub(crate) fn holds(test: Comparison, ty: Type, flush: bool, a: u64, b: u64) -> bool {
    let bits = ty.bits();
    let order = match ty {
        Type::Float(32) => single(a, flush).partial_cmp(&single(b, flush)),
        Type::Float(_) => f64::from_bits(a).partial_cmp(&f64::from_bits(b)),
        Type::Signed(_) => Some(signed(a, bits).cmp(&signed(b, bits))),
        _ => Some(truncate(a, bits).cmp(&truncate(b, bits))),
    };
    match (order, test.relation) {
        (None, relation) => test.or_unordered || relation == Relation::Unordered,
        (Some(order), relation) => match relation {
            Relation::Equal => order == Ordering::Equal,
            Relation::NotEqual => order != Ordering::Equal,
            Relation::Less => order == Ordering::Less,
            Relation::LessEqual => order != Ordering::Greater,
            Relation::Greater => order == Ordering::Greater,
            Relation::GreaterEqual => order != Ordering::Less,
            Relation::Ordered => true,
            Relation::Unordered => false,
        },
    }
}

/// The comparison's result together with the third operand.
pub(crate) fn combine(combine: Combine, result: bool, other: bool) -> bool {
    match combine {
        Combine::None => result,
        Combine::And => result && other,
        Combine::Or => result || other,
        Combine::Xor => result != other,
    }
}
