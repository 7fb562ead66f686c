//! Whatever is written between the brackets of `keops!`, the compiler answers with code or with mistakes.
//!
//! `cargo +nightly fuzz run formula -- -dict=fuzz/formula.dict`
#![no_main]

use libfuzzer_sys::fuzz_target;
use proc_macro2::TokenStream;

fuzz_target!(|text: &str| {
    if let Ok(tokens) = text.parse::<TokenStream>() {
        let _ = keops_codegen::expand(tokens);
    }
});
