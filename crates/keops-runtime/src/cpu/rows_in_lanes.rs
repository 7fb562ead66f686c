//! Scheme *rows in lanes*: registers of rows, columns broadcast from a staged tile. The default.

use super::access::{Broadcast, Lanes};
use super::pairs::{
    Buffered, Four, Inline, OneByOne, TileColumns, TileRows, Tiling, Two, fill, fill_tiles, register_file, tile,
};
use super::plan::staged_columns;
use super::reduction::{Block, Reduction, sum};
use super::scheme::{
    self, Job, Scratch, States, buffered_columns, column_category, extract, inputs, is_wide, row_category,
    stage_columns, stage_rows, start,
};
use crate::domain::Span;
use crate::options::Accumulator;
use core::array::from_fn;
use core::marker::PhantomData;
use core::ops::Range;
use keops_core::{Formula, Real, Scalar, Shape};

/// Registers of rows that are worked on together, as many as leave room for temporaries.
pub(super) const fn registers<F: Formula, R: Reduction, L: Real>() -> usize {
    if is_wide::<F, R>() {
        return 2;
    }
    let file = register_file::<L>();
    let per_row = F::ROW + F::ACC;
    if file >= 32 && 4 * per_row <= 16 {
        4
    } else if 2 * per_row <= file / 2 {
        2
    } else {
        1
    }
}

/// Sums of wide pair vectors go directly to memory, four columns at a time.
const fn is_direct<F: Formula, R: Reduction>() -> bool {
    R::LINEAR && matches!(F::SHAPE, Shape::Wide) && F::OUTER.len == 0 && F::DIM > 4
}

/// One lane of the same type.
type One<L> = <<L as Real>::Scalar as Scalar>::Lane;

/// Walks rows × columns and leaves one state per row.
#[inline(always)]
pub(super) fn run<F: Formula, R: Reduction, L: Real>(
    job: &Job<'_, L::Scalar>,
    scratch: &mut Scratch<L::Scalar>,
    rows: Range<usize>,
    columns: Span<'_>,
    out: States<'_, L::Scalar>,
) {
    if is_direct::<F, R>() && job.accumulator == Accumulator::Block {
        walk::<F, R, L, Direct, 2>(job, scratch, rows, columns, out);
    } else if is_wide::<F, R>() || (R::ACCUMULATES && job.accumulator != Accumulator::Block) {
        walk::<F, R, L, ThroughBuffer, 2>(job, scratch, rows, columns, out);
    } else if const { registers::<F, R, L>() == 4 } {
        walk::<F, R, L, OnTheSpot, 4>(job, scratch, rows, columns, out);
    } else if const { registers::<F, R, L>() == 2 } {
        walk::<F, R, L, OnTheSpot, 2>(job, scratch, rows, columns, out);
    } else {
        walk::<F, R, L, OnTheSpot, 1>(job, scratch, rows, columns, out);
    }
}

/// [`run`] on one lane, outside any shell, so that it is compiled once for all levels.
#[inline(never)]
pub(super) fn one_lane<F: Formula, R: Reduction, T: Scalar>(
    job: &Job<'_, T>,
    scratch: &mut Scratch<T>,
    rows: Range<usize>,
    columns: Span<'_>,
    out: States<'_, T>,
) {
    run::<F, R, T::Lane>(job, scratch, rows, columns, out);
}

/// How a block of `NR` registers of rows meets a tile of columns.
trait Step {
    /// Numbers of buffer it needs.
    fn buffer<F: Formula>(block: usize) -> usize;
    /// Takes in the tile.
    ///
    /// # Safety
    /// All pointers must be valid for the staged values and the state of the block and `steps` columns.
    unsafe fn step<F: Formula, R: Reduction, L: Real, const NR: usize>(
        job: &Job<'_, L::Scalar>,
        rows: *const L::Scalar,
        columns: OneByOne<L::Scalar>,
        steps: usize,
        state: Block<L::Scalar, NR>,
        buffer: *mut L::Scalar,
    );
}

