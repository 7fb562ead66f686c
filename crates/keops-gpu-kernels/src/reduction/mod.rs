//! The reductions: what a row remembers, how columns go into it, how two states merge, what comes out.
//!
//! Semantics are those of the engine of the processor: the first index wins ties, a NaN is never selected, exponents are
//! taken relative to their running maximum, sums of tiles are added up with compensation.

mod exponential;
mod extremum;
mod smallest;
mod sum;

pub use exponential::{LogSumExp, MaxSumShiftExp, SoftMaxRaw, SumSoftMaxWeight};
pub use extremum::{ArgMax, ArgMin, Max, MaxArgMax, Min, MinArgMin};
pub use smallest::{ArgKMin, KMin, KMinArgKMin};
pub use sum::Sum;

use keops_core::Formula;

/// A kind of reduction.
pub trait Kind: Copy + Send + Sync + 'static {
    /// Its name in formulas, without `_Reduction`.
    const NAME: &'static str;
    /// How many columns it selects; 0 where that is not said.
    const K: usize = 0;
    /// Is it linear in its terms, so that [`Formula::finish`] has something to do?
    const LINEAR: bool = false;
    /// Does it add terms up?
    const ACCUMULATES: bool = false;
}

/// A reduction of a formula.
pub trait Reduction<F: Formula>: Kind {
    /// Numbers in the state of a row.
    const STATE: usize;
    /// Indices in the state of a row.
    const STATE_INDICES: usize;
    /// Numbers per row in the result.
    const VALUES: usize;
    /// Indices per row in the result.
    const INDICES: usize;
    /// Numbers (and indices) of a row that change from column to column.
    const LIVE: usize;
}

/// Components of the outer vector that are summed together; 0 without an outer vector. Longer vectors are cut into
/// strips, and pairs are evaluated once for each strip.
pub const fn strip<F: Formula>() -> usize {
    if F::OUTER.len <= LONGEST_STRIP { F::OUTER.len } else { LONGEST_STRIP }
}

const LONGEST_STRIP: usize = 32;

/// Sums that are kept together: all of them, or those of a strip.
const fn sums<F: Formula>() -> usize {
    if F::OUTER.len > 0 { strip::<F>() } else { F::ACC }
}
