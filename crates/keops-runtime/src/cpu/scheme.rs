//! What the two ways of walking a work item share: its inputs, its scratch memory, and the states it leaves.

use super::access::{Broadcast, Inputs, MOST_VARIABLES, Record, Write};
use super::plan::{TILE, staged_columns};
use super::reduction::{MATRIX_FROM, NONE, Reduction};
use crate::domain::{Origin, Table};
use crate::options::Accumulator;
use core::ops::Range;
use keops_core::{Category, Formula, Keep, Real, Scalar, Shape};

/// What the work items of a batch element have in common.
#[derive(Clone, Copy)]
pub(super) struct Job<'a, T> {
    pub(super) tables: &'a [Table<'a, T>],
    /// Lengths of the batch axes.
    pub(super) batch: &'a [usize],
    /// The batch element.
    pub(super) element: usize,
    /// Where the tables begin.
    pub(super) origin: Origin,
    /// Its staged parameters.
    pub(super) par: &'a [T],
    pub(super) accumulator: Accumulator,
}

/// The category of the rows of a formula.
pub(crate) const fn row_category<F: Formula>() -> Category {
    match F::KEEP {
        Keep::I | Keep::None => Category::Vi,
        Keep::J => Category::Vj,
    }
}

/// The category of its columns.
pub(crate) const fn column_category<F: Formula>() -> Category {
    match F::KEEP {
        Keep::I | Keep::None => Category::Vj,
        Keep::J => Category::Vi,
    }
}

/// Where a work item leaves the states of its rows: records of values and of absolute indices.
pub(super) struct States<'a, T> {
    pub(super) values: &'a mut [T],
    pub(super) indices: &'a mut [u64],
}

/// What a work item leaves.
pub(super) enum Out<'a, T> {
    States(States<'a, T>),
    /// Finished rows of sums, one after the other.
    Results(&'a mut [T]),
}

/// Values in the state of a row.
pub(super) fn state_values<F: Formula, R: Reduction>() -> usize {
    R::state::<F>() - R::state_indices::<F>()
}

/// Memory of a worker, reused from item to item.
#[derive(Default)]
pub(super) struct Scratch<T> {
    pub(super) rows: Vec<T>,
    pub(super) columns: Vec<T>,
    pub(super) state: Vec<T>,
    pub(super) buffer: Vec<T>,
    /// For [`Inputs`].
    pub(super) copies: Vec<Vec<T>>,
    /// States of further ranges of columns.
    pub(super) further: Records<T>,
    /// For *columns in lanes*.
    pub(super) spare: Spare<T>,
}

/// Memory for states and for what is walked beside an item's main part.
#[derive(Default)]
pub(super) struct Spare<T> {
    /// States of all rows of an item.
    pub(super) rows: Records<T>,
    /// The state of one row.
    pub(super) row: Records<T>,
    pub(super) scratch: Option<Box<Scratch<T>>>,
}

/// Values and indices of states.
#[derive(Default)]
pub(super) struct Records<T> {
    pub(super) values: Vec<T>,
    pub(super) indices: Vec<u64>,
}

impl<T: Scalar> Records<T> {
    /// States of `rows` rows with so many values and indices; what was there is not kept.
    pub(super) fn states(&mut self, rows: usize, values: usize, indices: usize) -> States<'_, T> {
        self.values.resize(rows * values, T::default());
        self.indices.resize(rows * indices, 0);
        States { values: &mut self.values, indices: &mut self.indices }
    }
}

impl<T: Scalar> Scratch<T> {
    /// Makes room; what was there is not kept.
    pub(super) fn reserve(&mut self, rows: usize, columns: usize, state: usize, buffer: usize) {
        for (v, n) in
            [(&mut self.rows, rows), (&mut self.columns, columns), (&mut self.state, state), (&mut self.buffer, buffer)]
        {
            if v.len() < n {
                v.resize(n, T::default());
            }
        }
    }
}

/// Does the formula go through a buffer of pair values, whatever the accumulator?
pub(super) const fn is_wide<F: Formula, R: Reduction>() -> bool {
    matches!(F::SHAPE, Shape::Wide) || (R::ACCUMULATES && F::OUTER.len >= MATRIX_FROM)
}

