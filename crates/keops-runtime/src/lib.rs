//! Data views, the call builder and the engines of keops.
//!
//! A call goes through three steps: its arguments are looked at as [`Rows`], the builder [`Call`] collects choices, and
//! running it checks shapes and hands plain tables to an engine. Anything wrong is an [`Error`]; nothing panics.

mod call;
pub mod cluster;
mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
mod domain;
mod engine;
mod error;
mod gradient;
mod located;
mod memory;
mod mistaken;
mod operation;
mod options;
mod pointwise;
mod rows;
mod rows_known;
mod stream;

pub use call::{Batched, Call};
#[cfg(feature = "cuda")]
pub use cuda::{DeviceInfo, DeviceNumber, DeviceRows, devices};
pub use domain::{Offsets, Ranges};
pub use error::Error;
/// The number types of data: `f32` and `f64`.
pub use keops_core::Scalar as Real;
pub use keops_core::{Category, Variable};
pub use operation::Target;
pub use options::{Accumulator, Backend, Level};
pub use rows::{Rows, RowsDimension, RowsView};
pub use rows_known::RowsOfKnownDimension;
pub use stream::{BlockRows, FileRows, Progress};

/// What generated code refers to. No promises are made about it.
#[doc(hidden)]
pub mod __private {
    pub use crate::call::Call;
    pub use crate::cpu::{
        ArgKMin, ArgMax, ArgMin, KMin, KMinArgKMin, LogSumExp, Max, MaxArgMax, MaxSumShiftExp, Min, MinArgMin, Sum,
        SumSoftMaxWeight,
    };
    pub use crate::gradient::{DiffSelected, DiffSums, GradExponential, GradSelected, GradSums};
    pub use crate::mistaken::Mistaken;
    pub use crate::operation::{Additive, Form, Gradient, Operation, Reduce};
    pub use crate::rows::{Rows, RowsView};
    pub use crate::rows_known::RowsOfKnownDimension;
    pub use keops_core::{
        Category, Formula, Int, Keep, Mask, Outer, Ptx, Real, Scalar, Shape, Sink, Source, Stage, Staged, Values,
        Variable,
    };
}
