//! The memories of a device: global allocations, a block's shared memory, generic addresses.

pub(crate) mod address;
pub(crate) mod bytes;
pub(crate) mod global;
pub(crate) mod shared;
