//! `#[grad(x_i, x_i(y_j, e))]`: the variables to differentiate towards, each with those that follow.

use super::cursor::{Cursor, Part, describe, split};
use crate::ast::{Place, Towards};
use crate::mistakes::Mistakes;
use proc_macro2::{Delimiter, Span, TokenStream};
use syn::{Attribute, Meta};

/// How deep the brackets may nest.
const MAX_ORDER: usize = 8;

const USAGE: &str = "write `#[grad(x_i, y_j)]`: the variables to differentiate towards, by name, each with those to go on with, \
                     as in `x_i(y_j)`";

/// Takes `#[grad(…)]` out of the attributes.
pub(super) fn take(attributes: Vec<Attribute>, mistakes: &mut Mistakes) -> (Vec<Towards>, Vec<Attribute>) {
    let (grad, others): (Vec<_>, Vec<_>) = attributes.into_iter().partition(|a| a.path().is_ident("grad"));
    let mut all = Vec::new();
    for attribute in grad {
        let at = attribute.path().get_ident().map_or_else(|| Place::from(Span::call_site()), Place::from);
        match attribute.meta {
            Meta::List(list) if !list.tokens.is_empty() => {
                list_of(list.tokens, at.end, 1, &mut all, mistakes);
            }
            _ => mistakes.add(at, USAGE),
        }
    }
    (all, others)
}

/// Reads a list into `all`, where variables that occur again join what is there.
fn list_of(tokens: TokenStream, end: Span, order: usize, all: &mut Vec<Towards>, mistakes: &mut Mistakes) {
    for part in split(tokens, ',', end) {
        read(&part, order, all, mistakes);
    }
}

fn read(part: &Part, order: usize, all: &mut Vec<Towards>, mistakes: &mut Mistakes) {
    let mut cursor = Cursor::new(&part.tokens, part.end);
    let Some(name) = cursor.take_ident() else {
        mistakes
            .add(cursor.span(), format!("expected the name of a variable, found {}; {USAGE}", describe(cursor.peek())));
        return;
    };
    let then = cursor.take_group(Delimiter::Parenthesis);
    if !cursor.is_at_end() {
        let found = describe(cursor.peek());
        mistakes.add(cursor.span(), format!("expected `,` or `(` after the variable `{name}`, found {found}; {USAGE}"));
        return;
    }
    let known = all.iter().position(|t| t.name == *name);
    let at = match known {
        Some(at) => at,
        None => {
            all.push(Towards { name: name.clone(), then: Vec::new() });
            all.len() - 1
        }
    };
    match then {
        Some(group) if order >= MAX_ORDER => mistakes.add(
            group.span(),
            format!("`#[grad]` composes at most {MAX_ORDER} derivatives; write `Grad(F, v, e)` in a formula for more"),
        ),
        Some(group) if group.stream().is_empty() => mistakes.add(
            group.span(),
            format!("name the variables by which the gradient towards `{name}` is differentiated again, or remove the brackets"),
        ),
        Some(group) => list_of(group.stream(), group.span_close(), order + 1, &mut all[at].then, mistakes),
        None if known.is_some() && all[at].then.is_empty() => {
            mistakes.add(name, format!("the gradient towards `{name}` is asked for twice; remove one"));
        }
        None => {}
    }
}
