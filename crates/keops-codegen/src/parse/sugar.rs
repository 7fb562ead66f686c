//! Spellings that stand for another one: `x[k]`, `x[a..b]`, methods of a `LazyTensor` under other names or with arguments
//! that may be left out.

use crate::ast::{Argument, Expr, Kind, Number, Place, Style};
use crate::mistakes::Mistakes;
use proc_macro2::{Group, Ident, TokenTree};

/// An integer as a formula.
pub(super) fn integer(value: i64, at: Place) -> Expr {
    Expr { kind: Kind::Number(Number { value: value as f64, integer: Some(value) }), at, height: 0 }
}

/// A method of a `LazyTensor` by the name that it has here, with its arguments completed.
pub(super) fn method(name: &str, arguments: &mut Vec<Argument>, at: Place) -> (String, Style) {
    let same = (name.to_string(), Style::Method);
    let number = |value| Argument { name: None, value: integer(value, at) };
    match name {
        "sum" | "min" | "max" | "argmin" | "argmax" | "norm" | "cat" | "concatenate" => {
            arguments.retain(|a| !is_own_axis(a));
            match name {
                "norm" => ("norm2".into(), Style::Method),
                "cat" | "concatenate" => ("concat".into(), Style::Method),
                _ => same,
            }
        }
        // The usual offset, the usual degree.
        "mod" if arguments.len() == 2 => {
            arguments.push(number(0));
            same
        }
        "bspline" if arguments.len() == 2 => {
            arguments.push(number(0));
            same
        }
        "power" if arguments.get(1).is_some_and(|a| a.value.as_integer().is_some()) => {
            ("Pow".into(), Style::Operator("**"))
        }
        "reduction" => named_reduction(arguments).map_or(same, |name| (name, Style::Method)),
        _ => same,
    }
}

/// Is it the axis along the vector, `-1`, by position or by name?
fn is_own_axis(argument: &Argument) -> bool {
    argument.name.as_ref().is_none_or(|name| name == "axis" || name == "dim")
        && matches!(argument.value.as_integer(), Some(-1 | 2))
}

/// `F.reduction(KMin, opt_arg = K, axis = 1)`: which method it is, and its arguments by their own names.
fn named_reduction(arguments: &mut Vec<Argument>) -> Option<String> {
    let Some(Argument { name: None, value: Expr { kind: Kind::Name(name), .. } }) = arguments.get(1) else {
        return None;
    };
    let name = format!("{name}_reduction");
    arguments.remove(1);
    for argument in arguments {
        if let Some(name) = &mut argument.name {
            let ours = match name.to_string().as_str() {
                "other" => "weight",
                "opt_arg" => "K",
                _ => continue,
            };
            *name = Ident::new(ours, name.span());
        }
    }
    Some(name)
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
