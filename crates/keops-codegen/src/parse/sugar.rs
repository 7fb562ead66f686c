//! Spellings that stand for another one: `x[k]`, `x[a..b]`, and arguments of methods that have a usual value.

use crate::ast::{Argument, Expr, Kind, Number, Place};
use crate::mistakes::Mistakes;
use proc_macro2::{Group, TokenTree};

/// An integer as a formula.
pub(super) fn integer(value: i64, at: Place) -> Expr {
    Expr { kind: Kind::Number(Number { value: value as f64, integer: Some(value) }), at, height: 0 }
}

/// Adds the arguments of a method that may be left out: the offset of `.mod(m)` is 0.
pub(super) fn complete(method: &str, arguments: &mut Vec<Argument>, at: Place) {
    if method == "mod" && arguments.len() == 2 {
        arguments.push(Argument { name: None, value: integer(0, at) });
    }
}

/// The operation that a subscript stands for, with its numbers.
pub(super) fn subscript(of: &Expr, group: &Group, mistakes: &mut Mistakes) -> Option<(&'static str, Vec<i64>)> {
    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
    let dots = tokens.windows(2).position(|pair| is_dot(&pair[0]) && is_dot(&pair[1]));
    let inclusive =
        dots.is_some_and(|at| matches!(tokens.get(at + 2), Some(TokenTree::Punct(p)) if p.as_char() == '='));
    let read = match dots {
        None => number(&tokens).map(|k| ("Elem", vec![k])),
        Some(at) => {
            let first = if at == 0 { Some(0) } else { number(&tokens[..at]) };
            let last =
                number(&tokens[at + 2 + usize::from(inclusive)..]).and_then(|b| b.checked_add(i64::from(inclusive)));
            match (first, last) {
                (Some(a), Some(b)) if a < b => Some(("Extract", vec![a, b - a])),
                (Some(a), Some(b)) => {
                    mistakes.add(
                        group.span(),
                        format!(
                            "there is nothing from {a} up to {b}; write the first number and the one after the last"
                        ),
                    );
                    return None;
                }
                _ => None,
            }
        }
    };
    if read.is_none() {
        mistakes.add(
            group.span(),
            format!(
                "`[{}]` is not a component (`{of}[k]`) nor a range of components (`{of}[a..b]`, from `a` up to but not including `b`); \
                 write whole numbers that are not negative, and both ends",
                group.stream()
            ),
        );
    }
    read
}

fn is_dot(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(p) if p.as_char() == '.')
}

/// An integer literal and nothing else.
fn number(tokens: &[TokenTree]) -> Option<i64> {
    match tokens {
        [TokenTree::Literal(literal)] => match syn::Lit::new(literal.clone()) {
            syn::Lit::Int(int) if int.suffix().is_empty() => int.base10_parse().ok(),
            _ => None,
        },
        [TokenTree::Group(group)] if group.delimiter() == proc_macro2::Delimiter::None => {
            number(&group.stream().into_iter().collect::<Vec<_>>())
        }
        _ => None,
    }
}