/// Columns whose pair values are buffered at a time, for `block` rows: the buffer stays in the cache.
pub(super) const fn buffered_columns<F: Formula>(block: usize) -> usize {
    let fit = BUFFER / (F::DIM * block);
    if fit >= TILE {
        TILE
    } else if fit < 4 {
        4
    } else {
        fit / 4 * 4
    }
}

/// Numbers of pair values that are buffered at a time.
const BUFFER: usize = 1 << 14;

/// Fills a state with what the reduction starts from: `registers` numbers per state number.
#[inline(always)]
pub(super) fn start<F: Formula, R: Reduction, T: Scalar>(state: &mut [T], registers: usize) {
    let values = R::state::<F>() - R::state_indices::<F>();
    for (k, numbers) in state.chunks_exact_mut(registers).enumerate() {
        let k = k % R::state::<F>();
        numbers.fill(if k < values { T::from_f64(R::start::<F>(k)) } else { T::from_raw(NONE) });
    }
}

/// The columns that are staged from `column` on.
pub(super) fn tile<F: Formula>(column: usize, columns: &Range<usize>) -> Range<usize> {
    column..(column + staged_columns(F::COL)).min(columns.end)
}

/// Reads the state of row `r` of a block with `registers` numbers per state number into record `out`.
#[inline(always)]
pub(super) fn extract<T: Scalar>(
    block: &[T],
    registers: usize,
    r: usize,
    first_column: usize,
    values: &mut [T],
    indices: &mut [u64],
) {
    for (k, v) in values.iter_mut().enumerate() {
        *v = block[k * registers + r];
    }
    let mask = if T::BITS == 32 { u64::from(u32::MAX) } else { u64::MAX };
    let from = values.len();
    for (k, i) in indices.iter_mut().enumerate() {
        let raw = block[(from + k) * registers + r].to_raw();
        *i = if raw == mask { NONE } else { first_column as u64 + raw };
    }
}

/// Stages a register of rows of `source`, the first of which is `row`: value `k` goes to `k · stride`.
///
/// # Safety
/// `out` must have room for all staged values at this stride, and `source` must hold the rows.
#[inline(always)]
pub(super) unsafe fn stage_rows<F: Formula, L: Real>(
    job: &Job<'_, L::Scalar>,
    source: &Record<F, L::Scalar>,
    row: usize,
    out: *mut L::Scalar,
    stride: usize,
) {
    // SAFETY: the staged parameters are a record of `PARAM` numbers; the rest is promised by the caller.
    unsafe { F::row::<L>(&source.row(row), &Broadcast::new(job.par.as_ptr()), &mut Write::new(out, stride)) };
}

/// Stages `count` columns, a register of them at a time: value `k` of column `c` goes to `c · step + k · stride`.
///
/// # Safety
/// `out` must have room for all staged values, and `source` must hold whole registers of columns.
#[inline(always)]
pub(super) unsafe fn stage_columns<F: Formula, L: Real>(
    job: &Job<'_, L::Scalar>,
    source: &Record<F, L::Scalar>,
    count: usize,
    out: *mut L::Scalar,
    step: usize,
    stride: usize,
) {
    for c in (0..count).step_by(L::LANES) {
        // SAFETY: the staged parameters are a record of `PARAM` numbers; the rest is promised by the caller.
        unsafe {
            let mut write = Write::new(out.add(c * step), stride);
            F::col::<L>(&source.row(c), &Broadcast::new(job.par.as_ptr()), &mut write);
        }
    }
}

/// Where the batch element of a job is in each table.
pub(super) fn positions<T>(tables: &[Table<'_, T>], batch: &[usize], element: usize) -> [usize; MOST_VARIABLES] {
    let mut positions = [0; MOST_VARIABLES];
    for (position, table) in positions.iter_mut().zip(tables) {
        *position = table.position(batch, element);
    }
    positions
}

/// Inputs of one work item.
pub(super) fn inputs<'j, 'c, T: Scalar>(job: &Job<'j, T>, copies: &'c mut Vec<Vec<T>>) -> Inputs<'j, 'c, T> {
    Inputs::new(job.tables, positions(job.tables, job.batch, job.element), job.origin, copies)
}
