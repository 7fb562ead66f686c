//! [`Walk`]: one work item, walked by one of the two schemes.

use super::level::Kernel;
use super::plan::LONGEST_CHUNK;
use super::reduction::{Reduction, State};
use super::scheme::{self, Job, Out, Scratch, States};
use super::{columns_in_lanes, rows_in_lanes};
use crate::domain::Span;
use core::marker::PhantomData;
use core::ops::Range;
use keops_core::{Formula, Real, Scalar};

/// One work item. Leaves a state per row in `out`, or, if it can, the finished rows in `results`, and says so.
pub(super) struct Walk<'a, 'j, F, R, T> {
    pub(super) job: &'a Job<'j, T>,
    pub(super) scratch: &'a mut Scratch<T>,
    pub(super) rows: Range<usize>,
    pub(super) columns: Span<'a>,
    pub(super) out: States<'a, T>,
    /// Room for `OUT` numbers per row, if the columns are all that the rows see.
    pub(super) results: Option<&'a mut [T]>,
    pub(super) finished: &'a mut bool,
    pub(super) of: PhantomData<(F, R)>,
}

impl<F: Formula, R: Reduction, T: Scalar> Kernel<T> for Walk<'_, '_, F, R, T> {
    #[inline(always)]
    fn run<L: Real<Scalar = T>>(self) {
        let Walk { job, scratch, rows, columns, out, results, finished, .. } = self;
        let in_lanes = columns_in_lanes::pays::<L>(rows.len(), columns.len());
        // Columns in lanes are neighbours, and lanes count from the first column.
        let apart = (in_lanes || columns.extent() > LONGEST_CHUNK) && columns.parts().nth(1).is_some();
        let (values, indices) = (scheme::state_values::<F, R>(), R::state_indices::<F>());
        let mut further = core::mem::take(&mut scratch.further);
        let mut results = results.filter(|_| R::LINEAR && !in_lanes && !apart);
        *finished = results.is_some();
        let mut parts = columns.split();
        let mut now = if apart { parts.next() } else { Some(columns) };
        let mut is_first = true;
        while let Some(columns) = now {
            let into = if is_first {
                States { values: &mut *out.values, indices: &mut *out.indices }
            } else {
                further.states(rows.len(), values, indices)
            };
            if in_lanes {
                columns_in_lanes::run::<F, R, L>(job, scratch, rows.clone(), columns, into);
            } else {
                let into = results.take().map_or(Out::States(into), Out::Results);
                if L::LANES == 1 {
                    rows_in_lanes::one_lane::<F, R, T>(job, scratch, rows.clone(), columns, into);
                } else {
                    rows_in_lanes::run::<F, R, L>(job, scratch, rows.clone(), columns, into);
                }
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
