//! [`Partial`]: what a reduction remembers of the columns it has seen, for those who bring the columns block by block.
//!
//! ```text
//! let mut partial = Partial::<F, R, T>::new(rows)?;              // no column seen
//! for block in blocks { partial.absorb(&tables, &domain, &options); }   // blocks of columns, in increasing order
//! partial.finish(&tables, &domain, &options, values, indices);   // or `total`, for sums over the rows, too
//! ```
//!
//! Order of merging, on which the last bits of a result depend: within a block the states of its chunks are merged first to last,
//! as in a call on that block alone; the states of the blocks are merged into those of all blocks before them, in the order in
//! which they are absorbed. [`Partial::merge`] merges two partial reductions in the same way.

use super::finish::{Desk, Total, finish, merge_chunks};
use super::parameters::Parameters;
use super::plan::{self, Groups};
use super::reduction::{NONE, Reduction, State};
use super::scheme::{States, state_values};
use super::waves::Waiting;
use super::{Work, copy, take_rows};
use crate::domain::{Domain, Table};
use crate::error::Error;
use crate::memory;
use crate::options::Options;
use core::marker::PhantomData;
use keops_core::{Formula, Scalar};
use ndarray::{Array2, ArrayViewMut2};
use rayon::prelude::*;

/// States of the rows of a domain, in the order of its results: element by element, row by row.
pub(crate) struct Partial<F, R, T> {
    /// Rows × numbers.
    values: Array2<T>,
    /// Rows × absolute indices, [`NONE`] where there is none.
    indices: Array2<u64>,
    of: PhantomData<fn() -> (F, R)>,
}

/// Rows that are finished together. Fixed, so that totals do not depend on the number of threads.
const BLOCK: usize = 512;

impl<F: Formula, R: Reduction, T: Scalar> Partial<F, R, T> {
    /// The states of `rows` rows that have seen no column.
    ///
    /// # Errors
    /// [`Error::Memory`] if there is no room.
    pub(crate) fn new(rows: usize) -> Result<Self, Error> {
        let mut values = memory::table(F::TEXT, "states", rows, state_values::<F, R>())?;
        let mut indices = memory::table(F::TEXT, "states", rows, R::state_indices::<F>())?;
        for (k, mut column) in values.columns_mut().into_iter().enumerate() {
            column.fill(T::from_f64(R::start::<F>(k)));
        }
        indices.fill(NONE);
        Ok(Partial { values, indices, of: PhantomData })
    }

    /// Bytes of the state of a row.
    pub(crate) fn row_bytes() -> usize {
        state_values::<F, R>() * size_of::<T>() + R::state_indices::<F>() * size_of::<u64>()
    }

