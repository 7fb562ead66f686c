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

use crate::bank::Bank;
use crate::nest::{Nest, Shape};
use crate::number::Number;
use crate::pairs::{Pairs, Strip};
use crate::records::{Records, States};
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
    /// Numbers (and indices) of a row that change from column to column and are kept in a [`Bank`].
    const LIVE: usize;
    /// Number of the state that the first number of the bank is.
    const FIRST: usize;
    /// Numbers of the state from a sum to its carry.
    const CARRY: usize;

    /// Does it look at single pairs? Otherwise it looks at several columns together.
    const SINGLE: bool = true;

    /// Begins an item.
    fn begin<T: Number, S: Shape<T>, B: Bank<T, S>>(
        bank: &mut B,
        running: &mut Running<S::Row>,
        records: Records<T, S>,
        strip: Strip,
    );
    /// Takes in some columns.
    fn take<T, S, N, B, P>(bank: &mut B, running: &mut Running<S::Row>, pairs: &P, strip: Strip)
    where
        T: Number,
        S: Shape<T>,
        N: Nest<S::Row>,
        B: Bank<T, S>,
        P: Pairs<T, S, N>;
    /// Moves sums from registers to the states.
    fn settle<T: Number, S: Shape<T>, B: Bank<T, S>>(
        bank: &mut B,
        running: &mut Running<S::Row>,
        records: Records<T, S>,
        strip: Strip,
    );
    /// Ends an item whose first column is `base`.
    fn leave<T: Number, S: Shape<T>, B: Bank<T, S>>(
        bank: &B,
        running: &Running<S::Row>,
        records: Records<T, S>,
        strip: Strip,
        base: u64,
    );
    /// Merges `count` records from `first` on, `step` apart, into the first of them.
    fn merge<T: Number>(states: States<T>, first: u64, step: u64, count: u64);
    /// The result of a record, or of no columns at all; sums that [`Formula::finish`] is to see are left in its numbers.
    fn finish<T: Number>(
        states: States<T>,
        record: Option<u64>,
        value: impl FnMut(usize, T),
        index: impl FnMut(usize, u64),
    );
}

/// What an exponential reduction keeps beside its sums.
#[derive(Debug, Clone, Copy)]
pub struct Running<Q> {
    /// The largest exponent.
    pub top: Q,
    /// What is subtracted from exponents.
    pub origin: Q,
    /// What it was when sums were moved to the states.
    pub settled: Q,
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
