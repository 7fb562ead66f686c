//! Paths into the library.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// The hidden module that generated code refers to. Its name holds the version, so that a macro of one version never meets
/// a library of another.
pub(crate) fn library() -> TokenStream {
    let module = Ident::new(&crate::kernel::module(), Span::call_site());
    quote!(::keops::#module)
}
