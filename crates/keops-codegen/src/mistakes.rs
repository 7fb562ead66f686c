//! Collects everything that is wrong with a formula, so that the user sees all of it at once.

use crate::ast::Place;
use proc_macro2::TokenStream;
use quote::quote_spanned;

/// One thing that is wrong, and where.
#[derive(Debug, Clone)]
pub struct Mistake {
    /// Where the compiler points.
    pub at: Place,
    /// What is wrong and what to write instead.
    pub message: String,
}

/// All mistakes found so far.
#[derive(Debug, Clone, Default)]
pub struct Mistakes(Vec<Mistake>);

impl Mistakes {
    /// Nothing wrong yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Notes a mistake.
    pub fn add(&mut self, at: impl Into<Place>, message: impl Into<String>) {
        self.0.push(Mistake { at: at.into(), message: message.into() });
    }

    /// Takes over the errors of a `syn` parser.
    pub fn add_syn(&mut self, error: &syn::Error) {
        for e in error.clone() {
            self.add(e.span(), e.to_string());
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Is everything right so far?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// In the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = &Mistake> {
        self.0.iter()
    }

    /// One `compile_error!` per mistake, each on its tokens.
    pub fn to_compile_errors(&self) -> TokenStream {
        self.0
            .iter()
            .map(|Mistake { at, message }| {
                // rustc underlines from the first token of an invocation to its last, so a mistake that covers several
                // tokens has its first span on the path and its last on the group.
                let path = quote_spanned!(at.start=> ::core::compile_error!);
                let group = quote_spanned!(at.end=> { #message });
                quote::quote!(#path #group)
            })
            .collect()
    }
}
