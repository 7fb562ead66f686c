//! Groups of one work item: whoever walks it finishes its rows. Many small ones, batches above all, are one task.

use super::finish::{Desk, finish};
use super::item::Walk;
use super::level::dispatch;
use super::plan::Groups;
use super::reduction::Reduction;
use super::scheme::{Records, Scratch, state_values};
use super::{Work, copy, take_rows};
use core::iter::Peekable;
use core::marker::PhantomData;
use keops_core::{Formula, Scalar};
use ndarray::{ArrayViewMut2, s};

/// Pairs of a task, if the formula is small.
const PAIRS: usize = 1 << 17;

/// Groups that one worker walks one after the other.
pub(super) struct Task<'d, 'v, T> {
    groups: Peekable<Groups<'d>>,
    count: usize,
    values: ArrayViewMut2<'v, T>,
    indices: ArrayViewMut2<'v, u64>,
}

/// Takes neighbouring groups of one work item for a task, and their rows off the tables. `None` if the next one is not such a
/// group.
pub(super) fn next_task<'d, 'v, F: Formula, T: Scalar>(
    groups: &mut Peekable<Groups<'d>>,
    values: &mut ArrayViewMut2<'v, T>,
    indices: &mut ArrayViewMut2<'v, u64>,
) -> Option<Task<'d, 'v, T>> {
    let enough = PAIRS / (1 + (F::ROW + F::COL) / 16);
    let first = groups.clone();
    let (mut count, mut rows, mut pairs) = (0, 0, 0);
    while pairs < enough
        && let Some(group) = groups.next_if(|group| group.chunks == 1)
    {
        count += 1;
        rows += group.rows.len();
        pairs += group.pairs();
    }
    let task = |values, indices| Task { groups: first, count, values, indices };
    (count > 0).then(|| task(take_rows(values, rows), take_rows(indices, rows)))
}

/// Memory of a worker, reused from item to item.
#[derive(Default)]
pub(super) struct Bench<T> {
    scratch: Scratch<T>,
    states: Records<T>,
    desk: Desk<T>,
    results: Vec<T>,
}

impl<T: Scalar> Task<'_, '_, T> {
    /// Walks and finishes its groups.
    pub(super) fn run<F: Formula, R: Reduction>(self, work: &Work<'_, T>, bench: &mut Bench<T>) {
        let Task { groups, count, mut values, mut indices } = self;
        let Bench { scratch, states, desk, results } = bench;
        let size = (state_values::<F, R>(), R::state_indices::<F>());
        for group in groups.take(count) {
            let (job, columns) = (&work.job(group.element), group.columns(work.domain, 0));
            let (rows, mut finished) = (group.rows.clone(), false);
            let mut values = take_rows(&mut values, rows.len());
            let mut indices = take_rows(&mut indices, rows.len());
            let aside = values.as_slice_mut().is_none();
            results.resize(if aside { rows.len() * F::OUT } else { 0 }, T::default());
            let into = if aside { Some(&mut results[..]) } else { values.as_slice_mut() };
            let walk = Walk::<F, R, T> {
                job,
                scratch,
                rows: rows.clone(),
                columns,
                out: states.states(rows.len(), size.0, size.1),
                results: into,
                finished: &mut finished,
                of: PhantomData,
            };
            dispatch(work.level, walk);
            if !finished {
                let states = states.states(rows.len(), size.0, size.1);
                finish::<F, R, T>(job, rows, states, desk, |r, row, row_indices| {
                    copy(&mut values, r, row);
                    copy(&mut indices, r, row_indices);
                });
            } else if aside {
                for (mut to, from) in values.outer_iter_mut().zip(results.chunks_exact(F::OUT.max(1))) {
                    to.slice_mut(s![..]).iter_mut().zip(from).for_each(|(to, from)| *to = *from);
                }
            }
        }
    }
}
