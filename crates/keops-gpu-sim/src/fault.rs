//! What a kernel can do wrong.

use crate::driver::Status;

/// What the driver reports, and how messages call it.
pub(crate) type Kind = (Status, &'static str);

pub(crate) const OUT_OF_BOUNDS: Kind = (Status::IllegalAddress, "out-of-bounds access");
pub(crate) const MISALIGNED: Kind = (Status::MisalignedAddress, "misaligned access");
pub(crate) const TIMEOUT: Kind = (Status::LaunchTimeout, "instruction limit reached");
pub(crate) const TRAP: Kind = (Status::LaunchFailed, "trap");
// What a real device does not notice.
pub(crate) const UNINITIALISED: Kind = (Status::LaunchFailed, "read of uninitialised memory");
pub(crate) const RACE: Kind = (Status::LaunchFailed, "data race");
pub(crate) const BARRIER: Kind = (Status::LaunchFailed, "divergent barrier");
pub(crate) const BAD_BRANCH: Kind = (Status::LaunchFailed, "branch outside of its table");

/// A fault with its description.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) status: Status,
    pub(crate) what: String,
}

impl Fault {
    #[cold]
    pub(crate) fn new((status, name): Kind, what: &str) -> Self {
        Self { status, what: format!("{name}: {what}") }
    }

    /// An access of `len` bytes at `address` of the memory called `memory`.
    #[cold]
    pub(crate) fn access(kind: Kind, memory: &str, address: u64, len: usize) -> Self {
        Self::new(kind, &format!("{len} bytes at {memory} address {address:#x}"))
    }
}
