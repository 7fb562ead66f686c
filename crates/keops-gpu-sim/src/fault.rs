//! What a kernel can do wrong.

use std::fmt;

/// The kind of a fault, which decides the status that the driver reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    OutOfBounds,
    Misaligned,
    Uninitialised,
    ReadOnly,
    Race,
    Barrier,
    Divergence,
    Trap,
    StackOverflow,
    Timeout,
    BadBranch,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OutOfBounds => "out-of-bounds access",
            Self::Misaligned => "misaligned access",
            Self::Uninitialised => "read of uninitialised memory",
            Self::ReadOnly => "write to read-only memory",
            Self::Race => "data race",
            Self::Barrier => "divergent barrier",
            Self::Divergence => "divergent warp operation",
            Self::Trap => "trap",
            Self::StackOverflow => "stack overflow",
            Self::Timeout => "instruction limit reached",
            Self::BadBranch => "branch outside of its table",
        })
    }
}

/// A fault with its description.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    pub(crate) what: String,
}

impl Fault {
    pub(crate) fn new(kind: Kind, what: impl Into<String>) -> Self {
        Self { kind, what: what.into() }
    }

    /// An access of `len` bytes at `address` of the memory called `memory`.
    #[cold]
    pub(crate) fn access(kind: Kind, memory: &str, address: u64, len: usize) -> Self {
        Self::new(kind, format!("{len} bytes at {memory} address {address:#x}"))
    }
}
