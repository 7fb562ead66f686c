//! Decoded programs: what the interpreter executes.

use super::types::{Space, Type};
use std::collections::HashMap;

/// Threads of a warp.
pub(crate) const WARP: usize = 32;
/// A register's values in the lanes of a warp.
pub(crate) type Lanes = [u64; WARP];
/// Number of a register in a kernel.
pub(crate) type Register = u32;
/// The register that nobody reads: destination of what is discarded, and stand-in for missing arguments.
pub(crate) const NOWHERE: Register = 0;
/// The register that holds the carry between additions of several words.
pub(crate) const CARRY: Register = 1;
/// Most arguments of an instruction.
pub(crate) const ARGUMENTS: usize = 3;
/// An instruction that only computes, for all lanes at once.
pub(crate) type Compute = Box<dyn Fn([&Lanes; ARGUMENTS]) -> Lanes + Send + Sync>;

/// Where a memory instruction goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) space: Space,
    pub(crate) ty: Type,
    /// 1, or the length of a vector.
    pub(crate) elements: usize,
    pub(crate) base: Register,
    pub(crate) offset: i64,
}

impl Access {
    pub(crate) fn bytes(&self) -> usize {
        self.ty.bytes() * self.elements
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Carry {
    pub(crate) subtract: bool,
    pub(crate) input: bool,
    pub(crate) output: bool,
    pub(crate) bits: u32,
}

/// An instruction; registers that are written come first.
pub(crate) enum Op {
    Compute(Register, Compute, [Register; ARGUMENTS]),
    /// Addition or subtraction in a chain: which one, whether the carry goes in and out, and the bits of the words.
    Carry(Register, [Register; 2], Carry),
    /// `mov` of the parts of a register, of so many bits each, into registers.
    Unpack([Register; 2], Register, u32),
    Load([Register; 4], Access),
    Store(Access, [Register; 4]),
    Branch(usize),
    BranchTable(Register, Vec<usize>),
    Barrier,
    Exit,
    Trap,
}

pub(crate) struct Instruction {
    pub(crate) op: Op,
    /// Predicate register and whether it is negated.
    pub(crate) guard: Option<(Register, bool)>,
    pub(crate) line: u32,
}

/// What a register holds when a thread starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Initial {
    Constant(u64),
    /// Index into [`super::types::SPECIALS`].
    Special(usize),
}

/// A kernel with the functions that it calls in their places.
pub(crate) struct Kernel {
    pub(crate) name: String,
    pub(crate) code: Vec<Instruction>,
    pub(crate) registers: usize,
    pub(crate) initial: HashMap<Initial, Register>,
    /// Offset and size of each parameter.
    pub(crate) params: Vec<(usize, usize)>,
    pub(crate) param_bytes: usize,
    pub(crate) local_bytes: usize,
    pub(crate) max_threads: Option<u32>,
}

/// A module ready to run.
pub(crate) struct Program {
    pub(crate) kernels: Vec<Kernel>,
    /// Static shared memory, the same for all kernels of a module.
    pub(crate) shared_bytes: usize,
    /// The text's lines, for messages.
    pub(crate) lines: Vec<String>,
}
