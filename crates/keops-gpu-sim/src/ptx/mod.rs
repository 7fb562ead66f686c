//! From PTX text to decoded functions.

pub(crate) mod decode;
pub(crate) mod lexer;
pub(crate) mod link;
pub(crate) mod opcode;
pub(crate) mod operand;
pub(crate) mod program;
pub(crate) mod source;
pub(crate) mod sync;
pub(crate) mod types;
