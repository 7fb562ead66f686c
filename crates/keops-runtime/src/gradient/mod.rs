//! Gradients of reductions that are not sums.
//!
//! The gradient of a sum is a sum, so it needs nothing of its own. Those of the exponential reductions and of the
//! selections are a forward reduction followed by a sum. Their derivatives in turn are rows made of exponential sums, or
//! values at selected pairs, and the gradients of these.

mod exponential;
mod neumaier;
mod pairs;
mod selected;
mod sums;

pub use exponential::GradExponential;
pub(crate) use neumaier::Neumaier;
pub use selected::{DiffSelected, GradSelected};
pub use sums::{DiffSums, GradSums};
