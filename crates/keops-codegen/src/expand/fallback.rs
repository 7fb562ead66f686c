//! What stands in for a formula with a mistake: functions of the same signature, which never run because the mistake
//! stops the build.

use super::function::{Argument, Function};
use super::module::{PassedOn, arguments, covector, gradient_name, module_lints, operation_alias, reduction_type};
use super::paths::library;
use crate::ast::{Item, ReductionKind};
use crate::check::{Signature, Wanted};
use crate::ir::Dim;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// The stand-in.
pub(super) fn tokens(item: &Item, signature: &Signature) -> TokenStream {
    let (name, visibility) = (&item.name, &item.visibility);
    let passed_on = PassedOn::of(item);
    let all = arguments(&signature.variables, &signature.telling);
    let kind = item.reduction.as_ref().map_or(ReductionKind::Sum, |r| r.kind);
    let operation = operation(item, kind, signature.k.as_ref());
    let gradients = gradients(item, &all, signature.seed.as_ref(), 0, &signature.gradients);
    let function = function(item, &passed_on.to_function, quote!(#visibility), name, all);
    let (conditions, lints) = (&passed_on.to_module, module_lints());
    quote! {
        #function
        #conditions
        #lints
        #visibility mod #name {
            #operation
            #gradients
        }
    }
}

/// The gradients of a function with these arguments, whose result has rows of `seed` numbers.
fn gradients(item: &Item, of: &[Argument], seed: Option<&Dim>, order: usize, wanted: &[Wanted]) -> TokenStream {
    let each = wanted.iter().map(|towards| {
        let name = gradient_name(&towards.name);
        let mut all = of.to_vec();
        all.push(Argument::of(&covector(item, order), seed.cloned()));
        let dim = of.get(towards.position).and_then(|a| a.dim.clone());
        let then = gradients(item, &all, dim.as_ref(), order + 1, &towards.then);
        let function = function(item, &TokenStream::new(), quote!(pub), &name, all);
        let operation = operation(item, ReductionKind::Sum, None);
        quote! {
            #function
            #[doc(hidden)]
            pub mod #name {
                #operation
                #then
            }
        }
    });
    each.collect()
}

fn function(
    item: &Item,
    attributes: &TokenStream,
    visibility: TokenStream,
    name: &Ident,
    arguments: Vec<Argument>,
) -> TokenStream {
    let declared = arguments.len();
    Function {
        attributes: attributes.clone(),
        visibility,
        name,
        consts: &item.consts,
        arguments,
        copies: &[],
        declared,
    }
    .tokens()
}

/// An operation with results of the right form.
fn operation(item: &Item, kind: ReductionKind, k: Option<&Dim>) -> TokenStream {
    let library = library();
    let reduction = reduction_type(kind, Some(k.unwrap_or(&Dim::ONE)));
    operation_alias(item, quote!(#library::Reduce<#library::Mistaken, #reduction>))
}
