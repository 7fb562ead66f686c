//! Finds calls of `keops!` in the text of a source file.
//!
//! The file is read as tokens, so that strings and comments are not mistaken for calls, and calls inside functions, modules
//! and other macros are found. It is not expanded: a formula that a macro puts together is not seen.

use proc_macro2::{TokenStream, TokenTree};

/// A call of `keops!`.
#[derive(Debug)]
pub(crate) struct Call {
    /// Line of the call, from 1.
    pub(crate) line: usize,
    /// What is between its brackets.
    pub(crate) tokens: TokenStream,
}

/// The calls in a file; an error if it is not Rust.
pub(crate) fn calls(text: &str) -> Result<Vec<Call>, String> {
    let mut calls = Vec::new();
    if text.contains("keops") {
        let tokens: TokenStream = text.parse().map_err(|error| format!("{error}"))?;
        collect(tokens, &mut calls);
    }
    Ok(calls)
}

fn collect(tokens: TokenStream, calls: &mut Vec<Call>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_macro = |at: usize, name: &str| {
        matches!(
            tokens.get(at.wrapping_sub(2)..at),
            Some([TokenTree::Ident(ident), TokenTree::Punct(mark)]) if ident == name && mark.as_char() == '!'
        )
    };
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        if is_macro(at, "keops") {
            // In the rules of a macro a formula has holes.
            if !has_holes(group.stream()) {
                calls.push(Call { line: group.span_open().start().line, tokens: group.stream() });
            }
        } else {
            collect(group.stream(), calls);
        }
    }
}

fn has_holes(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => has_holes(group.stream()),
        TokenTree::Punct(punct) => punct.as_char() == '$',
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(usize, String)> {
        calls(text).unwrap().into_iter().map(|call| (call.line, call.tokens.to_string())).collect()
    }

    #[test]
    fn calls_are_found_wherever_they_are() {
        let text = "
            use keops::keops;
            keops! { a }
            mod inner {
                fn f() {
                    let k = keops::keops!(b);
                    assert_eq!(::keops::keops![c](&x).run(), 1);
                }
            }
            #[cfg(test)]
            keops! { d }
            keops! {
                e
            }";
        let expected = [(3, "a"), (6, "b"), (7, "c"), (11, "d"), (12, "e")];
        assert_eq!(found(text), expected.map(|(line, text)| (line, text.to_string())));
    }

    #[test]
    fn text_is_not_code() {
        let text = r##"
            // keops! { comment }
            /* keops! { comment } /* nested keops! { comment } */ */
            /// keops! { documentation }
            #[doc = "keops! { attribute }"]
            const A: &str = "keops! { string }";
            const B: &str = r#"keops! { "raw string" }"#;
            const C: &[u8] = b"keops!(bytes)";
            const D: char = '"'; keops! { real }
            fn f<'a>(keops: &'a u8) -> bool { !keops & (1 != 2) }
        "##;
        assert_eq!(found(text), [(9, "real".to_string())]);
    }

    #[test]
    fn rules_of_macros_have_holes() {
        let text = "macro_rules! m { ($d:literal) => { keops! { fn f(x: Vi<$d>) } keops! { whole } } }";
        assert_eq!(found(text), [(1, "whole".to_string())]);
    }

    #[test]
    fn other_names_are_other_macros() {
        assert_eq!(found("not_keops! { a } keops_build! { b } keops { c } keops != (d)"), []);
    }

    #[test]
    fn what_is_not_rust_is_an_error() {
        assert!(calls("keops! { ( }").is_err());
    }
}
