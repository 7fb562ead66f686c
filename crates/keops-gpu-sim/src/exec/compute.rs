//! Instructions that only compute: from the name of an instruction to a function on lanes.

use super::value::Value;
use super::{float, integer};
use crate::ptx::program::{ARGUMENTS, Compute, Lanes, WARP};
use crate::ptx::types::{Kind, Type};
use std::cmp::Ordering;

/// An instruction with the number of its arguments.
pub(crate) struct Computation {
    pub(crate) arity: usize,
    pub(crate) compute: Compute,
}

fn lanes(arity: usize, each: impl Fn([&Lanes; ARGUMENTS], usize) -> u64 + Send + Sync + 'static) -> Computation {
    let compute = move |arguments: [&Lanes; ARGUMENTS]| {
        let mut results = [0; WARP];
        for (lane, result) in results.iter_mut().enumerate() {
            *result = each(arguments, lane);
        }
        results
    };
    Computation { arity, compute: Box::new(compute) }
}

pub(crate) fn unary<A: Value, R: Value>(f: impl Fn(A) -> R + Send + Sync + 'static) -> Computation {
    lanes(1, move |[a, ..], k| f(A::read(a[k])).bits())
}

pub(crate) fn binary<A: Value, B: Value, R: Value>(f: impl Fn(A, B) -> R + Send + Sync + 'static) -> Computation {
    lanes(2, move |[a, b, ..], k| f(A::read(a[k]), B::read(b[k])).bits())
}

pub(crate) fn ternary<A: Value, B: Value, C: Value, R: Value>(
    f: impl Fn(A, B, C) -> R + Send + Sync + 'static,
) -> Computation {
    lanes(3, move |[a, b, c], k| f(A::read(a[k]), B::read(b[k]), C::read(c[k])).bits())
}

/// The comparison called `relation`; one that ends in `u` holds for NaN, too.
pub(crate) fn comparison<T: Value>(
    relation: &str,
    order: impl Fn(T, T) -> Option<Ordering> + Send + Sync + 'static,
) -> Option<Computation> {
    let (less, equal, greater, unordered) = (1, 2, 4, 8);
    let holds = match relation.trim_end_matches('u') {
        "eq" => equal,
        "ne" => less | greater,
        "lt" => less,
        "le" => less | equal,
        "gt" => greater,
        "ge" => equal | greater,
        "num" => less | equal | greater,
        "nan" => unordered,
        _ => return None,
    };
    let holds = if relation.ends_with('u') { holds | unordered } else { holds };
    Some(binary(move |a, b| {
        // `Ordering` is -1, 0 or 1.
        holds & order(a, b).map_or(unordered, |order| 1 << (order as i8 + 1)) != 0
    }))
}

/// The instruction that `key` names, `mul.hi` for example, on numbers of type `ty`. With `flush`, subnormal numbers
/// of single precision are zeros.
pub(crate) fn find(key: &str, ty: Type, flush: bool) -> Option<Computation> {
    match (ty.kind, ty.bits) {
        (Kind::Float, 32) => float::single(key, flush),
        (Kind::Float, _) => float::double(key),
        (Kind::Predicate, _) => predicates(key),
        _ => integer::find(key, ty),
    }
}

fn predicates(key: &str) -> Option<Computation> {
    Some(match key {
        "mov" => unary(|a: bool| a),
        "not" => unary(|a: bool| !a),
        "and" => binary(|a: bool, b: bool| a & b),
        "or" => binary(|a: bool, b: bool| a | b),
        "xor" => binary(|a: bool, b: bool| a ^ b),
        _ => return None,
    })
}
