//! Declarations of variables: `x_i: Vi<3>, y_j: Vj<D>, gamma: Pm<1>`.

use super::cursor::{Cursor, Part, split};
use super::item::complain_about_rest;
use super::literal;
use crate::ast::{Place, Size, Variable};
use crate::ir::Category;
use crate::mistakes::Mistakes;
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};

/// Reads a list of declarations. One that cannot be read is reported, and the others are still read.
pub(super) fn list(tokens: TokenStream, end: Span, mistakes: &mut Mistakes) -> Vec<Variable> {
    let mut all = Vec::new();
    for part in split(tokens, ',', end) {
        if part.tokens.is_empty() {
            mistakes.add(part.end, "expected a variable before `,`");
        } else {
            all.extend(variable(&part, mistakes));
        }
    }
    all
}

fn variable(part: &Part, mistakes: &mut Mistakes) -> Option<Variable> {
    let mut cursor = Cursor::new(&part.tokens, part.end);
    let Some(name) = cursor.take_ident().filter(|name| *name != "_" && *name != "mut" && *name != "self") else {
        mistakes.add(part.tokens[0].span(), "expected the name of a variable, as in `x_i: Vi<3>`");
        return None;
    };
    if syn::parse2::<Ident>(TokenTree::Ident(name.clone()).into()).is_err() {
        mistakes.add(name, format!("`{name}` is a keyword of Rust and cannot name a variable"));
        return None;
    }
    let unknown = |cursor: &Cursor<'_>, mistakes: &mut Mistakes| {
        let expected = format!("expected the category and dimension of `{name}`, as in `{name}: Vi<3>`");
        complain_about_rest(cursor, &expected, mistakes);
        Some(Variable { name: name.clone(), declared: None })
    };
    if cursor.take_operator(":").is_none() {
        return unknown(&cursor, mistakes);
    }
    let Some(category_name) = cursor.take_ident() else { return unknown(&cursor, mistakes) };
    let category = match category_name.to_string().as_str() {
        "Vi" => Some(Category::Vi),
        "Vj" => Some(Category::Vj),
        "Pm" => Some(Category::Pm),
        other => {
            mistakes.add(
                category_name,
                format!("`{other}` is not a category: write `Vi<D>` (one row per i), `Vj<D>` (one row per j) or `Pm<D>` (a parameter, one row)"),
            );
            None
        }
    };
    let dim = dimension(&mut cursor, category_name, mistakes);
    if dim.is_some() && !cursor.is_at_end() {
        complain_about_rest(&cursor, "expected `,` after the variable", mistakes);
    }
    Some(Variable { name: name.clone(), declared: category.zip(dim) })
}

/// The dimension, if it is stated: `Vi` and `Vi<_>` leave it open. None if it is unreadable.
fn dimension(cursor: &mut Cursor<'_>, category: &Ident, mistakes: &mut Mistakes) -> Option<Option<Size>> {
    if cursor.is_at_end() {
        return Some(None);
    }
    if let Some(group) = cursor.peek_group(Delimiter::Parenthesis) {
        mistakes.add(group.span(), format!("write the dimension in angle brackets: `{category}<{}>`", group.stream()));
        return None;
    }
    if cursor.take_operator("<").is_none() {
        let expected = format!("expected the dimension: `{category}<3>` has 3 numbers per row");
        complain_about_rest(cursor, &expected, mistakes);
        return None;
    }
    let size = if cursor.take_underscore() { None } else { Some(size(cursor, mistakes)?) };
    if cursor.take_operator(">").is_none() {
        complain_about_rest(cursor, "expected `>` after the dimension", mistakes);
        return None;
    }
    Some(size)
}

/// A literal or the name of a const parameter.
fn size(cursor: &mut Cursor<'_>, mistakes: &mut Mistakes) -> Option<Size> {
    // A fragment of `macro_rules!` arrives as a group of its own.
    if let Some(group) = cursor.take_group(Delimiter::None) {
        let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
        return size(&mut Cursor::new(&tokens, group.span_close()), mistakes);
    }
    if let Some(name) = cursor.take_ident() {
        return Some(Size::Named(name.clone()));
    }
    let at = Place::from(cursor.span());
    if let Some(token) = cursor.take_literal() {
        let number = literal::number(token, mistakes)?;
        if let Some(value) = number.integer {
            return Some(Size::Literal(value, at));
        }
        mistakes.add(at, format!("a dimension is a whole number, not `{token}`"));
        return None;
    }
    complain_about_rest(cursor, "expected the dimension: a whole number or the name of a const parameter", mistakes);
    None
}
