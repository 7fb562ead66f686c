//! Decoded programs: what the interpreter executes.

use super::types::{Space, Type};
use std::collections::HashMap;

/// Threads of a warp.
pub(crate) const WARP: usize = 32;
/// A register's values in the lanes of a warp. Each holds the bits of its type and zeros above them.
pub(crate) type Lanes = [u64; WARP];
/// Number of a register in a kernel.
pub(crate) type Register = u32;
/// The register that nobody reads: destination of what is discarded, and stand-in for missing arguments.
pub(crate) const NOWHERE: Register = 0;
/// Most arguments of an instruction.
pub(crate) const ARGUMENTS: usize = 4;
/// An instruction that only computes, for all lanes at once.
pub(crate) type Compute = Box<dyn Fn([&Lanes; ARGUMENTS]) -> Lanes + Send + Sync>;
/// The value that replaces one in memory, which comes first.
pub(crate) type Update = Box<dyn Fn([u64; 3]) -> u64 + Send + Sync>;

/// Where a memory instruction goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) space: Space,
    pub(crate) ty: Type,
    /// 1, or the length of a vector.
    pub(crate) elements: usize,
    pub(crate) base: Register,
    pub(crate) offset: i64,
    /// Relaxed, acquire, release, atomic: takes part in synchronisation and races with nothing.
    pub(crate) strong: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

/// Instructions that threads of a warp execute together.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Collective {
    Sync,
    /// `inside` is the predicate that tells whether the lane asked for is in range.
    Shuffle {
        mode: Shuffle,
        dst: Register,
        inside: Register,
        value: Register,
        lane: Register,
        clamp: Register,
    },
}

pub(crate) enum Op {
    Compute {
        compute: Compute,
        dst: Register,
        args: [Register; ARGUMENTS],
    },
    /// `mov` of a vector of registers of `bits` bits each into one.
    Pack {
        bits: u32,
        dst: Register,
        parts: Vec<Register>,
    },
    Unpack {
        bits: u32,
        dst: Vec<Register>,
        source: Register,
    },
    Load {
        access: Access,
        dst: [Register; 4],
    },
    Store {
        access: Access,
        values: [Register; 4],
    },
    Atomic {
        access: Access,
        update: Update,
        dst: Register,
        args: [Register; 2],
    },
    Branch(usize),
    BranchTable {
        index: Register,
        targets: Vec<usize>,
    },
    Barrier,
    Collective {
        op: Collective,
        mask: Register,
    },
    Exit,
    Trap,
    /// Memory fences: the interpreter's memory is sequentially consistent.
    Nothing,
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
