//! What a kernel can do wrong.

/// The kind of a fault, which decides the status that the driver reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    OutOfBounds,
    Misaligned,
    Uninitialised,
    Race,
    Barrier,
    Divergence,
    Trap,
    Timeout,
    BadBranch,
}

impl Kind {
    /// How messages call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::OutOfBounds => "out-of-bounds access",
            Self::Misaligned => "misaligned access",
            Self::Uninitialised => "read of uninitialised memory",
            Self::Race => "data race",
            Self::Barrier => "divergent barrier",
            Self::Divergence => "divergent warp operation",
            Self::Trap => "trap",
            Self::Timeout => "instruction limit reached",
            Self::BadBranch => "branch outside of its table",
        }
    }
}

/// A fault with its description.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    pub(crate) what: String,
}

impl Fault {
    #[cold]
    pub(crate) fn new(kind: Kind, what: impl Into<String>) -> Self {
        Self { kind, what: what.into() }
    }

    /// An access of `len` bytes at `address` of the memory called `memory`.
    #[cold]
    pub(crate) fn access(kind: Kind, memory: &str, address: u64, len: usize) -> Self {
        Self::new(kind, format!("{len} bytes at {memory} address {address:#x}"))
    }
}