    /// Takes in a block of columns, all of them behind those seen before.
    ///
    /// The tables of the reduced index hold the columns of the block only; the pattern of `domain` counts from the first of
    /// them, and its origin says which it is.
    pub(crate) fn absorb(&mut self, tables: &[Table<'_, T>], domain: &Domain<'_>, options: &Options) {
        let parameters = Parameters::stage::<F>(tables, domain);
        let tables: Vec<_> = tables.iter().map(Table::view).collect();
        let work = Work::new(&tables, domain, &parameters, options);
        let mut values = self.values.view_mut();
        let mut indices = self.indices.view_mut();
        rayon::scope(|_| {
            let mut groups = Groups::new(domain, (F::ROW + R::state::<F>()) * size_of::<T>()).peekable();
            let (mut waiting, mut wave) = (Waiting::default(), Vec::new());
            while plan::next_wave(&mut groups, &mut wave, Self::row_bytes(), |_| true) {
                waiting.absorb::<F, R>(&work, &wave, &mut values, &mut indices);
            }
        });
    }

    /// Takes in what another has seen, all of it behind what this one has.
    #[allow(dead_code, reason = "for those who reduce parts of the columns in different places")]
    pub(crate) fn merge(&mut self, mut later: Self) {
        merge_rows::<F, R, T>(
            &mut self.values.view_mut(),
            &mut self.indices.view_mut(),
            States { values: table_slice(&mut later.values), indices: table_slice(&mut later.indices) },
            0,
        );
    }

    /// Writes the result of each row. Of the tables those of the kept index and the parameters are read.
    pub(crate) fn finish(
        mut self,
        tables: &[Table<'_, T>],
        domain: &Domain<'_>,
        options: &Options,
        mut values: ArrayViewMut2<'_, T>,
        mut indices: ArrayViewMut2<'_, u64>,
    ) {
        let parameters = Parameters::stage::<F>(tables, domain);
        let tables: Vec<_> = tables.iter().map(Table::view).collect();
        let work = Work::new(&tables, domain, &parameters, options);
        let mut blocks = Vec::new();
        for (states, element, rows) in self.blocks(domain) {
            let len = rows.len();
            blocks.push((states, element, rows, take_rows(&mut values, len), take_rows(&mut indices, len)));
        }
        blocks.into_par_iter().for_each_init(
            Desk::default,
            |desk, (states, element, rows, mut values, mut indices)| {
                finish::<F, R, T>(&work.job(element), rows, states, desk, |r, row, row_indices| {
                    copy(&mut values, r, row);
                    copy(&mut indices, r, row_indices);
                });
            },
        );
    }

    /// The sum of the results of all rows, for a domain of one element.
    pub(crate) fn total(mut self, tables: &[Table<'_, T>], domain: &Domain<'_>, options: &Options) -> Total {
        let parameters = Parameters::stage::<F>(tables, domain);
        let tables: Vec<_> = tables.iter().map(Table::view).collect();
        let work = Work::new(&tables, domain, &parameters, options);
        let parts: Vec<Total> = self
            .blocks(domain)
            .into_par_iter()
            .map_init(Desk::default, |desk, (states, element, rows)| {
                let mut part = Total::new(F::OUT);
                finish::<F, R, T>(&work.job(element), rows, states, desk, |_, row, _| part.add(row));
                part
            })
            .collect();
        let mut total = Total::new(F::OUT);
        parts.iter().for_each(|part| total.merge(part));
        total
    }

    /// Blocks of rows of one batch element: states, element, rows.
    #[allow(clippy::type_complexity)]
    fn blocks(&mut self, domain: &Domain<'_>) -> Vec<(States<'_, T>, usize, core::ops::Range<usize>)> {
        let (values_each, indices_each) = (self.values.ncols(), self.indices.ncols());
        let (mut values, mut indices) = (table_slice(&mut self.values), table_slice(&mut self.indices));
        let all = domain.pattern.rows();
        let mut blocks = Vec::new();
        for element in domain.elements.clone() {
            for start in (0..all).step_by(BLOCK) {
                let rows = start..(start + BLOCK).min(all);
                let states = States {
                    values: values.split_off_mut(..rows.len() * values_each).unwrap_or_default(),
                    indices: indices.split_off_mut(..rows.len() * indices_each).unwrap_or_default(),
                };
                blocks.push((states, element, rows));
            }
        }
        blocks
    }
}

/// The numbers of a table that was made in one piece.
fn table_slice<A>(table: &mut Array2<A>) -> &mut [A] {
    table.as_slice_mut().unwrap_or_default()
}

/// Merges the states of chunks, chunk by chunk of all rows, and then into those of the rows. Their indices count from
/// column `origin`.
pub(super) fn merge_rows<F: Formula, R: Reduction, T: Scalar>(
    values: &mut ArrayViewMut2<'_, T>,
    indices: &mut ArrayViewMut2<'_, u64>,
    mut states: States<'_, T>,
    origin: usize,
) {
    for index in states.indices.iter_mut().filter(|index| **index != NONE) {
        *index += origin as u64;
    }
    let count = values.nrows();
    for (r, (mut into, mut into_indices)) in values.outer_iter_mut().zip(indices.outer_iter_mut()).enumerate() {
        let values = into.as_slice_mut().unwrap_or_default();
        let indices = into_indices.as_slice_mut().unwrap_or_default();
        R::merge::<F, T>(State { values, indices }, merge_chunks::<F, R, T>(&mut states, count, r));
    }
}
