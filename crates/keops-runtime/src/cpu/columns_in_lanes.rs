//! Scheme *columns in lanes*: one row against registers of columns. For few rows, where a register of rows would be
//! mostly empty: a single row then uses all lanes and, chunk by chunk, all cores.

use super::access::Broadcast;
use super::pairs::{Buffered, InLanes, fill};
use super::plan::staged_columns;
use super::reduction::{Block, Reduction, State};
use super::rows_in_lanes;
use super::scheme::{
    Job, Out, Scratch, States, buffered_columns, column_category, extract, inputs, row_category, stage_columns,
    stage_rows, start, tile,
};
use crate::domain::Span;
use core::marker::PhantomData;
use core::ops::Range;
use keops_core::{Formula, Real, Scalar};

/// Is this the scheme for so many rows?
pub(super) fn pays<L: Real>(rows: usize, columns: usize) -> bool {
    L::LANES > 1 && rows < 2 * L::LANES && columns >= L::LANES
}

/// Walks rows × neighbouring columns and leaves one state per row.
#[inline(always)]
pub(super) fn run<F: Formula, R: Reduction, L: Real>(
    job: &Job<'_, L::Scalar>,
    scratch: &mut Scratch<L::Scalar>,
    rows: Range<usize>,
    span: Span<'_>,
    out: States<'_, L::Scalar>,
) {
    let columns = span.first()..span.first() + span.len();
    let (values, indices) = (R::state::<F>() - R::state_indices::<F>(), R::state_indices::<F>());
    let state_size = R::state::<F>() * L::LANES;
    let whole = columns.start..columns.end - columns.len() % L::LANES;

    // The columns that fill no register, one at a time; they come last and are merged last.
    let mut rest = core::mem::take(&mut scratch.spare);
    let tail = rest.rows.states(rows.len(), values, indices);
    let inner = rest.scratch.get_or_insert_default();
    let tail_columns = span.part(whole.len()..columns.len());
    rows_in_lanes::one_lane::<F, R, L::Scalar>(job, inner, rows.clone(), tail_columns, Out::States(tail));

    let stride = staged_columns(F::COL);
    let at_most = buffered_columns::<F>(L::LANES);
    scratch.reserve(rows.len() * F::ROW, F::COL * stride, rows.len() * state_size, at_most * F::DIM * L::LANES);
    start::<F, R, L::Scalar>(&mut scratch.state[..rows.len() * state_size], L::LANES);
    let mut input = inputs(job, &mut scratch.copies);
    let source = input.tile::<F>(row_category::<F>(), rows.clone(), 0);
    for r in 0..rows.len() {
        let out = &mut scratch.rows[r * F::ROW..];
        // SAFETY: there is room for a record per row.
        unsafe { stage_rows::<F, <L::Scalar as Scalar>::Lane>(job, &source, r, out.as_mut_ptr(), 1) };
    }
    let iota: [L::Scalar; 16] = core::array::from_fn(|l| L::Scalar::from_raw(l as u64));

    let mut column = whole.start;
    while column < whole.end {
        let now = tile::<F>(column, &whole);
        let source = input.tile::<F>(column_category::<F>(), now.clone(), 0);
        // SAFETY: there is room for a tile of columns, values `stride` apart, and only whole registers are walked here.
        unsafe { stage_columns::<F, L>(job, &source, now.len(), scratch.columns.as_mut_ptr(), 1, stride) };
        let steps = now.len() / L::LANES;
        for r in 0..rows.len() {
            let mut done = 0;
            while done < steps {
                let steps = at_most.min(steps - done);
                // SAFETY: rows, columns, buffer and state were reserved and filled above.
                unsafe {
                    let columns = InLanes {
                        base: scratch.columns.as_ptr().add(done * L::LANES),
                        stride,
                        first: column - columns.start + done * L::LANES,
                        iota: iota.as_ptr(),
                    };
                    let row = Broadcast::new(scratch.rows.as_ptr().add(r * F::ROW));
                    let par = Broadcast::new(job.par.as_ptr());
                    let buffer = scratch.buffer.as_mut_ptr();
                    fill::<F, L, _, _, _>(&row, &columns, &par, steps, buffer, L::LANES);
                    let pairs = [Buffered { base: buffer, block: L::LANES, columns, steps, formula: PhantomData::<F> }];
                    let state = Block::new(scratch.state.as_mut_ptr().add(r * state_size));
                    R::buffered::<F, L, _, 1>(&pairs, state, job.accumulator);
                }
                done += steps;
            }
        }
        column = now.end;
    }

    let lane_state = rest.row.states(1, values, indices);
    for r in 0..rows.len() {
        let state = &scratch.state[r * state_size..][..state_size];
        let into = &mut out.values[r * values..][..values];
        let into_indices = &mut out.indices[r * indices..][..indices];
        extract::<L::Scalar>(state, L::LANES, 0, columns.start, into, into_indices);
        let mut merge = |values: &mut [L::Scalar], indices: &mut [u64]| {
            R::merge::<F, L::Scalar>(State { values: into, indices: into_indices }, State { values, indices });
        };
        for lane in 1..L::LANES {
            extract::<L::Scalar>(state, L::LANES, lane, columns.start, lane_state.values, lane_state.indices);
            merge(lane_state.values, lane_state.indices);
        }
        merge(&mut rest.rows.values[r * values..][..values], &mut rest.rows.indices[r * indices..][..indices]);
    }
    scratch.spare = rest;
}
