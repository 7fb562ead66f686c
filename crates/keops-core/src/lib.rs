//! The part of keops that knows no engine: lane types ([`Real`]), their maths, and the traits through which
//! an emitted formula ([`Formula`]) meets whatever drives it.
//!
//! The crate is `no_std` and builds for the host and for GPU targets alike.
#![no_std]

/// The sources of this crate, by their paths in `src`: kernels are compiled together with them.
#[cfg(not(target_arch = "nvptx64"))]
pub const SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/sources.rs"));

pub mod formula;
pub mod lanes;
pub mod math;
pub mod real;

pub use formula::{Category, Formula, Keep, Outer, Ptx, Shape, Sink, Source, Stage, Staged, Values, Variable};
pub use real::{Int, Mask, Real, Scalar};
