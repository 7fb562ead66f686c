//! Checked formulas → the code that takes the place of the macro.

mod bodies;
mod docs;
mod fallback;
mod function;
mod module;
mod paths;

use crate::ast::{Form, Item};
use crate::check;
use crate::kernel::Device;
use crate::mistakes::Mistakes;
use crate::parse::parse;
use module::Subject;
use proc_macro2::TokenStream;
use quote::quote;

/// Expands a call of `keops!`, without kernels for GPUs.
pub fn expand(input: TokenStream) -> TokenStream {
    expand_for(&Device::NONE, input).0
}

/// Expands a call of `keops!`. Mistakes become `compile_error!`s on their tokens, beside a right-typed stand-in for the
/// formula, so that the code that uses it still type-checks; they are also returned.
pub fn expand_for(device: &Device<'_>, input: TokenStream) -> (TokenStream, Mistakes) {
    let mut mistakes = Mistakes::new();
    let items = parse(input, &mut mistakes);
    let functions: TokenStream = items.iter().map(|i| item(i, device, &mut mistakes)).collect();
    let errors = mistakes.to_compile_errors();
    let tokens = match items.as_slice() {
        [closure] if closure.form == Form::Closure => {
            let name = &closure.name;
            // The value is the function itself; its types are inferred where it is called, as those of a closure.
            quote!({ #functions #errors #name })
        }
        [bare] if bare.form == Form::Bare => {
            let name = &bare.name;
            let variables = bare.variables.iter().map(|v| &v.name);
            quote!({ #functions #errors #name(#(&#variables),*) })
        }
        _ => quote!(#functions #errors),
    };
    (tokens, mistakes)
}

fn item(item: &Item, device: &Device<'_>, mistakes: &mut Mistakes) -> TokenStream {
    let (signature, checked) = check::item(item, mistakes);
    // From here on there is no difference between const parameters that are declared and those that are inferred.
    let item = &Item { consts: signature.consts.clone(), ..item.clone() };
    match checked {
        Some(checked) => match module::tokens(Subject { item, device }, &signature, checked) {
            Ok(tokens) => tokens,
            Err(message) => {
                mistakes.add(&item.name, message);
                fallback::tokens(item, &signature)
            }
        },
        None => fallback::tokens(item, &signature),
    }
}
