//! Number literals, read exactly.

use crate::ast::{Number, Place};
use crate::mistakes::Mistakes;
use proc_macro2::Literal;

/// The largest integer below which every integer is an `f64`.
const EXACT: i64 = 1 << 53;

/// Reads a literal; none if it is no number of a formula, which is then reported.
pub(super) fn number(literal: &Literal, mistakes: &mut Mistakes) -> Option<Number> {
    let at = Place::from(literal.span());
    let suffixed = |suffix: &str, mistakes: &mut Mistakes| {
        mistakes.add(
            at,
            format!(
                "a number in a formula has no type: `{literal}` ends in `{suffix}`; remove it, the type is that of the data"
            ),
        );
    };
    match syn::Lit::new(literal.clone()) {
        syn::Lit::Int(int) => {
            if !int.suffix().is_empty() {
                suffixed(int.suffix(), mistakes);
                return None;
            }
            match int.base10_parse::<i64>() {
                Ok(v) if (-EXACT..=EXACT).contains(&v) => Some(Number { value: v as f64, integer: Some(v) }),
                _ => {
                    mistakes.add(
                        at,
                        format!("the integer `{literal}` is beyond 2^53, where integers are not exact any more; write `{literal}.0` for the nearest number"),
                    );
                    None
                }
            }
        }
        syn::Lit::Float(float) => {
            if !float.suffix().is_empty() {
                suffixed(float.suffix(), mistakes);
                return None;
            }
            match float.base10_parse::<f64>() {
                Ok(value) if value.is_finite() => Some(Number { value, integer: None }),
                _ => {
                    mistakes.add(at, format!("the number `{literal}` is too large for an f64"));
                    None
                }
            }
        }
        _ => {
            mistakes.add(at, format!("a formula has numbers only, and `{literal}` is not one"));
            None
        }
    }
}
