//! The engine of the processor.
//!
//! A call is cut into work items (row block × column chunk, [`plan`]). Each item is walked inside a shell for the
//! processor's instructions ([`level`]) by one of two schemes ([`rows_in_lanes`], [`columns_in_lanes`]) and leaves a state
//! per row; the states of a row's chunks are merged in order and finished ([`finish()`]).

mod access;
mod columns_in_lanes;
mod finish;
mod level;
mod pairs;
mod plan;
pub(crate) mod reduction;
mod rows_in_lanes;
mod scheme;

pub use reduction::{
    ArgKMin, ArgMax, ArgMin, KMin, KMinArgKMin, LogSumExp, Max, MaxArgMax, MaxSumShiftExp, Min, MinArgMin, Sum,
    SumSoftMaxWeight,
};
pub(crate) use reduction::{Reduction, SoftMaxRaw};

use crate::error::Error;
use crate::options::{Level, Options};
use access::{MOST_VARIABLES, Parameters, Rounded};
use core::ops::Range;
use finish::{Total, finish};
use keops_core::{Formula, Keep, Real, Scalar};
use level::{Kernel, dispatch};
use ndarray::{ArrayView2, ArrayViewMut2, Axis};
use plan::Plan;
use rayon::prelude::*;
use scheme::{Job, Scratch, States};

