//! The engine of the processor.
//!
//! A call is cut into work items (row block × chunk of the columns it sees, [`plan`]). Each item is walked inside a shell for the
//! processor's instructions ([`level`]) by one of two schemes ([`rows_in_lanes`], [`columns_in_lanes`]) and leaves a state
//! per row; the states of a row's chunks are merged in order and finished (`finish`).

mod access;
mod alone;
mod columns_in_lanes;
mod finish;
mod item;
mod level;
mod pairs;
mod parameters;
mod partial;
mod plan;
pub(crate) mod reduction;
mod rows_in_lanes;
mod scheme;
mod waves;

pub(crate) use partial::Partial;
pub use reduction::{
    ArgKMin, ArgMax, ArgMin, KMin, KMinArgKMin, LogSumExp, Max, MaxArgMax, MaxSumShiftExp, Min, MinArgMin, Sum,
    SumSoftMaxWeight,
};
pub(crate) use reduction::{Reduction, SoftMaxRaw};

use crate::domain::{Domain, Table};
use crate::error::Error;
use crate::options::{Accumulator, Level, Options};
use access::MOST_VARIABLES;
use alone::{Bench, next_task};
pub(crate) use finish::Total;
use keops_core::{Formula, Keep, Scalar};
use ndarray::{ArrayViewMut2, Axis};
use parameters::Parameters;
use plan::Groups;
use rayon::prelude::*;
use scheme::Job;
pub(crate) use scheme::{column_category, row_category};
use waves::Waiting;

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
    mut values: ArrayViewMut2<'_, T>,
    mut indices: ArrayViewMut2<'_, u64>,
) -> Result<(), Error> {
    const { assert!(F::VARIABLES.len() <= MOST_VARIABLES, "too many variables in one formula") };
    let parameters = Parameters::<T>::stage::<F>(tables, domain);
    let tables: Vec<_> = tables.iter().map(Table::view).collect();
    let work = Work::new(&tables, domain, &parameters, options);

    let groups = Groups::new(domain, (F::ROW + R::state::<F>()) * size_of::<T>());
    if groups.is_single() {
        walk::<F, R, T>(&work, groups, values.view_mut(), indices.view_mut());
    } else {
        // One change of threads for everything, if the caller is outside the pool.
        rayon::scope(|_| walk::<F, R, T>(&work, groups, values.view_mut(), indices.view_mut()));
    }
    Ok(())
}

/// What all work items of a call have in common.
struct Work<'a, T> {
    tables: &'a [Table<'a, T>],
    domain: &'a Domain<'a>,
    parameters: &'a Parameters<T>,
    accumulator: Accumulator,
    level: Level,
}

impl<'a, T: Scalar> Work<'a, T> {
    fn new(
        tables: &'a [Table<'a, T>],
        domain: &'a Domain<'a>,
        parameters: &'a Parameters<T>,
        options: &Options,
    ) -> Self {
        Work { tables, domain, parameters, accumulator: options.accumulator(), level: options.level() }
    }

    /// What the work items of a batch element have in common.
    fn job(&self, element: usize) -> Job<'a, T> {
        let par = self.parameters.of(element);
        let Domain { batch, origin, .. } = *self.domain;
        Job { tables: self.tables, batch, element, origin, par, accumulator: self.accumulator }
    }
}

/// Walks all work items and finishes their rows.
fn walk<'v, F: Formula, R: Reduction, T: Scalar>(
    work: &Work<'_, T>,
    groups: Groups<'_>,
    mut values: ArrayViewMut2<'v, T>,
    mut indices: ArrayViewMut2<'v, u64>,
) {
    let state_bytes = scheme::state_values::<F, R>() * size_of::<T>() + R::state_indices::<F>() * size_of::<u64>();
    let (mut groups, mut waiting, mut wave) = (groups.peekable(), Waiting::default(), Vec::new());
    if F::KEEP == Keep::None {
        let mut totals = vec![Total::new(F::OUT); work.domain.elements.len()];
        while plan::next_wave(&mut groups, &mut wave, state_bytes, |_| true) {
            waiting.add::<F, R>(work, &wave, &mut totals);
        }
        for (total, mut row) in totals.iter().zip(values.outer_iter_mut()) {
            row.iter_mut().zip(total.get()).for_each(|(to, from)| *to = T::from_f64(from));
        }
        return;
    }
    let mut tasks = Vec::new();
    while groups.peek().is_some() {
        while tasks.len() < TASKS
            && let Some(task) = next_task::<F, T>(&mut groups, &mut values, &mut indices)
        {
            tasks.push(task);
        }
        tasks.par_drain(..).for_each_init(Bench::default, |bench, task| task.run::<F, R>(work, bench));
        if plan::next_wave(&mut groups, &mut wave, state_bytes, |group| group.chunks > 1) {
            waiting.write::<F, R>(work, &wave, &mut values, &mut indices);
        }
    }
}

/// Tasks that are handed out at the same time.
const TASKS: usize = 1 << 12;

/// Takes the first rows off a table.
fn take_rows<'v, A>(table: &mut ArrayViewMut2<'v, A>, rows: usize) -> ArrayViewMut2<'v, A> {
    let none = ArrayViewMut2::from(&mut [] as &mut [[A; 0]]);
    let (taken, rest) = core::mem::replace(table, none).split_at(Axis(0), rows);
    *table = rest;
    taken
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
