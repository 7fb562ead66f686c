//! Types, state spaces and special registers as PTX names them.

/// A fundamental PTX type; the number is its width in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Predicate,
    Bits(u8),
    Unsigned(u8),
    Signed(u8),
    Float(u8),
}

impl Type {
    /// The type called `name` (without its dot). Half-precision types are not modelled.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "pred" => Self::Predicate,
            "b8" => Self::Bits(8),
            "b16" => Self::Bits(16),
            "b32" => Self::Bits(32),
            "b64" => Self::Bits(64),
            "u8" => Self::Unsigned(8),
            "u16" => Self::Unsigned(16),
            "u32" => Self::Unsigned(32),
            "u64" => Self::Unsigned(64),
            "s8" => Self::Signed(8),
            "s16" => Self::Signed(16),
            "s32" => Self::Signed(32),
            "s64" => Self::Signed(64),
            "f32" => Self::Float(32),
            "f64" => Self::Float(64),
            _ => return None,
        })
    }

    pub(crate) fn bits(self) -> u32 {
        match self {
            Self::Predicate => 1,
            Self::Bits(n) | Self::Unsigned(n) | Self::Signed(n) | Self::Float(n) => u32::from(n),
        }
    }

    pub(crate) fn bytes(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Self::Signed(_))
    }
}

/// A state space; constants live in global memory, marked read-only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Generic,
    Global,
    Const,
    Shared,
    Local,
    Param,
}

impl Space {
    /// The space called `name` (without its dot; qualifiers such as `shared::cta` are cut off).
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name.split("::").next().unwrap_or(name) {
            "global" => Self::Global,
            "const" => Self::Const,
            "shared" => Self::Shared,
            "local" => Self::Local,
            "param" => Self::Param,
            _ => return None,
        })
    }
}

/// Special registers with a value of their own in each thread, in the order of a thread's table.
pub(crate) const SPECIALS: [&str; 24] = [
    "%tid.x",
    "%tid.y",
    "%tid.z",
    "%ntid.x",
    "%ntid.y",
    "%ntid.z",
    "%ctaid.x",
    "%ctaid.y",
    "%ctaid.z",
    "%nctaid.x",
    "%nctaid.y",
    "%nctaid.z",
    "%laneid",
    "%warpid",
    "%nwarpid",
    "%lanemask_eq",
    "%lanemask_le",
    "%lanemask_lt",
    "%lanemask_ge",
    "%lanemask_gt",
    "%dynamic_smem_size",
    "%total_smem_size",
    "%smid",
    "%nsmid",
];

/// Keeps the low `bits` bits.
pub(crate) fn truncate(value: u64, bits: u32) -> u64 {
    if bits >= 64 { value } else { value & ((1 << bits) - 1) }
}

/// Reads the low `bits` bits as a signed number.
pub(crate) fn signed(value: u64, bits: u32) -> i64 {
    if bits >= 64 { value as i64 } else { ((value << (64 - bits)) as i64) >> (64 - bits) }
}