/// Runs one reduction.
///
/// `variables` come in the order of [`Formula::VARIABLES`] with checked shapes: `rows` rows for the kept index,
/// `columns` for the reduced one, one for parameters. Writes `R::values` numbers per row into `values` and `R::indices`
/// into `indices` ([`u64::MAX`] where no term was selected); with [`Keep::None`] both have one row.
pub(crate) fn reduce<F: Formula, R: Reduction, T: Scalar>(
    variables: &[ArrayView2<'_, T>],
    rows: usize,
    columns: usize,
    options: &Options,
    values: ArrayViewMut2<'_, T>,
    indices: ArrayViewMut2<'_, u64>,
) -> Result<(), Error> {
    const { assert!(F::VARIABLES.len() <= MOST_VARIABLES, "too many variables in one formula") };
    let mut par = Rounded(vec![T::default(); F::PARAM]);
    F::param(&Parameters(variables), &mut par);
    let job = Job { variables, par: &par.0, accumulator: options.accumulator() };
    let level = options.level();

    let number = size_of::<T>();
    let state_bytes = scheme::state_values::<F, R>() * number + R::state_indices::<F>() * size_of::<u64>();
    let plan = Plan::new(rows, columns, (F::ROW + R::state::<F>()) * number, state_bytes);

    if plan.blocks() * plan.chunks > 1 {
        // One change of threads for everything, if the caller is outside the pool.
        rayon::scope(|_| walk::<F, R, T>(&job, level, &plan, values, indices));
    } else {
        walk::<F, R, T>(&job, level, &plan, values, indices);
    }
    Ok(())
}

/// Walks all work items and finishes their rows.
fn walk<F: Formula, R: Reduction, T: Scalar>(
    job: &Job<'_, T>,
    level: Level,
    plan: &Plan,
    mut values: ArrayViewMut2<'_, T>,
    mut indices: ArrayViewMut2<'_, u64>,
) {
    let mut total = (F::KEEP == Keep::None).then(|| Total::new(F::OUT));
    let mut waiting = Waiting::new::<F, R>(plan);
    for first in (0..plan.blocks()).step_by(plan.wave) {
        let blocks = first..(first + plan.wave).min(plan.blocks());
        let items = waiting.split(blocks.len() * plan.chunks);
        items.into_par_iter().enumerate().for_each_init(Scratch::default, |scratch, (k, out)| {
            let (block, chunk) = (blocks.start + k / plan.chunks, k % plan.chunks);
            let (rows, columns) = (plan.rows(block), plan.columns(chunk));
            dispatch(level, Walk::<F, R, T> { job, scratch, rows, columns, out, of: core::marker::PhantomData });
        });

        let states = waiting.split_by(plan.chunks, blocks.len());
        if let Some(total) = &mut total {
            let parts: Vec<Total> = states
                .into_par_iter()
                .zip(blocks.clone())
                .map(|(states, block)| {
                    let mut part = Total::new(F::OUT);
                    finish::<F, R, T>(job, plan.rows(block), states, |_, row, _| part.add(row));
                    part
                })
                .collect();
            parts.iter().for_each(|part| total.merge(part));
        } else {
            let now = plan.rows(blocks.start).start..plan.rows(blocks.end - 1).end;
            let mut values = values.slice_axis_mut(Axis(0), now.clone().into());
            let mut indices = indices.slice_axis_mut(Axis(0), now.into());
            let outputs: Vec<_> = values
                .axis_chunks_iter_mut(Axis(0), plan.block)
                .zip(indices.axis_chunks_iter_mut(Axis(0), plan.block))
                .collect();
            states.into_par_iter().zip(outputs).zip(blocks).for_each(|((states, (mut values, mut indices)), block)| {
                finish::<F, R, T>(job, plan.rows(block), states, |r, row, row_indices| {
                    copy(&mut values, r, row);
                    copy(&mut indices, r, row_indices);
                });
            });
        }
    }
    if let Some(total) = total {
        values.iter_mut().zip(total.get()).for_each(|(to, from)| *to = T::from_f64(from));
    }
}

/// Writes one row.
#[inline(always)]
fn copy<T: Copy>(to: &mut ArrayViewMut2<'_, T>, r: usize, from: &[T]) {
    if let Some(all) = to.as_slice_mut() {
        all[r * from.len()..][..from.len()].copy_from_slice(from);
    } else {
        to.row_mut(r).iter_mut().zip(from).for_each(|(to, from)| *to = *from);
    }
}

/// One work item.
struct Walk<'a, 'j, F, R, T> {
    job: &'a Job<'j, T>,
    scratch: &'a mut Scratch<T>,
    rows: Range<usize>,
    columns: Range<usize>,
    out: States<'a, T>,
    of: core::marker::PhantomData<(F, R)>,
}

impl<F: Formula, R: Reduction, T: Scalar> Kernel<T> for Walk<'_, '_, F, R, T> {
    #[inline(always)]
    fn run<L: Real<Scalar = T>>(self) {
        let Walk { job, scratch, rows, columns, out, .. } = self;
        if L::LANES == 1 {
            rows_in_lanes::one_lane::<F, R, T>(job, scratch, rows, columns, out);
        } else if columns_in_lanes::pays::<L>(rows.len(), columns.len()) {
            columns_in_lanes::run::<F, R, L>(job, scratch, rows, columns, out);
        } else {
            rows_in_lanes::run::<F, R, L>(job, scratch, rows, columns, out);
        }
    }
}

/// States of a wave of row blocks that wait to be merged: block by block, chunk by chunk, row by row.
struct Waiting<T> {
    values: Vec<T>,
    indices: Vec<u64>,
    /// Values and indices of one work item.
    item: (usize, usize),
    block: usize,
}

impl<T: Scalar> Waiting<T> {
    fn new<F: Formula, R: Reduction>(plan: &Plan) -> Self {
        let item = (plan.block * scheme::state_values::<F, R>(), plan.block * R::state_indices::<F>());
        let items = plan.wave.min(plan.blocks()) * plan.chunks;
        Waiting {
            values: vec![T::default(); items * item.0],
            indices: vec![0; items * item.1],
            item,
            block: plan.block,
        }
    }

    /// Room for `items` work items.
    fn split(&mut self, items: usize) -> Vec<States<'_, T>> {
        self.split_by(1, items)
    }

    /// The same in groups of `chunks` items.
    fn split_by(&mut self, chunks: usize, groups: usize) -> Vec<States<'_, T>> {
        let (mut values, mut indices) = (&mut self.values[..], &mut self.indices[..]);
        (0..groups)
            .map(|_| States {
                values: values.split_off_mut(..chunks * self.item.0).unwrap_or_default(),
                indices: indices.split_off_mut(..chunks * self.item.1).unwrap_or_default(),
                block: self.block,
            })
            .collect()
    }
}
