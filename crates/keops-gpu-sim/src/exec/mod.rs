//! The interpreter: warps whose lanes run in step, blocks, launches.

mod access;
pub(crate) mod compute;
pub(crate) mod convert;
mod float;
mod integer;
pub(crate) mod launch;
mod value;
pub(crate) mod warp;
