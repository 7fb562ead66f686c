//! Scheme *rows in lanes*: registers of rows, columns broadcast from a staged tile. The default.

use super::access::{Broadcast, Lanes};
use super::pairs::{
    Buffered, Four, Inline, OneByOne, TileColumns, TileRows, Tiling, Two, fill, fill_tiles, register_file, tile,
};
use super::plan::staged_columns;
use super::reduction::{Block, Reduction, sum};
use super::scheme::{
    self, Job, Out, Scratch, States, buffered_columns, column_category, extract, inputs, is_wide, row_category,
    stage_columns, stage_rows, start,
};
use crate::domain::Span;
use crate::options::Accumulator;
use core::array::from_fn;
use core::marker::PhantomData;
use core::ops::Range;
use keops_core::{Formula, Real, Scalar, Shape, Stage};

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
    out: Out<'_, L::Scalar>,
) {
    // Constant conditions: what is not reached is not compiled.
    if const { is_wide::<F, R>() } {
        if const { is_direct::<F, R>() } && job.accumulator == Accumulator::Block {
            walk::<F, R, L, Direct, 2>(job, scratch, rows, columns, out);
        } else {
            walk::<F, R, L, ThroughBuffer, 2>(job, scratch, rows, columns, out);
        }
    } else if const { R::ACCUMULATES } && job.accumulator != Accumulator::Block {
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
    out: Out<'_, T>,
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
    /// Can it take in single registers of rows, too?
    const SINGLE: bool = false;
    /// Takes in the tile for one register of rows.
    ///
    /// # Safety
    /// As for [`Step::step`].
    unsafe fn single<F: Formula, R: Reduction, L: Real>(
        _job: &Job<'_, L::Scalar>,
        _row: *const L::Scalar,
        _columns: OneByOne<L::Scalar>,
        _steps: usize,
        _state: Block<L::Scalar, 1>,
    ) {
    }
}

#[inline(always)]
fn walk<F: Formula, R: Reduction, L: Real, S: Step, const NR: usize>(
    job: &Job<'_, L::Scalar>,
    scratch: &mut Scratch<L::Scalar>,
    rows: Range<usize>,
    columns: Span<'_>,
    out: Out<'_, L::Scalar>,
) {
    let cut = Cut::new::<L, S, NR>(rows.len());
    let (row_size, state_size) = (F::ROW * L::LANES, R::state::<F>() * L::LANES);
    let registers = cut.registers();
    let buffer = S::buffer::<F>(NR * L::LANES);
    scratch.reserve(registers * row_size, F::COL * staged_columns(F::COL), registers * state_size, buffer);
    for (first, count) in cut.blocks() {
        let state = &mut scratch.state[first * state_size..][..count * state_size];
        start::<F, R, L::Scalar>(state, count * L::LANES);
    }

    let mut input = inputs(job, &mut scratch.copies);
    for (first, count) in cut.blocks() {
        let from = rows.start + first * L::LANES;
        let to = rows.end.min(from + count * L::LANES);
        // Lanes without a row hold any other.
        let source = input.tile::<F>(row_category::<F>(), from..to, count * L::LANES);
        for r in 0..count {
            // SAFETY: there is room for a block of rows, and as many were asked for.
            unsafe {
                let out = scratch.rows.as_mut_ptr().add(first * row_size + r * L::LANES);
                stage_rows::<F, L>(job, &source, r * L::LANES, out, count * L::LANES);
            }
        }
    }

    let first_column = columns.first();
    for columns in columns.parts() {
        let mut column = columns.start;
        while column < columns.end {
            let now = scheme::tile::<F>(column, &columns);
            let source = input.tile::<F>(column_category::<F>(), now.clone(), 0);
            // SAFETY: there is room for a tile of columns.
            unsafe { stage_columns::<F, One<L>>(job, &source, now.len(), scratch.columns.as_mut_ptr(), F::COL, 1) };
            let staged = OneByOne { base: scratch.columns.as_ptr(), width: F::COL, first: column - first_column };
            // SAFETY: rows, columns and state were reserved and filled above.
            unsafe {
                let (rows, state) = (scratch.rows.as_ptr(), scratch.state.as_mut_ptr());
                let (steps, buffer) = (now.len(), scratch.buffer.as_mut_ptr());
                for b in 0..cut.blocks {
                    let (row, state) = (rows.add(b * NR * row_size), Block::new(state.add(b * NR * state_size)));
                    S::step::<F, R, L, NR>(job, row, staged, steps, state, buffer);
                }
                for r in cut.blocks * NR..registers {
                    let state = Block::new(state.add(r * state_size));
                    S::single::<F, R, L>(job, rows.add(r * row_size), staged, steps, state);
                }
            }
            column = now.end;
        }
    }

    let mut results = match out {
        Out::States(out) => {
            leave::<F, R, L>(scratch, cut, rows.len(), first_column, out);
            return;
        }
        Out::Results(results) => results,
    };
    if const { R::LINEAR } {
        for (first, count) in cut.blocks() {
            let mine = results.len().min(count * L::LANES * F::OUT);
            let mine = results.split_off_mut(..mine).unwrap_or_default();
            // SAFETY: rows and state were reserved and filled above.
            unsafe {
                let row = scratch.rows.as_ptr().add(first * row_size);
                let state = scratch.state.as_mut_ptr().add(first * state_size);
                if count == NR {
                    finish_sums::<F, L, NR>(job, row, Block::new(state), mine);
                } else {
                    finish_sums::<F, L, 1>(job, row, Block::new(state), mine);
                }
            }
        }
    }
}

/// Reads the states of all rows into records.
#[inline(always)]
fn leave<F: Formula, R: Reduction, L: Real>(
    scratch: &Scratch<L::Scalar>,
    cut: Cut,
    rows: usize,
    first_column: usize,
    out: States<'_, L::Scalar>,
) {
    let state_size = R::state::<F>() * L::LANES;
    let (values, indices) = (R::state::<F>() - R::state_indices::<F>(), R::state_indices::<F>());
    for (first, count) in cut.blocks() {
        let state = &scratch.state[first * state_size..][..count * state_size];
        for r in first * L::LANES..rows.min((first + count) * L::LANES) {
            extract::<L::Scalar>(
                state,
                count * L::LANES,
                r - first * L::LANES,
                first_column,
                &mut out.values[r * values..][..values],
                &mut out.indices[r * indices..][..indices],
            );
        }
    }
}

/// How rows are cut into blocks of registers.
#[derive(Debug, Clone, Copy)]
struct Cut {
    /// Blocks of several registers.
    blocks: usize,
    /// Registers of a block.
    each: usize,
    /// Single registers behind them.
    singles: usize,
}

impl Cut {
    #[inline(always)]
    fn new<L: Real, S: Step, const NR: usize>(rows: usize) -> Cut {
        let registers = rows.div_ceil(L::LANES);
        let (blocks, singles) = (registers / NR, registers % NR);
        if S::SINGLE {
            Cut { blocks, each: NR, singles }
        } else {
            Cut { blocks: registers.div_ceil(NR), each: NR, singles: 0 }
        }
    }

    fn registers(self) -> usize {
        self.blocks * self.each + self.singles
    }

    /// First register and number of registers of each block.
    #[inline(always)]
    fn blocks(self) -> impl Iterator<Item = (usize, usize)> {
        let blocks = (0..self.blocks).map(move |b| (b * self.each, self.each));
        blocks.chain((0..self.singles).map(move |r| (self.blocks * self.each + r, 1)))
    }
}

/// Finishes the sums of a block of rows, a register at a time, into one row of results after the other.
///
/// # Safety
/// `rows` and `state` must be those of the block.
#[cfg_attr(debug_assertions, inline(never))]
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn finish_sums<F: Formula, L: Real, const NR: usize>(
    job: &Job<'_, L::Scalar>,
    rows: *const L::Scalar,
    state: Block<L::Scalar, NR>,
    results: &mut [L::Scalar],
) {
    for (r, results) in results.chunks_mut(L::LANES * F::OUT.max(1)).enumerate() {
        let sums = sum::Totals { state, r, formula: PhantomData::<F> };
        // SAFETY: promised by the caller.
        let (row, par) =
            unsafe { (Lanes::new(rows.add(r * L::LANES), NR * L::LANES), Broadcast::new(job.par.as_ptr())) };
        F::finish::<L>(&row, &par, &sums, &mut Rows { results, width: F::OUT });
    }
}

/// Writes lanes to neighbouring rows, as many as there are.
struct Rows<'a, T> {
    results: &'a mut [T],
    width: usize,
}

impl<L: Real> Stage<L> for Rows<'_, L::Scalar> {
    #[inline(always)]
    fn put(&mut self, k: usize, v: L) {
        let mut lanes = [L::Scalar::default(); 16];
        // SAFETY: no register has more than 16 lanes.
        unsafe { v.store(lanes.as_mut_ptr()) };
        for (row, lane) in self.results.chunks_exact_mut(self.width).zip(lanes) {
            row[k] = lane;
        }
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
    const SINGLE: bool = true;
    #[inline(always)]
    unsafe fn single<F: Formula, R: Reduction, L: Real>(
        job: &Job<'_, L::Scalar>,
        row: *const L::Scalar,
        columns: OneByOne<L::Scalar>,
        steps: usize,
        state: Block<L::Scalar, 1>,
    ) {
        // SAFETY: promised by the caller.
        unsafe { Self::step::<F, R, L, 1>(job, row, columns, steps, state, core::ptr::null_mut()) };
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
