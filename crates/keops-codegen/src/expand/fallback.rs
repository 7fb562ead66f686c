//! What stands in for a formula with a mistake: functions of the same signature, which never run because the mistake
//! stops the build.

use super::function::{Argument, Function};
use super::module::{PassedOn, arguments, gradient_name, module_lints, operation_alias, reduction_type, seed_name};
use super::paths::library;
use crate::ast::{Item, ReductionKind};
use crate::check::Signature;
use crate::ir::Dim;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// The stand-in.
pub(super) fn tokens(item: &Item, signature: &Signature) -> TokenStream {
    let (name, visibility) = (&item.name, &item.visibility);
    let passed_on = PassedOn::of(item);
    let function = function(item, &passed_on.to_function, quote!(#visibility), name, arguments(&signature.variables));
    let kind = item.reduction.as_ref().map_or(ReductionKind::Sum, |r| r.kind);
    let operation = operation(item, kind, signature.k.as_ref());
    let gradients = signature.gradients.iter().map(|towards| {
        let name = gradient_name(towards);
        let mut arguments = arguments(&signature.variables);
        arguments.push(Argument { name: seed_name(item), dim: signature.seed.clone() });
        let function = self::function(item, &TokenStream::new(), quote!(pub), &name, arguments);
        let operation = self::operation(item, ReductionKind::Sum, None);
        quote! {
            #function
            #[doc(hidden)]
            pub mod #name {
                #operation
            }
        }
    });
    let (conditions, lints) = (&passed_on.to_module, module_lints());
    quote! {
        #function
        #conditions
        #lints
        #visibility mod #name {
            #operation
            #(#gradients)*
        }
    }
}

fn function(
    item: &Item,
    attributes: &TokenStream,
    visibility: TokenStream,
    name: &Ident,
    arguments: Vec<Argument>,
) -> TokenStream {
    Function { attributes: attributes.clone(), visibility, name, consts: &item.consts, arguments }.tokens()
}

/// An operation with results of the right form.
fn operation(item: &Item, kind: ReductionKind, k: Option<&Dim>) -> TokenStream {
    let library = library();
    let reduction = reduction_type(kind, Some(k.unwrap_or(&Dim::ONE)));
    operation_alias(item, quote!(#library::Reduce<#library::Mistaken, #reduction>))
}
