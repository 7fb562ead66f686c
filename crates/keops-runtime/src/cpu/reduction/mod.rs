//! The reductions: how a tile of pairs goes into a row's state, how two states merge, what comes out.
//!
//! While a chunk of columns is walked, the state of a register of rows is a few registers. Afterwards it is a plain
//! record of numbers per row (`State`), in which two chunks merge; merging in chunk order makes the result independent
//! of the number of threads.

mod accumulate;
mod exponential;
mod extremum;
mod matrix;
mod smallest;
pub(super) mod sum;

pub(super) use accumulate::two_sum;
pub(crate) use exponential::SoftMaxRaw;
pub use exponential::{LogSumExp, MaxSumShiftExp, SumSoftMaxWeight};
pub use extremum::{ArgMax, ArgMin, Max, MaxArgMax, Min, MinArgMin};
pub(super) use matrix::MATRIX_FROM;
pub use smallest::{ArgKMin, KMin, KMinArgKMin};
pub use sum::Sum;

use super::pairs::{Buffered, Columns, Pairs};
use crate::options::Accumulator;
use keops_core::{Formula, Real, Scalar};

/// Raw state number of an index that no column has claimed.
pub(super) const NONE: u64 = u64::MAX;

/// A reduction over columns. Implemented by the types of this module only.
pub trait Reduction: Copy + Send + Sync + 'static {
    /// Its name in formulas, without `_Reduction`.
    const NAME: &'static str;
    /// Is it linear in its terms, so that what depends on the kept index only may leave it?
    const LINEAR: bool = false;
    /// Does the accumulation scheme matter to it?
    const ACCUMULATES: bool = false;
    /// How many columns it needs at least.
    const K: usize = 0;

    /// Numbers per row in the state, indices included.
    #[doc(hidden)]
    fn state<F: Formula>() -> usize;
    /// How many of them, the last ones, are indices.
    #[doc(hidden)]
    fn state_indices<F: Formula>() -> usize;
    /// Values per row in the result.
    fn values<F: Formula>() -> usize;
    /// Indices per row in the result.
    fn indices<F: Formula>() -> usize;
    /// What state number `k` (not an index) starts from.
    #[doc(hidden)]
    fn start<F: Formula>(k: usize) -> f64;
    /// Merges the state of later columns into that of earlier ones.
    #[doc(hidden)]
    fn merge<F: Formula, T: Scalar>(into: State<'_, T>, from: State<'_, T>);
    /// The result of a row before [`Formula::finish`].
    #[doc(hidden)]
    fn finish<F: Formula, T: Scalar>(state: State<'_, T>, values: &mut [T], indices: &mut [u64]);

    /// Takes in a tile, pairs computed when asked for.
    #[doc(hidden)]
    #[allow(private_bounds, private_interfaces)]
    fn tile<F: Formula, L: Real, V: Pairs<F, L>, const NR: usize>(pairs: &[V; NR], state: Block<L::Scalar, NR>);

    /// Takes in a tile whose pairs were buffered; may overwrite the buffer.
    #[doc(hidden)]
    #[allow(private_bounds, private_interfaces)]
    #[inline(always)]
    fn buffered<F: Formula, L: Real, Y: Columns<L>, const NR: usize>(
        pairs: &[Buffered<F, L::Scalar, Y>; NR],
        state: Block<L::Scalar, NR>,
        _accumulator: Accumulator,
    ) {
        Self::tile(pairs, state);
    }
}

/// The state of one row.
#[doc(hidden)]
#[derive(Debug)]
pub struct State<'a, T> {
    /// Its numbers.
    pub values: &'a mut [T],
    /// Its indices, absolute, [`NONE`] where there is none.
    pub indices: &'a mut [u64],
}

/// The state of a block of `NR` registers of rows: number `k` of register `r` is a register at `(k · NR + r) · LANES`.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Block<T, const NR: usize>(*mut T);

impl<T: Scalar, const NR: usize> Block<T, NR> {
    /// # Safety
    /// `base` must be valid for the numbers of the reduction's state for `NR` registers.
    #[inline(always)]
    pub(super) unsafe fn new(base: *mut T) -> Self {
        Block(base)
    }
    /// Reads number `k` of register `r`.
    #[inline(always)]
    fn get<L: Real<Scalar = T>>(self, k: usize, r: usize) -> L {
        // SAFETY: promised to `new`.
        unsafe { L::load(self.0.add((k * NR + r) * L::LANES)) }
    }
    /// Writes number `k` of register `r`.
    #[inline(always)]
    fn set<L: Real<Scalar = T>>(self, k: usize, r: usize, v: L) {
        // SAFETY: promised to `new`.
        unsafe { v.store(self.0.add((k * NR + r) * L::LANES)) }
    }
}

/// Lanes whose index is [`NONE`]. All its bits are set, which makes it the one index that is NaN as a number.
#[inline(always)]
fn open<L: Real>(index: L::Int) -> L::Mask {
    let bits = L::from_bits(index);
    !bits.eq(bits)
}
