//! The choices of a call: where it runs, how it adds up, which instructions it uses.

use crate::error::Error;
use crate::stream::Run;
use std::sync::Arc;

/// Where a reduction runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Backend {
    /// The best backend there is; which one it was is logged through `tracing`.
    #[default]
    Auto,
    /// The processor.
    Cpu,
    /// The CUDA device of this number.
    Cuda(u32),
}

/// How the terms of a sum are added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Accumulator {
    /// Plain sums of short blocks, added up with compensation: nearly as fast as a plain sum, nearly as exact as
    /// [`Accumulator::Kahan`].
    #[default]
    Block,
    /// Neumaier's compensated sum of all terms.
    Kahan,
    /// Terms in the type of the data, their sum in `f64`.
    F64,
}

/// Instructions of the processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Level {
    /// One number at a time.
    Scalar,
    /// AVX2 and FMA.
    Avx2,
    /// AVX-512 (F, BW, CD, DQ, VL).
    Avx512,
    /// NEON.
    Neon,
}

impl Level {
    /// All levels, slowest first.
    pub const ALL: [Level; 4] = [Level::Scalar, Level::Neon, Level::Avx2, Level::Avx512];

    /// Does this processor have these instructions?
    pub fn is_available(self) -> bool {
        match self {
            Level::Scalar => true,
            Level::Avx2 => has_avx2(),
            Level::Avx512 => has_avx512(),
            Level::Neon => has_neon(),
        }
    }

    /// The fastest level of this processor.
    pub fn best() -> Level {
        Level::ALL.into_iter().rev().find(|level| level.is_available()).unwrap_or(Level::Scalar)
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    has_avx2()
        && std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512bw")
        && std::arch::is_x86_feature_detected!("avx512cd")
        && std::arch::is_x86_feature_detected!("avx512dq")
        && std::arch::is_x86_feature_detected!("avx512vl")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx512() -> bool {
    false
}

#[cfg(target_arch = "aarch64")]
fn has_neon() -> bool {
    std::arch::is_aarch64_feature_detected!("neon")
}

#[cfg(not(target_arch = "aarch64"))]
fn has_neon() -> bool {
    false
}

/// The choices of one call, all of them defaults until said otherwise.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Where it runs.
    pub(crate) backend: Backend,
    /// How it adds up; `None` is the default.
    pub(crate) accumulator: Option<Accumulator>,
    /// Which instructions; `None` is the best there is.
    pub(crate) level: Option<Level>,
    /// The run in pieces that it is part of.
    pub(crate) run: Option<Arc<Run>>,
}

impl Options {
    /// The accumulator to use.
    pub fn accumulator(&self) -> Accumulator {
        self.accumulator.unwrap_or_default()
    }

    /// The instructions to use.
    pub fn level(&self) -> Level {
        self.level.unwrap_or_else(Level::best)
    }

    /// Refuses what this machine or this reduction cannot do.
    pub(crate) fn check(&self, formula: &'static str, accumulates: bool) -> Result<(), Error> {
        if let Some(accumulator) = self.accumulator
            && !accumulates
        {
            return Err(Error::NoAccumulation { formula, accumulator });
        }
        if let Some(level) = self.level
            && !level.is_available()
        {
            return Err(Error::NoLevel { formula, level });
        }
        if let Backend::Cuda(device) = self.backend {
            let error = |reason| Err(Error::NoBackend { formula, backend: format!("Cuda({device})"), reason });
            if cfg!(not(feature = "cuda")) {
                return error("keops was built without its feature `cuda`");
            }
            if self.level.is_some() {
                return error("instructions of the processor were asked for, too");
            }
        }
        Ok(())
    }
}
