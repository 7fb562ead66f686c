//! Lane types: what a [`crate::Real`] is on each kind of hardware.

pub mod scalar;

pub use scalar::{F32x1, F64x1};
