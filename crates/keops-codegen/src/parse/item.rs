//! `#[attributes] pub fn name<const D: usize>(variables) = reduction` and `|variables| reduction`.

use super::cursor::{Cursor, describe};
use super::{formula, gradients, reduction, variables};
use crate::ast::{Form, Item, Reduction, Variable};
use crate::mistakes::Mistakes;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, GenericParam, Generics, Token, Visibility};

/// What stands before `=`.
struct Header {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    name: Ident,
    generics: Generics,
    arguments: Group,
}

/// Reads one item; none if there is not even a name to go on with.
pub(super) fn function(tokens: Vec<TokenTree>, end: Span, mistakes: &mut Mistakes) -> Option<Item> {
    let before = mistakes.count();
    let equal = tokens.iter().position(|t| matches!(t, TokenTree::Punct(p) if p.as_char() == '='));
    let Some(equal) = equal else {
        mistakes.add(end, "expected `= Sum_Reduction(…, 0);` after the variables");
        return None;
    };
    let (head, right) = (&tokens[..equal], &tokens[equal + 1..]);
    let header = match header.parse2(head.iter().cloned().collect()) {
        Ok(header) => header,
        Err(error) => {
            mistakes.add_syn(&error);
            return None;
        }
    };
    let (gradients, attributes) = gradients::take(header.attributes, mistakes);
    let variables = variables::list(header.arguments.stream(), header.arguments.span_close(), mistakes);
    complain_if_repeated(&variables, mistakes);
    let consts = consts(&header.generics, mistakes);
    let (text, reduction) = right_side(right, end, mistakes);
    Some(Item {
        attributes,
        visibility: header.visibility,
        name: header.name,
        consts,
        variables,
        gradients,
        reduction,
        text,
        complete: mistakes.count() == before,
        form: Form::Function,
    })
}

/// Reads the expression form.
pub(super) fn expression(input: TokenStream, mistakes: &mut Mistakes) -> Option<Item> {
    let before = mistakes.count();
    let tokens: Vec<TokenTree> = input.into_iter().collect();
    let end = tokens.last().map_or_else(Span::call_site, TokenTree::span);
    let mut bars = tokens.iter().enumerate().filter(|(_, t)| matches!(t, TokenTree::Punct(p) if p.as_char() == '|'));
    let (open, close) = (bars.next()?.0, bars.next());
    let Some((close, _)) = close else {
        mistakes.add(tokens[open].span(), "expected a second `|` after the variables");
        return None;
    };
    let right = &tokens[close + 1..];
    let declared = tokens[open + 1..close].iter().cloned().collect();
    let variables = variables::list(declared, tokens[close].span(), mistakes);
    complain_if_repeated(&variables, mistakes);
    let (text, reduction) = right_side(right, end, mistakes);
    Some(Item {
        attributes: Vec::new(),
        visibility: Visibility::Inherited,
        name: Ident::new("formula", Span::call_site()),
        consts: Vec::new(),
        variables,
        gradients: Vec::new(),
        reduction,
        text,
        complete: mistakes.count() == before,
        form: Form::Closure,
    })
}

/// The reduction, and its text.
pub(super) fn right_side(tokens: &[TokenTree], end: Span, mistakes: &mut Mistakes) -> (String, Option<Reduction>) {
    // A second declaration that begins here means that a `;` was forgotten.
    let next = tokens.iter().position(|t| matches!(t, TokenTree::Ident(i) if i == "fn"));
    if let Some(next) = next {
        mistakes.add(tokens[next].span(), "expected `;` between two formulas");
        return (String::new(), None);
    }
    let right = formula::formula(tokens, end, mistakes);
    (right.to_string(), reduction::outermost(right, mistakes))
}

fn header(input: ParseStream<'_>) -> syn::Result<Header> {
    let attributes = input.call(Attribute::parse_outer)?;
    let visibility: Visibility = input.parse()?;
    for (word, found) in [
        ("const", input.peek(Token![const])),
        ("unsafe", input.peek(Token![unsafe])),
        ("async", input.peek(Token![async])),
        ("extern", input.peek(Token![extern])),
    ] {
        if found {
            return Err(input.error(format!("a formula cannot be `{word}`; write `fn`")));
        }
    }
    input.parse::<Token![fn]>()?;
    let name: Ident = input.parse()?;
    let generics: Generics = input.parse()?;
    let arguments = input.step(|cursor| match cursor.token_tree() {
        Some((TokenTree::Group(group), rest)) if group.delimiter() == Delimiter::Parenthesis => Ok((group, rest)),
        _ => Err(cursor.error("expected the variables: `(x_i: Vi<3>, y_j: Vj<3>)`")),
    })?;
    if input.peek(Token![->]) {
        return Err(input.error("a formula declares no result type; write `=` and the reduction"));
    }
    if !input.is_empty() {
        return Err(input.error("expected `=` and the reduction"));
    }
    Ok(Header { attributes, visibility, name, generics, arguments })
}

/// The const parameters. Types and lifetimes are refused: a formula has none.
fn consts(generics: &Generics, mistakes: &mut Mistakes) -> Vec<Ident> {
    let mut all = Vec::new();
    for parameter in &generics.params {
        match parameter {
            GenericParam::Const(c) if matches!(&c.ty, syn::Type::Path(p) if p.path.is_ident("usize")) => {
                all.push(c.ident.clone());
            }
            GenericParam::Const(c) => {
                mistakes.add(&c.ident, format!("a dimension is a `usize`: write `const {}: usize`", c.ident));
            }
            GenericParam::Type(t) => mistakes.add(
                &t.ident,
                format!("a formula has no type parameters (it works for f32 and f64 by itself); for a dimension write `const {}: usize`", t.ident),
            ),
            GenericParam::Lifetime(l) => mistakes.add(l.lifetime.span(), "a formula has no lifetimes; remove it"),
        }
    }
    all
}

fn complain_if_repeated(variables: &[Variable], mistakes: &mut Mistakes) {
    for (k, variable) in variables.iter().enumerate() {
        if variables[..k].iter().any(|earlier| earlier.name == variable.name) {
            mistakes.add(
                &variable.name,
                format!("two variables are called `{}`; every variable needs a name of its own", variable.name),
            );
        }
    }
}

/// For the lists of variables: what is left over.
pub(super) fn complain_about_rest(cursor: &Cursor<'_>, expected: &str, mistakes: &mut Mistakes) {
    mistakes.add(cursor.span(), format!("{expected}, found {}", describe(cursor.peek())));
}
