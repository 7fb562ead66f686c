//! The function that a user calls: its signature, and its body, which only gathers the arguments.

use super::paths::library;
use crate::ir::Dim;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

/// An argument: its name, and how many numbers a row of it has (unknown after a mistake).
#[derive(Clone)]
pub(super) struct Argument {
    pub(super) name: Ident,
    pub(super) dim: Option<Dim>,
    /// Is it the type of this argument that tells the dimension?
    pub(super) tells: bool,
}

impl Argument {
    /// An argument whose dimension is settled.
    pub(super) fn of(name: &Ident, dim: Option<Dim>) -> Self {
        Argument { name: name.clone(), dim, tells: false }
    }
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
    /// Positions of arguments that are passed on once more, after the variables that were declared.
    pub(super) copies: &'a [usize],
    /// How many arguments are variables that were declared.
    pub(super) declared: usize,
}

impl Function<'_> {
    pub(super) fn tokens(&self) -> TokenStream {
        let library = library();
        let Self { attributes, visibility, name, consts, .. } = self;
        let number = self.number_type();
        let mut declared = Vec::new();
        let mut views = Vec::new();
        for Argument { name, dim, tells } in &self.arguments {
            match dim {
                Some(dim) => {
                    let dim = dimension(dim);
                    let rows = quote!(#library::Rows<#number, #dim>);
                    let bound =
                        if *tells { quote!(#library::RowsOfKnownDimension<#number, #dim>) } else { rows.clone() };
                    declared.push(quote!(#name: &'a (impl #bound + ?Sized)));
                    views.push(quote!(<_ as #rows>::rows_view(#name)));
                }
                None => declared.push(quote!(#name: &'a (impl ?Sized))),
            }
        }
        if views.len() == self.arguments.len() {
            let copies: Vec<TokenStream> = self.copies.iter().map(|&k| views[k].clone()).collect();
            views.splice(self.declared..self.declared, copies);
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
