//! The `keops!` procedural macro. What it does is in `keops-codegen`; everything about its use is in the documentation of the
//! `keops` crate.

mod device;

use proc_macro::TokenStream;

/// Compiles formulas.
#[proc_macro]
pub fn keops(input: TokenStream) -> TokenStream {
    device::with(|device| keops_codegen::expand_for(device, input.into())).0.into()
}
