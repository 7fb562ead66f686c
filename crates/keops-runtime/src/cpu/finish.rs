//! From the states of a row's chunks to its result.

use super::access::{Broadcast, Write};
use super::reduction::{Reduction, State};
use super::scheme::{Job, States, inputs, row_category, stage_rows, state_values};
use core::ops::Range;
use keops_core::lanes::F64x1;
use keops_core::{Formula, Scalar};

/// Memory of a worker, reused from block to block.
#[derive(Default)]
pub(super) struct Desk<T> {
    result: Vec<T>,
    indices: Vec<u64>,
    staged: Vec<T>,
    finished: Vec<T>,
    copies: Vec<Vec<T>>,
}

/// Merges the chunks of each row of a block in order and calls `put(row within the block, values, indices)`.
///
/// `states` holds the states of all rows chunk by chunk.
pub(super) fn finish<F: Formula, R: Reduction, T: Scalar>(
    job: &Job<'_, T>,
    rows: Range<usize>,
    mut states: States<'_, T>,
    desk: &mut Desk<T>,
    mut put: impl FnMut(usize, &[T], &[u64]),
) {
    let Desk { result, indices: result_indices, staged, finished, copies } = desk;
    result.resize(if R::LINEAR { F::ACC } else { R::values::<F>() }, T::default());
    result_indices.resize(R::indices::<F>(), 0);
    staged.resize(F::ROW, T::default());
    finished.resize(F::OUT, T::default());
    let mut input = inputs(job, copies);
    let source = input.tile::<F>(row_category::<F>(), rows.clone(), 0);

    for r in 0..rows.len() {
        R::finish::<F, T>(merge_chunks::<F, R, T>(&mut states, rows.len(), r), result, result_indices);
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
            put(r, finished, result_indices);
        } else {
            put(r, result, result_indices);
        }
    }
}

/// Merges the chunks of row `r` in order, where `states` holds the states of `count` rows chunk by chunk.
#[inline(always)]
pub(super) fn merge_chunks<'s, F: Formula, R: Reduction, T: Scalar>(
    states: &'s mut States<'_, T>,
    count: usize,
    r: usize,
) -> State<'s, T> {
    let (values, indices) = (state_values::<F, R>(), R::state_indices::<F>());
    let chunks = states.values.len().checked_div(count * values).unwrap_or(1);
    let (first_values, rest_values) = states.values.split_at_mut(count * values);
    let (first_indices, rest_indices) = states.indices.split_at_mut(count * indices);
    let into_values = &mut first_values[r * values..][..values];
    let into_indices = &mut first_indices[r * indices..][..indices];
    for c in 0..chunks - 1 {
        let from = c * count + r;
        R::merge::<F, T>(
            State { values: into_values, indices: into_indices },
            State {
                values: &mut rest_values[from * values..][..values],
                indices: &mut rest_indices[from * indices..][..indices],
            },
        );
    }
    State { values: into_values, indices: into_indices }
}

/// A compensated sum of rows in `f64`, for gradients towards parameters.
#[derive(Clone)]
pub(crate) struct Total(pub(crate) Vec<(f64, f64)>);

impl Total {
    pub(crate) fn new(dim: usize) -> Self {
        Total(vec![(0.0, 0.0); dim])
    }

    pub(super) fn add<T: Scalar>(&mut self, row: &[T]) {
        for (sum, v) in self.0.iter_mut().zip(row) {
            add(sum, (v.to_f64(), 0.0));
        }
    }

    pub(crate) fn merge(&mut self, other: &Total) {
        for (sum, part) in self.0.iter_mut().zip(&other.0) {
            add(sum, *part);
        }
    }

    pub(crate) fn get(&self) -> impl Iterator<Item = f64> + '_ {
        self.0.iter().map(|&(sum, carry)| if sum.is_finite() { sum + carry } else { sum })
    }
}

fn add(to: &mut (f64, f64), (v, carry): (f64, f64)) {
    let (s, e) = super::reduction::two_sum(F64x1(to.0), F64x1(v));
    *to = (s.0, to.1 + carry + e.0);
}
