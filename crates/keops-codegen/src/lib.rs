//! Compiler.
pub mod ast;
mod mistakes;
mod spelling;
pub mod parse;
