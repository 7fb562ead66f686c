//! Tokens → syntax tree.

mod bare;
mod cursor;
pub(crate) mod formula;
mod gradients;
mod item;
mod literal;
pub(crate) mod reduction;
mod sugar;
mod variables;

use crate::ast::Item;
use crate::mistakes::Mistakes;
use cursor::{Part, split};
use proc_macro2::{Span, TokenStream, TokenTree};
use std::collections::HashSet;

/// Reads a call of `keops!`: `pub fn name(variables) = reduction;` any number of times, or one `|variables| reduction`, or one
/// reduction. What cannot be read is missing, and reported.
pub fn parse(input: TokenStream, mistakes: &mut Mistakes) -> Vec<Item> {
    match input.clone().into_iter().next() {
        None => {
            mistakes.add(
                Span::call_site(),
                "nothing to compile: write `pub fn name(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(…, 0);`, `|x_i: Vi<3>, y_j: Vj<3>| Sum_Reduction(…, 0)`, or `Sum_Reduction(…, 0)` with variables of the scope",
            );
            Vec::new()
        }
        Some(TokenTree::Punct(p)) if p.as_char() == '|' => item::expression(input, mistakes).into_iter().collect(),
        Some(token) if begins_item(&token) => {
            let parts = split(input, ';', Span::call_site());
            distinct(parts.into_iter().filter_map(|part| read_item(part, mistakes)).collect(), mistakes)
        }
        Some(_) => bare::item(input, mistakes).into_iter().collect(),
    }
}

/// The items without those that take a name again. Under conditions (`#[cfg(…)]`) a name may stand for several.
fn distinct(mut items: Vec<Item>, mistakes: &mut Mistakes) -> Vec<Item> {
    let mut names = HashSet::new();
    items.retain(|item| {
        let conditional = item.attributes.iter().any(|attribute| attribute.path().is_ident("cfg"));
        let new = conditional || names.insert(item.name.to_string());
        if !new {
            mistakes.add(&item.name, format!("there is a formula `{}` already; give this one another name", item.name));
        }
        new
    });
    items
}

fn begins_item(token: &TokenTree) -> bool {
    match token {
        TokenTree::Punct(p) => matches!(p.as_char(), '#' | ';'),
        TokenTree::Ident(ident) => {
            ["pub", "fn", "const", "unsafe", "async", "extern"].iter().any(|keyword| ident == keyword)
        }
        _ => false,
    }
}

fn read_item(part: Part, mistakes: &mut Mistakes) -> Option<Item> {
    let last = part.tokens.last()?.span();
    item::function(part.tokens, last, mistakes)
}
