//! Gradients of reductions that are not sums.
//!
//! The gradient of a sum is a sum, so it needs nothing of its own. Those of the exponential reductions and of the
//! selections are a forward reduction followed by a sum.

mod exponential;
mod neumaier;
mod pairs;
mod selected;

pub use exponential::GradExponential;
pub(crate) use neumaier::Neumaier;
pub use selected::GradSelected;
