//! Checked formulas → the code that takes the place of the macro.

mod docs;
mod fallback;
mod function;
mod module;
mod paths;

use crate::ast::Item;
use crate::check;
use crate::mistakes::Mistakes;
use crate::parse::parse;
use proc_macro2::TokenStream;
use quote::quote;

/// Expands a call of `keops!`. Mistakes become `compile_error!`s on their tokens, beside a right-typed stand-in for the
/// formula, so that the code that uses it still type-checks.
pub fn expand(input: TokenStream) -> TokenStream {
    let mut mistakes = Mistakes::new();
    let items = parse(input, &mut mistakes);
    let functions: TokenStream = items.iter().map(|i| item(i, &mut mistakes)).collect();
    let errors = mistakes.to_compile_errors();
    match items.as_slice() {
        [expression] if expression.is_expression => {
            let name = &expression.name;
            // The value is the function itself; its types are inferred where it is called, as those of a closure.
            quote!({ #functions #errors #name })
        }
        _ => quote!(#functions #errors),
    }
}

fn item(item: &Item, mistakes: &mut Mistakes) -> TokenStream {
    let (signature, checked) = check::item(item, mistakes);
    match checked {
        Some(checked) => match module::tokens(item, &signature, checked) {
            Ok(tokens) => tokens,
            Err(message) => {
                mistakes.add(&item.name, message);
                fallback::tokens(item, &signature)
            }
        },
        None => fallback::tokens(item, &signature),
    }
}
