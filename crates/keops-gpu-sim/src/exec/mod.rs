//! Execution of a launch: blocks one after the other, the threads of a block in turns from barrier to barrier.

pub(crate) mod access;
pub(crate) mod arithmetic;
pub(crate) mod atomic;
pub(crate) mod barrier;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod float;
pub(crate) mod launch;
pub(crate) mod thread;
pub(crate) mod warp;
