//! `Sum`: Σ over columns.
//!
//! State: the sums, then what was lost when they were rounded.

use super::{Kind, Reduction, sums};
use keops_core::Formula;

/// `Sum_Reduction`.
#[derive(Debug, Clone, Copy)]
pub struct Sum;

impl Kind for Sum {
    const NAME: &'static str = "Sum";
    const LINEAR: bool = true;
    const ACCUMULATES: bool = true;
}

impl<F: Formula> Reduction<F> for Sum {
    const STATE: usize = 2 * F::ACC;
    const STATE_INDICES: usize = 0;
    const VALUES: usize = F::OUT;
    const INDICES: usize = 0;
    const LIVE: usize = sums::<F>();
}
