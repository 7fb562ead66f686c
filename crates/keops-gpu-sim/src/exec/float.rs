//! Floating-point arithmetic. Approximate instructions are computed in double precision and rounded once.

use super::compute::{Computation, binary, comparison, ternary, unary};

/// Instructions of both precisions, whose arguments go through `$read` and whose results go through `$result`.
macro_rules! floats {
    ($key:expr, $float:ident, $read:ident, $result:ident) => {{
        let one = |f: fn($float) -> $float| unary(move |a| $result(f($read(a))));
        // -0 is smaller than 0; a NaN loses.
        let least = |a: $float, b: $float| {
            let first = a < b || b.is_nan() || (a == b && a.is_sign_negative());
            if first { a } else { b }
        };
        let or_nan = |a: $float, b: $float, value| if a.is_nan() || b.is_nan() { $float::NAN } else { value };
        Some(match $key {
            "mov" => unary(|a: $float| a),
            "selp" => ternary(|a: $float, b: $float, first: bool| if first { a } else { b }),
            "add" => binary(move |a, b| $result($read(a) + $read(b))),
            "sub" => binary(move |a, b| $result($read(a) - $read(b))),
            "mul" => binary(move |a, b| $result($read(a) * $read(b))),
            "div" => binary(move |a, b| $result($read(a) / $read(b))),
            "fma" | "mad" => ternary(move |a, b, c| $result($float::mul_add($read(a), $read(b), $read(c)))),
            "min" => binary(move |a, b| $result(least($read(a), $read(b)))),
            "max" => binary(move |a, b| $result(-least(-$read(a), -$read(b)))),
            "min.NaN" => binary(move |a, b| $result(or_nan(a, b, least($read(a), $read(b))))),
            "max.NaN" => binary(move |a, b| $result(or_nan(a, b, -least(-$read(a), -$read(b))))),
            "sqrt" => one($float::sqrt),
            "rcp" => one(|a| 1.0 / a),
            // These three only touch the sign.
            "neg" => unary(move |a: $float| -$read(a)),
            "abs" => unary(move |a: $float| $read(a).abs()),
            "copysign" => binary(|a: $float, b: $float| b.copysign(a)),
            _ => {
                let relation = $key.strip_prefix("setp.")?;
                comparison(relation, move |a: $float, b: $float| $read(a).partial_cmp(&$read(b)))?
            }
        })
    }};
}

/// The instruction that `key` names in single precision. With `flush`, subnormal arguments and results are zeros.
pub(super) fn single(key: &str, flush: bool) -> Option<Computation> {
    let read = move |a: f32| if flush && a.is_subnormal() { 0f32.copysign(a) } else { a };
    // All instructions that compute give the same NaN.
    let result = move |a: f32| if a.is_nan() { f32::from_bits(0x7fff_ffff) } else { read(a) };
    let in_double = |f: fn(f64) -> f64| unary(move |a: f32| result(f(f64::from(read(a))) as f32));
    Some(match key {
        "ex2" => in_double(f64::exp2),
        "lg2" => in_double(f64::log2),
        "rsqrt" => in_double(|a| 1.0 / a.sqrt()),
        "sin" => in_double(f64::sin),
        "cos" => in_double(f64::cos),
        "tanh" => in_double(f64::tanh),
        _ => return floats!(key, f32, read, result),
    })
}

/// The instruction that `key` names in double precision.
pub(super) fn double(key: &str) -> Option<Computation> {
    let same = |a: f64| a;
    match key {
        "rsqrt" => Some(unary(|a: f64| 1.0 / a.sqrt())),
        _ => floats!(key, f64, same, same),
    }
}