#[inline(always)]
fn walk<F: Formula, R: Reduction, L: Real, S: Step, const NR: usize>(
    job: &Job<'_, L::Scalar>,
    scratch: &mut Scratch<L::Scalar>,
    rows: Range<usize>,
    columns: Span<'_>,
    out: States<'_, L::Scalar>,
) {
    let block = NR * L::LANES;
    let blocks = rows.len().div_ceil(block);
    let (row_size, state_size) = (F::ROW * block, R::state::<F>() * block);
    scratch.reserve(blocks * row_size, F::COL * staged_columns(F::COL), blocks * state_size, S::buffer::<F>(block));
    start::<F, R, L::Scalar>(&mut scratch.state[..blocks * state_size], block);

    let mut input = inputs(job, &mut scratch.copies);
    for b in 0..blocks {
        let from = rows.start + b * block;
        let count = block.min(rows.end - from);
        // Lanes without a row repeat the last one.
        let source = input.tile::<F>(row_category::<F>(), from..from + count, block);
        for r in (0..block).step_by(L::LANES) {
            // SAFETY: there is room for `block` rows, and as many were asked for.
            unsafe { stage_rows::<F, L>(job, &source, r, scratch.rows.as_mut_ptr().add(b * row_size + r), block) };
        }
    }

    let first = columns.first();
    for columns in columns.parts() {
        let mut column = columns.start;
        while column < columns.end {
            let now = scheme::tile::<F>(column, &columns);
            let source = input.tile::<F>(column_category::<F>(), now.clone(), 0);
            // SAFETY: there is room for a tile of columns.
            unsafe { stage_columns::<F, One<L>>(job, &source, now.len(), scratch.columns.as_mut_ptr(), F::COL, 1) };
            let staged = OneByOne { base: scratch.columns.as_ptr(), width: F::COL, first: column - first };
            for b in 0..blocks {
                // SAFETY: rows, columns and state were reserved and filled above.
                unsafe {
                    let row = scratch.rows.as_ptr().add(b * row_size);
                    let state = Block::new(scratch.state.as_mut_ptr().add(b * state_size));
                    S::step::<F, R, L, NR>(job, row, staged, now.len(), state, scratch.buffer.as_mut_ptr());
                }
            }
            column = now.end;
        }
    }

    let (values, indices) = (R::state::<F>() - R::state_indices::<F>(), R::state_indices::<F>());
    for r in 0..rows.len() {
        let state = &scratch.state[r / block * state_size..][..state_size];
        extract::<L::Scalar>(
            state,
            block,
            r % block,
            first,
            &mut out.values[r * values..][..values],
            &mut out.indices[r * indices..][..indices],
        );
    }
}

/// Pairs are computed and taken in one by one.
struct OnTheSpot;

impl Step for OnTheSpot {
    fn buffer<F: Formula>(_: usize) -> usize {
        0
    }
    #[inline(always)]
    unsafe fn step<F: Formula, R: Reduction, L: Real, const NR: usize>(
        job: &Job<'_, L::Scalar>,
        rows: *const L::Scalar,
        columns: OneByOne<L::Scalar>,
        steps: usize,
        state: Block<L::Scalar, NR>,
        _: *mut L::Scalar,
    ) {
        // SAFETY: promised by the caller.
        let pairs: [_; NR] = from_fn(|r| unsafe {
            Inline {
                row: Lanes::new(rows.add(r * L::LANES), NR * L::LANES),
                columns,
                par: Broadcast::new(job.par.as_ptr()),
                steps,
                formula: PhantomData::<F>,
            }
        });
        R::tile::<F, L, _, NR>(&pairs, state);
    }
}

/// Pairs are computed into a buffer first.
struct ThroughBuffer;

