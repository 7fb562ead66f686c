//! The `keops!` procedural macro. Everything it does is in `keops-codegen`; everything about its use is in the
//! documentation of the `keops` crate.

use proc_macro::TokenStream;

/// Compiles formulas.
#[proc_macro]
pub fn keops(input: TokenStream) -> TokenStream {
    keops_codegen::expand(input.into()).into()
}
