//! The formula compiler of keops: what is behind `keops!`.
//!
//! [`parse`] tokens → syntax tree · [`check`] names, arity, dimensions, categories; after it there are no source positions ·
//! [`ir`] hash-consed graph of typed nodes, simplified as it is built · [`diff`] derivatives · [`schedule`] what is computed how
//! often · [`emit`] nodes → tokens · [`kernel`] what GPUs run; [`ops`] is the table of operations that drives them all. Nothing here reads a file, starts
//! a process or knows an engine.

pub mod ast;
mod ast_text;
pub mod check;
pub mod diff;
pub mod emit;
pub mod eval;
mod expand;
pub mod ir;
pub mod kernel;
mod mistakes;
pub mod ops;
pub mod parse;
#[cfg(test)]
mod reference;
pub mod schedule;
mod simplify;
mod spelling;

pub use expand::{expand, expand_for};
pub use mistakes::{Mistake, Mistakes};

use proc_macro2::TokenStream;

/// Compiles the formulas of a call of `keops!` down to their nodes.
///
/// # Errors
/// If there is anything wrong with one of them: then everything that is wrong with any of them.
pub fn compile(input: TokenStream) -> Result<Vec<check::Checked>, Mistakes> {
    let mut mistakes = Mistakes::new();
    let items = parse::parse(input, &mut mistakes);
    let checked: Vec<_> = items.iter().filter_map(|item| check::item(item, &mut mistakes).1).collect();
    if mistakes.is_empty() { Ok(checked) } else { Err(mistakes) }
}