impl Step for ThroughBuffer {
    fn buffer<F: Formula>(block: usize) -> usize {
        buffered_columns::<F>(block) * F::DIM * block
    }
    #[inline(always)]
    unsafe fn step<F: Formula, R: Reduction, L: Real, const NR: usize>(
        job: &Job<'_, L::Scalar>,
        rows: *const L::Scalar,
        columns: OneByOne<L::Scalar>,
        steps: usize,
        state: Block<L::Scalar, NR>,
        buffer: *mut L::Scalar,
    ) {
        let block = NR * L::LANES;
        let at_most = buffered_columns::<F>(block);
        let mut done = 0;
        while done < steps {
            let steps = at_most.min(steps - done);
            // SAFETY: `done` is a column of the tile.
            let base = unsafe { columns.base.add(done * columns.width) };
            let columns = OneByOne { base, first: columns.first + done, ..columns };
            // SAFETY: promised by the caller.
            unsafe {
                let par = Broadcast::new(job.par.as_ptr());
                if const { matches!(F::SHAPE, Shape::Wide) } {
                    if const { register_file::<L>() >= 32 } {
                        fill_tiles::<F, L, Four>(rows, block, columns, &par, steps, buffer);
                    } else {
                        fill_tiles::<F, L, Two>(rows, block, columns, &par, steps, buffer);
                    }
                } else {
                    for r in 0..NR {
                        let row = Lanes::new(rows.add(r * L::LANES), block);
                        fill::<F, L, _, _, _>(&row, &columns, &par, steps, buffer.add(r * L::LANES), block);
                    }
                }
            }
            let pairs: [_; NR] = from_fn(|r| Buffered {
                // SAFETY: register `r` of the block.
                base: unsafe { buffer.add(r * L::LANES) },
                block,
                columns,
                steps,
                formula: PhantomData::<F>,
            });
            R::buffered::<F, L, _, NR>(&pairs, state, job.accumulator);
            done += steps;
        }
    }
}

/// Terms are added to sums in memory.
struct Direct;

impl Step for Direct {
    fn buffer<F: Formula>(block: usize) -> usize {
        F::ACC * block
    }
    #[inline(always)]
    unsafe fn step<F: Formula, R: Reduction, L: Real, const NR: usize>(
        job: &Job<'_, L::Scalar>,
        rows: *const L::Scalar,
        columns: OneByOne<L::Scalar>,
        steps: usize,
        state: Block<L::Scalar, NR>,
        buffer: *mut L::Scalar,
    ) {
        const { assert!(NR == 2) };
        // SAFETY: promised by the caller.
        unsafe {
            core::slice::from_raw_parts_mut(buffer, F::ACC * NR * L::LANES).fill(<L::Scalar as Default>::default());
            if const { register_file::<L>() >= 32 } {
                add_tiles::<F, L, Four>(job, rows, columns, steps, buffer);
            } else {
                add_tiles::<F, L, Two>(job, rows, columns, steps, buffer);
            }
            sum::flush::<F, L, NR>(buffer, state);
        }
    }
}

/// Adds the terms of two registers of rows to the sums in `buffer`.
///
/// # Safety
/// As for [`Step::step`].
#[inline(always)]
unsafe fn add_tiles<F: Formula, L: Real, C: Tiling<L>>(
    job: &Job<'_, L::Scalar>,
    rows: *const L::Scalar,
    columns: OneByOne<L::Scalar>,
    steps: usize,
    buffer: *mut L::Scalar,
) {
    let stride = 2 * L::LANES;
    // SAFETY: promised by the caller.
    unsafe {
        let par = Broadcast::new(job.par.as_ptr());
        let mut j = 0;
        while j + C::COLUMNS <= steps {
            let y = TileColumns { base: columns.base.add(j * columns.width), width: columns.width };
            let mut sink = sum::AccumulateTile::<L, C> { base: buffer, of: PhantomData };
            tile::<F, L, C>(TileRows { base: rows, stride }, y, &par, &mut sink);
            j += C::COLUMNS;
        }
        while j < steps {
            let y = Broadcast::new(columns.base.add(j * columns.width));
            for r in 0..2 {
                let x = Lanes::new(rows.add(r * L::LANES), stride);
                F::pair::<L>(&x, &y, &par, &mut sum::AccumulateOne { base: buffer.add(r * L::LANES) });
            }
            j += 1;
        }
    }
}
