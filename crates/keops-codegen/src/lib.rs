//! Compiler.
pub mod ast;
mod mistakes;
mod spelling;
pub mod parse;
pub mod diff;
pub mod ir;
pub mod ops;
mod simplify;
