//! The function that a user calls: its signature, and its body, which only gathers the arguments.

use super::paths::library;
use crate::ir::Dim;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

/// An argument: its name, and how many numbers a row of it has (unknown after a mistake).
pub(super) struct Argument {
    pub(super) name: Ident,
    pub(super) dim: Option<Dim>,
}

/// The function `name`, which calls the operation `name::Op`.
pub(super) struct Function<'a> {
    /// Attributes and documentation.
    pub(super) attributes: TokenStream,
    /// `pub` and the like.
    pub(super) visibility: TokenStream,
    pub(super) name: &'a Ident,
    /// Const parameters.
    pub(super) consts: &'a [Ident],
    pub(super) arguments: Vec<Argument>,
}

impl Function<'_> {
    pub(super) fn tokens(&self) -> TokenStream {
        let library = library();
        let Self { attributes, visibility, name, consts, .. } = self;
        let number = self.number_type();
        let mut declared = Vec::new();
        let mut views = Vec::new();
        for Argument { name, dim } in &self.arguments {
            match dim {
                Some(dim) => {
                    let dim = dimension(dim);
                    let rows = quote!(#library::Rows<#number, #dim>);
                    declared.push(quote!(#name: &'a (impl #rows + ?Sized)));
                    views.push(quote!(<_ as #rows>::rows_view(#name)));
                }
                None => declared.push(quote!(#name: &'a (impl ?Sized))),
            }
        }
        let parameters = const_parameters(consts);
        let arguments = const_arguments(consts);
        quote! {
            #attributes
            #[allow(clippy::too_many_arguments, unused_variables)]
            #visibility fn #name<'a, #number: #library::Scalar #(, #parameters)*>(
                #(#declared),*
            ) -> #library::Call<'a, #name::Op #arguments, #number> {
                #library::Call::new([#(#views),*])
            }
        }
    }

    /// A name for the type of the data that is not that of a const parameter.
    fn number_type(&self) -> Ident {
        let mut name = "T".to_string();
        while self.consts.iter().any(|c| *c == name) {
            name.push('_');
        }
        Ident::new(&name, Span::call_site())
    }
}

/// A dimension as a const argument.
pub(super) fn dimension(dim: &Dim) -> TokenStream {
    match dim {
        Dim::Lit(n) => {
            let n = Literal::usize_unsuffixed(*n);
            quote!(#n)
        }
        Dim::Param(name) => {
            let name = Ident::new(name, Span::call_site());
            quote!(#name)
        }
    }
}

/// `const D: usize`, for each.
pub(super) fn const_parameters(consts: &[Ident]) -> Vec<TokenStream> {
    consts.iter().map(|c| quote!(const #c: usize)).collect()
}

/// `<D, E>`, or nothing.
pub(super) fn const_arguments(consts: &[Ident]) -> TokenStream {
    if consts.is_empty() { TokenStream::new() } else { quote!(<#(#consts),*>) }
}
