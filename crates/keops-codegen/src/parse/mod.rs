//! Tokens → syntax tree.

mod cursor;
mod formula;
mod item;
mod literal;
pub(crate) mod reduction;
mod variables;

use crate::ast::Item;
use crate::mistakes::Mistakes;
use cursor::{Part, split};
use proc_macro2::{Span, TokenStream, TokenTree};

/// What a call of `keops!` holds.
#[derive(Debug, Clone)]
pub enum Source {
    /// `pub fn name(variables) = reduction;`, any number of times.
    Items(Vec<Item>),
    /// `|variables| reduction`
    Expression(Item),
    /// Neither; already reported.
    Unreadable,
}

/// Reads a call of `keops!`.
pub fn parse(input: TokenStream, mistakes: &mut Mistakes) -> Source {
    let first: Vec<TokenTree> = input.clone().into_iter().take(1).collect();
    match first.first() {
        None => {
            mistakes.add(
                Span::call_site(),
                "nothing to compile: write `pub fn name(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(…, 0);` or `|x_i: Vi<3>, y_j: Vj<3>| Sum_Reduction(…, 0)`",
            );
            Source::Unreadable
        }
        Some(TokenTree::Punct(p)) if p.as_char() == '|' => {
            item::expression(input, mistakes).map_or(Source::Unreadable, Source::Expression)
        }
        Some(token) if begins_item(token) => {
            let parts = split(input, ';', Span::call_site());
            Source::Items(parts.into_iter().filter_map(|part| read_item(part, mistakes)).collect())
        }
        Some(token) => {
            mistakes.add(
                token.span(),
                "declare the variables of the formula: `|x_i: Vi<3>, y_j: Vj<3>| Sum_Reduction(…, 0)` for an expression, or `pub fn name(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(…, 0);` for an item",
            );
            Source::Unreadable
        }
    }
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
    // A lone last part has no `;` of its own: its end is that of the macro.
    item::function(part.tokens, last, mistakes)
}
