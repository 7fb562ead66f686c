//! The engine of the processor.
//!
//! A call is cut into work items (row block × chunk of the columns it sees, [`plan`]). Each item is walked inside a shell for the
//! processor's instructions ([`level`]) by one of two schemes ([`rows_in_lanes`], [`columns_in_lanes`]) and leaves a state
//! per row; the states of a row's chunks are merged in order and finished ([`finish()`]).

mod access;
mod columns_in_lanes;
mod finish;
mod level;
mod pairs;
mod parameters;
mod plan;
pub(crate) mod reduction;
mod rows_in_lanes;
mod scheme;

pub use reduction::{
    ArgKMin, ArgMax, ArgMin, KMin, KMinArgKMin, LogSumExp, Max, MaxArgMax, MaxSumShiftExp, Min, MinArgMin, Sum,
    SumSoftMaxWeight,
};
pub(crate) use reduction::{Reduction, SoftMaxRaw};

use crate::domain::{Domain, Span, Table};
use crate::error::Error;
use crate::options::{Accumulator, Level, Options};
use access::MOST_VARIABLES;
use core::marker::PhantomData;
use core::ops::Range;
use finish::{Desk, Total, finish};
use keops_core::{Formula, Keep, Real, Scalar};
use level::{Kernel, dispatch};
use ndarray::{ArrayViewMut2, Axis};
use parameters::Parameters;
use plan::{Group, Groups, LONGEST_CHUNK};
use rayon::prelude::*;
use reduction::State;
use scheme::{Job, Scratch, States};

/// Runs one reduction.
///
/// `tables` come in the order of [`Formula::VARIABLES`] with checked shapes: as many rows as the pattern of `domain` has for
/// the kept index, as many as it has columns for the reduced one, one for parameters. Writes `R::values` numbers per row and
/// batch element into `values` and `R::indices` into `indices` ([`u64::MAX`] where no term was selected); with
/// [`Keep::None`] both have one row per batch element.
pub(crate) fn reduce<F: Formula, R: Reduction, T: Scalar>(
    tables: &[Table<'_, T>],
    domain: &Domain<'_>,
    options: &Options,
    values: ArrayViewMut2<'_, T>,
    indices: ArrayViewMut2<'_, u64>,
) -> Result<(), Error> {
    const { assert!(F::VARIABLES.len() <= MOST_VARIABLES, "too many variables in one formula") };
    let parameters = Parameters::<T>::stage::<F>(tables, domain);
    let tables: Vec<_> = tables.iter().map(Table::view).collect();
    let work = Work { tables: &tables, domain, parameters: &parameters, accumulator: options.accumulator() };
    let level = options.level();

    let groups = Groups::new(domain, (F::ROW + R::state::<F>()) * size_of::<T>());
    if groups.is_single() {
        walk::<F, R, T>(&work, level, groups, values, indices);
    } else {
        // One change of threads for everything, if the caller is outside the pool.
        rayon::scope(|_| walk::<F, R, T>(&work, level, groups, values, indices));
    }
    Ok(())
}

/// What all work items of a call have in common.
struct Work<'a, T> {
    tables: &'a [Table<'a, T>],
    domain: &'a Domain<'a>,
    parameters: &'a Parameters<T>,
    accumulator: Accumulator,
}

impl<'a, T: Scalar> Work<'a, T> {
    /// What the work items of a batch element have in common.
    fn job(&self, element: usize) -> Job<'a, T> {
        let par = self.parameters.of(element);
        Job { tables: self.tables, batch: self.domain.batch, element, par, accumulator: self.accumulator }
    }
}

