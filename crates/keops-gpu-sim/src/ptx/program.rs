//! Decoded programs: what the interpreter executes.

use super::types::{Space, Type};
use std::collections::HashMap;

/// A value an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Operand {
    Register(u32),
    Immediate(u64),
    /// Index into a thread's table of special registers.
    Special(u8),
    Clock,
    /// Offset in the local memory of the current frame.
    Local(u32),
    /// Offset in the parameter memory of the current frame.
    Param(u32),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Alu {
    Mov,
    Add,
    Sub,
    Mul,
    MulHi,
    MulWide,
    Mad,
    MadHi,
    MadWide,
    Fma,
    Div,
    Rem,
    Min {
        nan: bool,
    },
    Max {
        nan: bool,
    },
    Neg,
    Abs,
    Copysign,
    Testp(Class),
    And,
    Or,
    Xor,
    Not,
    Cnot,
    Shl,
    Shr,
    /// `shf`: the 64-bit value (b, a) shifted, `wrap` takes the amount modulo 32.
    Funnel {
        left: bool,
        wrap: bool,
    },
    Select,
    Lop3(u8),
    Prmt,
    Bfe,
    Popc,
    Clz,
    Brev,
    Exp2,
    Log2,
    Sqrt,
    Rsqrt,
    Rcp,
    Sin,
    Cos,
    Tanh,
}

/// Classes of floating-point numbers that `testp` asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Class {
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Relation {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// True when neither side is NaN.
    Ordered,
    /// True when a side is NaN.
    Unordered,
}

/// A comparison; `or_unordered` makes it true for NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Comparison {
    pub(crate) relation: Relation,
    pub(crate) or_unordered: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Combine {
    None,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rounding {
    /// As the conversion does by itself: exact, or to nearest even.
    Default,
    Nearest,
    Zero,
    Down,
    Up,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Conversion {
    pub(crate) to: Type,
    pub(crate) from: Type,
    pub(crate) rounding: Rounding,
    /// `.rni` and its like: round to an integer (also for float to float).
    pub(crate) to_integer: bool,
    pub(crate) flush: bool,
    pub(crate) saturate: bool,
}

/// Where a memory instruction goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) space: Space,
    pub(crate) ty: Type,
    pub(crate) lanes: u8,
    pub(crate) base: Operand,
    pub(crate) offset: i64,
    /// Relaxed, acquire, release: takes part in synchronisation and races with nothing.
    pub(crate) strong: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Atomic {
    Add,
    Min,
    Max,
    Exchange,
    CompareAndSwap,
    And,
    Or,
    Xor,
    Increment,
    Decrement,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ShuffleMode {
    Up,
    Down,
    Butterfly,
    Index,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Vote {
    All,
    Any,
    Uniform,
    Ballot,
}

/// Instructions that the threads of a warp execute together.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WarpOp {
    Sync { mask: Operand },
    Shuffle { mode: ShuffleMode, dst: u32, inside: u32, value: Operand, lane: Operand, clamp: Operand, mask: Operand },
    Vote { vote: Vote, dst: u32, source: Operand, negate: bool, mask: Operand },
    Reduce { op: Atomic, ty: Type, dst: u32, value: Operand, mask: Operand },
    ActiveMask { dst: u32 },
}

/// A copy of bytes between two parameter frames: (from, to, size).
pub(crate) type ParamCopy = (u32, u32, u32);

#[derive(Clone, Debug)]
pub(crate) enum Op {
    Alu {
        alu: Alu,
        ty: Type,
        flush: bool,
        saturate: bool,
        dst: u32,
        args: [Operand; 3],
    },
    /// `setp`: two destinations, the second takes the negated comparison.
    Compare {
        test: Comparison,
        ty: Type,
        flush: bool,
        combine: Combine,
        dst: [u32; 2],
        args: [Operand; 3],
        negate: bool,
    },
    Convert {
        conversion: Conversion,
        dst: u32,
        source: Operand,
    },
    BitInsert {
        ty: Type,
        dst: u32,
        args: [Operand; 4],
    },
    Pack {
        part_bits: u8,
        dst: u32,
        parts: Vec<Operand>,
    },
    Unpack {
        part_bits: u8,
        dst: Vec<u32>,
        source: Operand,
    },
    Load {
        access: Access,
        dst: [u32; 4],
    },
    Store {
        access: Access,
        values: [Operand; 4],
    },
    Atomic {
        access: Access,
        op: Atomic,
        dst: u32,
        args: [Operand; 2],
    },
    /// Generic address to the address in `space`.
    ToSpace {
        space: Space,
        dst: u32,
        source: Operand,
    },
    ToGeneric {
        space: Space,
        dst: u32,
        source: Operand,
    },
    IsSpace {
        space: Space,
        dst: u32,
        source: Operand,
    },
    Branch(u32),
    BranchTable {
        index: Operand,
        targets: Vec<u32>,
    },
    Call {
        function: u32,
        args: Vec<ParamCopy>,
        returns: Vec<ParamCopy>,
    },
    Barrier {
        id: Operand,
        count: Option<Operand>,
        aligned: bool,
    },
    Warp(WarpOp),
    Return,
    Exit,
    Trap,
    /// Memory fences: the interpreter's memory is sequentially consistent.
    Nothing,
}

#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    pub(crate) op: Op,
    /// Predicate register and whether it is negated.
    pub(crate) guard: Option<(u32, bool)>,
    pub(crate) line: u32,
}

/// A parameter's place in the parameter memory of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slot {
    pub(crate) offset: usize,
    pub(crate) size: usize,
}

#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) entry: bool,
    pub(crate) code: Vec<Instruction>,
    /// Registers, of which the last one takes what `_` discards.
    pub(crate) registers: usize,
    pub(crate) params: Vec<Slot>,
    pub(crate) param_bytes: usize,
    pub(crate) local_bytes: usize,
    pub(crate) max_threads: Option<u32>,
}

/// A module ready to run.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) functions: Vec<Function>,
    pub(crate) entries: HashMap<String, usize>,
    /// Static shared memory, the same for all kernels of a module.
    pub(crate) shared_bytes: usize,
    /// The text's lines, for messages.
    pub(crate) lines: Vec<String>,
}
