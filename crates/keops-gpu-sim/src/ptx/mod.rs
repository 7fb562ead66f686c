//! PTX text to programs: pieces of text, the outer structure, and kernels decoded into what the interpreter executes.

pub(crate) mod decode;
mod names;
mod opcode;
pub(crate) mod program;
pub(crate) mod source;
pub(crate) mod text;
pub(crate) mod types;
