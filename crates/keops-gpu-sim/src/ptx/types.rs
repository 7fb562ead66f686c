//! Types, state spaces and special registers as PTX names them.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Predicate,
    Bits,
    Unsigned,
    Signed,
    Float,
}

/// A fundamental PTX type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    pub(crate) kind: Kind,
    pub(crate) bits: u32,
}

impl Type {
    pub(crate) const U32: Self = Self { kind: Kind::Unsigned, bits: 32 };
    pub(crate) const U64: Self = Self { kind: Kind::Unsigned, bits: 64 };
    pub(crate) const PREDICATE: Self = Self { kind: Kind::Predicate, bits: 1 };

    /// The type called `name` (without its dot). Half-precision types are not modelled.
    pub(crate) fn named(name: &str) -> Option<Self> {
        if name == "pred" {
            return Some(Self::PREDICATE);
        }
        let (kind, bits) = name.split_at_checked(1)?;
        let kind = match kind {
            "b" => Kind::Bits,
            "u" => Kind::Unsigned,
            "s" => Kind::Signed,
            "f" => Kind::Float,
            _ => return None,
        };
        let bits = bits.parse().ok().filter(|bits| [8, 16, 32, 64].contains(bits))?;
        (kind != Kind::Float || bits >= 32).then_some(Self { kind, bits })
    }

    pub(crate) fn bytes(self) -> usize {
        self.bits.div_ceil(8) as usize
    }

    pub(crate) fn is_signed(self) -> bool {
        self.kind == Kind::Signed
    }

    pub(crate) fn is_float(self) -> bool {
        self.kind == Kind::Float
    }
}

/// A state space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Generic,
    Global,
    Shared,
    Local,
    Param,
}

impl Space {
    /// The space called `name` (without its dot; qualifiers such as `shared::cta` are cut off).
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name.split("::").next().unwrap_or(name) {
            "global" => Self::Global,
            "shared" => Self::Shared,
            "local" => Self::Local,
            "param" => Self::Param,
            _ => return None,
        })
    }
}

/// Special registers with a value of their own in each thread, in the order in which a launch sets them.
pub(crate) const SPECIALS: &str = "%tid.x %tid.y %tid.z %ntid.x %ntid.y %ntid.z %ctaid.x %ctaid.y %ctaid.z \
    %nctaid.x %nctaid.y %nctaid.z %laneid %warpid %nwarpid %lanemask_lt %dynamic_smem_size %total_smem_size";

/// Extends the low `bits` bits with zeros.
pub(crate) fn truncate(value: u64, bits: u32) -> u64 {
    if bits >= 64 { value } else { value & ((1 << bits) - 1) }
}

/// Extends the low `bits` bits with the highest of them.
pub(crate) fn sign_extend(value: u64, bits: u32) -> u64 {
    if bits >= 64 { value } else { (((value << (64 - bits)) as i64) >> (64 - bits)) as u64 }
}