/// Walks all work items and finishes their rows.
fn walk<F: Formula, R: Reduction, T: Scalar>(
    work: &Work<'_, T>,
    level: Level,
    mut groups: Groups<'_>,
    mut values: ArrayViewMut2<'_, T>,
    mut indices: ArrayViewMut2<'_, u64>,
) {
    let domain = work.domain;
    let size = (scheme::state_values::<F, R>(), R::state_indices::<F>());
    let state_bytes = size.0 * size_of::<T>() + size.1 * size_of::<u64>();
    let mut totals = (F::KEEP == Keep::None).then(|| vec![Total::new(F::OUT); domain.elements.len()]);
    let mut waiting = Waiting::default();
    let mut wave = Vec::new();
    let mut row = 0;
    loop {
        groups.wave(&mut wave, state_bytes);
        if wave.is_empty() {
            break;
        }
        waiting.reserve(wave.iter().map(Group::records).sum(), size);
        let items: Vec<_> = waiting
            .split(wave.iter().flat_map(|group| core::iter::repeat_n(group.rows.len(), group.chunks)), size)
            .zip(wave.iter().flat_map(|group| (0..group.chunks).map(move |chunk| (group, chunk))))
            .collect();
        items.into_par_iter().for_each_init(Scratch::default, |scratch, (out, (group, chunk))| {
            let (job, columns) = (&work.job(group.element), group.columns(domain, chunk));
            let rows = group.rows.clone();
            dispatch(level, Walk::<F, R, T> { job, scratch, rows, columns, out, of: PhantomData });
        });

        let states: Vec<_> = waiting.split(wave.iter().map(Group::records), size).zip(&wave).collect();
        if let Some(totals) = &mut totals {
            let parts: Vec<Total> = states
                .into_par_iter()
                .map_init(Desk::default, |desk, (states, group)| {
                    let mut part = Total::new(F::OUT);
                    let job = work.job(group.element);
                    finish::<F, R, T>(&job, group.rows.clone(), states, desk, |_, row, _| part.add(row));
                    part
                })
                .collect();
            for (part, group) in parts.iter().zip(&wave) {
                totals[group.element - domain.elements.start].merge(part);
            }
        } else {
            let first = row;
            row += wave.iter().map(|group| group.rows.len()).sum::<usize>();
            let outputs: Vec<_> = states
                .into_iter()
                .zip(split_rows(values.slice_axis_mut(Axis(0), (first..row).into()), &wave))
                .zip(split_rows(indices.slice_axis_mut(Axis(0), (first..row).into()), &wave))
                .collect();
            outputs.into_par_iter().for_each_init(
                Desk::default,
                |desk, (((states, group), mut values), mut indices)| {
                    let job = work.job(group.element);
                    finish::<F, R, T>(&job, group.rows.clone(), states, desk, |r, row, row_indices| {
                        copy(&mut values, r, row);
                        copy(&mut indices, r, row_indices);
                    });
                },
            );
        }
    }
    for (total, mut row) in totals.iter().flatten().zip(values.outer_iter_mut()) {
        row.iter_mut().zip(total.get()).for_each(|(to, from)| *to = T::from_f64(from));
    }
}

/// The rows of each group, which follow one another.
fn split_rows<'v, A>(table: ArrayViewMut2<'v, A>, wave: &[Group]) -> impl Iterator<Item = ArrayViewMut2<'v, A>> {
    let mut rest = Some(table);
    wave.iter().map_while(move |group| {
        let (rows, behind) = rest.take()?.split_at(Axis(0), group.rows.len());
        rest = Some(behind);
        Some(rows)
    })
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
    columns: Span<'a>,
    out: States<'a, T>,
    of: PhantomData<(F, R)>,
}

impl<F: Formula, R: Reduction, T: Scalar> Kernel<T> for Walk<'_, '_, F, R, T> {
    #[inline(always)]
    fn run<L: Real<Scalar = T>>(self) {
        let Walk { job, scratch, rows, columns, out, .. } = self;
        let in_lanes = columns_in_lanes::pays::<L>(rows.len(), columns.len());
        // Columns in lanes are neighbours, and lanes count from the first column.
        let apart = (in_lanes || columns.extent() > LONGEST_CHUNK) && columns.parts().nth(1).is_some();
        let (values, indices) = (scheme::state_values::<F, R>(), R::state_indices::<F>());
        let mut further = core::mem::take(&mut scratch.further);
        let mut parts = columns.split();
        let mut now = if apart { parts.next() } else { Some(columns) };
        let mut is_first = true;
        while let Some(columns) = now {
            let into = if is_first {
                States { values: &mut *out.values, indices: &mut *out.indices }
            } else {
                further.states(rows.len(), values, indices)
            };
            if L::LANES == 1 {
                rows_in_lanes::one_lane::<F, R, T>(job, scratch, rows.clone(), columns, into);
            } else if in_lanes {
                columns_in_lanes::run::<F, R, L>(job, scratch, rows.clone(), columns, into);
            } else {
                rows_in_lanes::run::<F, R, L>(job, scratch, rows.clone(), columns, into);
            }
            if !is_first {
                let States { values: from, indices: from_indices } = further.states(rows.len(), values, indices);
                for r in 0..rows.len() {
                    R::merge::<F, T>(
                        State {
                            values: &mut out.values[r * values..][..values],
                            indices: &mut out.indices[r * indices..][..indices],
                        },
                        State {
                            values: &mut from[r * values..][..values],
                            indices: &mut from_indices[r * indices..][..indices],
                        },
                    );
                }
            }
            is_first = false;
            now = if apart { parts.next() } else { None };
        }
        scratch.further = further;
    }
}

/// States of a wave of groups that wait to be merged: group by group, chunk by chunk, row by row.
#[derive(Default)]
struct Waiting<T> {
    values: Vec<T>,
    indices: Vec<u64>,
}

impl<T: Scalar> Waiting<T> {
    /// Makes room for `records` states with so many values and indices.
    fn reserve(&mut self, records: usize, (values, indices): (usize, usize)) {
        self.values.resize(self.values.len().max(records * values), T::default());
        self.indices.resize(self.indices.len().max(records * indices), 0);
    }

    /// Room for so many states at a time.
    fn split(
        &mut self,
        records: impl Iterator<Item = usize>,
        (values, indices): (usize, usize),
    ) -> impl Iterator<Item = States<'_, T>> {
        let (mut all, mut all_indices) = (&mut self.values[..], &mut self.indices[..]);
        records.map(move |records| States {
            values: all.split_off_mut(..records * values).unwrap_or_default(),
            indices: all_indices.split_off_mut(..records * indices).unwrap_or_default(),
        })
    }
}
