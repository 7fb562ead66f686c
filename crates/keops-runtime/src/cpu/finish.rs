//! From the states of a row's chunks to its result.

use super::access::{Broadcast, Write};
use super::reduction::{Reduction, State};
use super::scheme::{Job, States, inputs, row_category, stage_rows, state_values};
use core::ops::Range;
use keops_core::lanes::F64x1;
use keops_core::{Formula, Scalar};

/// Merges the chunks of each row of a block in order and calls `put(row within the block, values, indices)`.
pub(super) fn finish<F: Formula, R: Reduction, T: Scalar>(
    job: &Job<'_, T>,
    rows: Range<usize>,
    states: States<'_, T>,
    mut put: impl FnMut(usize, &[T], &[u64]),
) {
    let (values, indices) = (state_values::<F, R>(), R::state_indices::<F>());
    let accumulated = if R::LINEAR { F::ACC } else { R::values::<F>() };
    let mut result = vec![T::default(); accumulated];
    let mut result_indices = vec![0; R::indices::<F>()];
    let mut staged = vec![T::default(); F::ROW];
    let mut finished = vec![T::default(); F::OUT];
    let mut input = inputs(job);
    let source = input.tile::<F>(row_category::<F>(), rows.clone(), 0);

    // A chunk holds the records of a whole block, also where the last block has fewer rows.
    let chunks = states.values.len().checked_div(states.block * values).unwrap_or(1);
    let (first_values, rest_values) = states.values.split_at_mut(states.block * values);
    let (first_indices, rest_indices) = states.indices.split_at_mut(states.block * indices);
    for r in 0..rows.len() {
        let into_values = &mut first_values[r * values..][..values];
        let into_indices = &mut first_indices[r * indices..][..indices];
        for c in 0..chunks - 1 {
            let from = c * states.block + r;
            R::merge::<F, T>(
                State { values: into_values, indices: into_indices },
                State {
                    values: &mut rest_values[from * values..][..values],
                    indices: &mut rest_indices[from * indices..][..indices],
                },
            );
        }
        R::finish::<F, T>(State { values: into_values, indices: into_indices }, &mut result, &mut result_indices);
        if R::LINEAR {
            // SAFETY: the vectors have the lengths that the formula states.
            unsafe {
                stage_rows::<F, T::Lane>(job, &source, r, staged.as_mut_ptr(), 1);
                F::finish::<T::Lane>(
                    &Broadcast::new(staged.as_ptr()),
                    &Broadcast::new(job.par.as_ptr()),
                    &Broadcast::new(result.as_ptr()),
                    &mut Write::new(finished.as_mut_ptr(), 1),
                );
            }
            put(r, &finished, &result_indices);
        } else {
            put(r, &result, &result_indices);
        }
    }
}

/// A compensated sum of rows in `f64`, for gradients towards parameters.
pub(super) struct Total(Vec<(f64, f64)>);

impl Total {
    pub(super) fn new(dim: usize) -> Self {
        Total(vec![(0.0, 0.0); dim])
    }

    pub(super) fn add<T: Scalar>(&mut self, row: &[T]) {
        for (sum, v) in self.0.iter_mut().zip(row) {
            add(sum, (v.to_f64(), 0.0));
        }
    }

    pub(super) fn merge(&mut self, other: &Total) {
        for (sum, part) in self.0.iter_mut().zip(&other.0) {
            add(sum, *part);
        }
    }

    pub(super) fn get(&self) -> impl Iterator<Item = f64> + '_ {
        self.0.iter().map(|&(sum, carry)| if sum.is_finite() { sum + carry } else { sum })
    }
}

fn add(to: &mut (f64, f64), (v, carry): (f64, f64)) {
    let (s, e) = super::reduction::two_sum(F64x1(to.0), F64x1(v));
    *to = (s.0, to.1 + carry + e.0);
}
