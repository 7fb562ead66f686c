//! Documentation of generated functions.

use super::function::Argument;
use crate::ast::Item;
use crate::check::{Checked, Declared, Gradient};
use crate::ir::Category;
use crate::schedule::Keep;
use proc_macro2::TokenStream;
use quote::quote;
use std::fmt::Write;

/// Documentation of the reduction, to follow the user's own.
pub(super) fn of_reduction(item: &Item, variables: &[Declared], checked: &Checked) -> TokenStream {
    let mut text = format!("\n`{}`\n\n{}", item.text, arguments(variables));
    let entries = checked.task.k().map_or_else(String::new, |k| format!("{k} × "));
    text.push_str(&result(checked.task.body.keep, &format!("{entries}{}", checked.out)));
    attributes(&text)
}

/// Documentation of a gradient of the function at `path`, which has these arguments.
pub(super) fn of_gradient(path: &str, of: &[Argument], gradient: &Gradient, covector: &str) -> TokenStream {
    let (name, towards) = (path.rsplit("::").next().unwrap_or(path), &of[gradient.towards].name);
    let mut rows = String::new();
    for Argument { name, dim, .. } in of {
        if let Some(dim) = dim {
            // Writing to a string cannot fail.
            let _ = writeln!(rows, "| `{name}` | as there | {dim} |");
        }
    }
    let text = format!(
        "Gradient of [`{name}`](fn@super::{name}) towards `{towards}`: of Σ `{covector}` · result, by every number of `{towards}`.\n\n\
         {HEAD}{rows}| `{covector}` | as the result | {} |\n\n\
         The result has the shape of `{towards}`.",
        gradient.seed,
    );
    attributes(&text)
}

const HEAD: &str = "| argument | rows | numbers per row |\n|---|---|---|\n";

/// A table of the arguments.
fn arguments(variables: &[Declared]) -> String {
    let mut table = HEAD.to_string();
    for variable in variables {
        if let Some((category, dim)) = &variable.meaning {
            let rows = match category {
                Category::Vi => "one per i",
                Category::Vj => "one per j",
                Category::Pm => "one",
            };
            // Writing to a string cannot fail.
            let _ = writeln!(table, "| `{}` | {rows} | {dim} |", variable.name);
        }
    }
    table
}

fn result(keep: Keep, columns: &str) -> String {
    let rows = match keep {
        Keep::I => "one row per i",
        Keep::J => "one row per j",
        Keep::None => "one row",
    };
    format!("\nThe result has {rows} of {columns} number(s).")
}

fn attributes(text: &str) -> TokenStream {
    text.lines().map(|line| format!(" {line}")).map(|line| quote!(#[doc = #line])).collect()
}
