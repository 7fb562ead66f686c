//! Groups of several work items: their states wait until all chunks of a wave of groups are there, and are merged then.

use super::finish::{Desk, Total, finish};
use super::item::Walk;
use super::level::dispatch;
use super::partial::merge_rows;
use super::plan::Group;
use super::reduction::Reduction;
use super::scheme::{Scratch, States, column_category, state_values};
use super::{Work, copy, take_rows};
use crate::domain::Domain;
use core::marker::PhantomData;
use keops_core::{Formula, Scalar};
use ndarray::ArrayViewMut2;
use rayon::prelude::*;

/// States of a wave of groups that wait to be merged: group by group, chunk by chunk, row by row.
#[derive(Default)]
pub(super) struct Waiting<T> {
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

    /// Walks the work items of a wave and returns the states of each group.
    fn walk<'w, F: Formula, R: Reduction>(
        &'w mut self,
        work: &Work<'_, T>,
        wave: &'w [Group],
    ) -> Vec<(States<'w, T>, &'w Group)> {
        let size = (state_values::<F, R>(), R::state_indices::<F>());
        self.reserve(wave.iter().map(Group::records).sum(), size);
        let records = wave.iter().flat_map(|group| core::iter::repeat_n(group.rows.len(), group.chunks));
        let chunks = wave.iter().flat_map(|group| (0..group.chunks).map(move |chunk| (group, chunk)));
        let items: Vec<_> = self.split(records, size).zip(chunks).collect();
        items.into_par_iter().for_each_init(Scratch::default, |scratch, (out, (group, chunk))| {
            let (job, columns) = (&work.job(group.element), group.columns(work.domain, chunk));
            let (rows, finished) = (group.rows.clone(), &mut false);
            dispatch(
                work.level,
                Walk::<F, R, T> { job, scratch, rows, columns, out, results: None, finished, of: PhantomData },
            );
        });
        self.split(wave.iter().map(Group::records), size).zip(wave).collect()
    }

    /// Walks a wave and writes the results of its rows.
    pub(super) fn write<F: Formula, R: Reduction>(
        &mut self,
        work: &Work<'_, T>,
        wave: &[Group],
        values: &mut ArrayViewMut2<'_, T>,
        indices: &mut ArrayViewMut2<'_, u64>,
    ) {
        let states = self.walk::<F, R>(work, wave);
        let outputs: Vec<_> = states
            .into_iter()
            .map(|(states, group)| {
                let rows = group.rows.len();
                (states, group, take_rows(values, rows), take_rows(indices, rows))
            })
            .collect();
        outputs.into_par_iter().for_each_init(Desk::default, |desk, (states, group, mut values, mut indices)| {
            let job = work.job(group.element);
            finish::<F, R, T>(&job, group.rows.clone(), states, desk, |r, row, row_indices| {
                copy(&mut values, r, row);
                copy(&mut indices, r, row_indices);
            });
        });
    }

    /// Walks a wave and merges the states of its groups into those of all rows, taken off the front of the tables.
    ///
    /// The chunks of the wave are merged with one another first, so that a block of columns has the states of a call of its own.
    pub(super) fn absorb<F: Formula, R: Reduction>(
        &mut self,
        work: &Work<'_, T>,
        wave: &[Group],
        values: &mut ArrayViewMut2<'_, T>,
        indices: &mut ArrayViewMut2<'_, u64>,
    ) {
        let Domain { origin, .. } = *work.domain;
        let origin = origin.of(column_category::<F>());
        let states = self.walk::<F, R>(work, wave);
        let parts: Vec<_> = states
            .into_iter()
            .map(|(states, group)| {
                let rows = group.rows.len();
                (states, take_rows(values, rows), take_rows(indices, rows))
            })
            .collect();
        parts.into_par_iter().for_each(|(states, mut values, mut indices)| {
            merge_rows::<F, R, T>(&mut values, &mut indices, states, origin);
        });
    }

    /// Walks a wave and adds the results of its rows to the totals of the batch elements.
    pub(super) fn add<F: Formula, R: Reduction>(&mut self, work: &Work<'_, T>, wave: &[Group], totals: &mut [Total]) {
        let parts: Vec<Total> = self
            .walk::<F, R>(work, wave)
            .into_par_iter()
            .map_init(Desk::default, |desk, (states, group)| {
                let mut part = Total::new(F::OUT);
                let job = work.job(group.element);
                finish::<F, R, T>(&job, group.rows.clone(), states, desk, |_, row, _| part.add(row));
                part
            })
            .collect();
        for (part, group) in parts.iter().zip(wave) {
            totals[group.element - work.domain.elements.start].merge(part);
        }
    }
}
