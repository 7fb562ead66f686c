//! The bare form: a reduction whose variables are those of the scope, with categories from their names.

use super::item::right_side;
use crate::ast::{Expr, Form, Item, Kind, Reduction, Variable};
use crate::ir::Category;
use crate::mistakes::Mistakes;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::Visibility;

/// Reads the bare form; none if there is no reduction to go on with.
pub(super) fn item(input: TokenStream, mistakes: &mut Mistakes) -> Option<Item> {
    let before = mistakes.count();
    let tokens: Vec<TokenTree> = input.into_iter().collect();
    let end = tokens.last().map_or_else(Span::call_site, TokenTree::span);
    let (text, reduction) = right_side(&tokens, end, mistakes);
    let reduction = reduction?;
    let mut names = Vec::new();
    of_reduction(&reduction, &mut names);
    let complaints = mistakes.count();
    names.retain(|name| {
        let right = syn::parse2::<Ident>(TokenTree::Ident((*name).clone()).into()).is_ok();
        if !right {
            mistakes.add(
                *name,
                format!("`{name}` is a keyword of Rust and cannot name a variable; bind the data first, as in `let x_i = &self.points;`"),
            );
        }
        right
    });
    if mistakes.count() != complaints {
        return None;
    }
    let variables: Vec<Variable> =
        names.into_iter().map(|name| Variable { declared: Some((category(name), None)), name: name.clone() }).collect();
    let mut name = "formula".to_string();
    while variables.iter().any(|v| v.name == name) {
        name.push('_');
    }
    Some(Item {
        attributes: Vec::new(),
        visibility: Visibility::Inherited,
        name: Ident::new(&name, Span::call_site()),
        consts: Vec::new(),
        variables,
        gradients: Vec::new(),
        reduction: Some(reduction),
        text,
        complete: mistakes.count() == before,
        form: Form::Bare,
    })
}

/// `x_i` follows i, `y_j` follows j, anything else is a parameter.
fn category(name: &Ident) -> Category {
    let name = name.to_string();
    if name.ends_with("_i") {
        Category::Vi
    } else if name.ends_with("_j") {
        Category::Vj
    } else {
        Category::Pm
    }
}

fn of_reduction<'e>(reduction: &'e Reduction, names: &mut Vec<&'e Ident>) {
    of_formula(&reduction.formula, names);
    if let Some(weight) = &reduction.weight {
        of_formula(weight, names);
    }
    for derivative in &reduction.derivatives {
        of_formula(&derivative.variable, names);
        of_formula(&derivative.along, names);
    }
}

/// Names in the order in which they occur first.
fn of_formula<'e>(expr: &'e Expr, names: &mut Vec<&'e Ident>) {
    match &expr.kind {
        Kind::Name(name) if !names.contains(&name) => names.push(name),
        Kind::List(items) => items.iter().for_each(|e| of_formula(e, names)),
        Kind::Call(call) => call.arguments.iter().for_each(|a| of_formula(&a.value, names)),
        _ => {}
    }
}
