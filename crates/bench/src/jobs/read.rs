//! Reading the columns of a Gaussian sum, and nothing else: what memory allows when there is one row.

use super::Sizes;
use crate::data::{Number, normal, points};
use crate::problem::{Problem, Run};
use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

/// Numbers that a thread reads in one go.
const PIECE: usize = 1 << 16;

/// Independent sums, so that additions do not wait for each other.
const SUMS: usize = 64;

/// The sum of all numbers, in whatever order is fastest.
fn total<T: Number>(table: &ArrayView2<'_, T>) -> f64 {
    let numbers = table.as_slice().unwrap_or_default();
    numbers
        .par_chunks(PIECE)
        .map(|piece| {
            let mut sums = [T::default(); SUMS];
            let mut rest = piece.chunks_exact(SUMS);
            for chunk in &mut rest {
                sums.iter_mut().zip(chunk).for_each(|(sum, number)| *sum = *sum + *number);
            }
            sums.iter().chain(rest.remainder()).map(|sum| sum.to_f64()).sum::<f64>()
        })
        .sum()
}

pub(super) fn prepare<T: Number>(Sizes { n, d, .. }: Sizes) -> Box<dyn Run> {
    Box::new(Problem::<T, _, _, 2> {
        names: ["y", "b"],
        inputs: [points(2, n, d), normal(3, n, 1, 1.0)],
        output: Array2::from_elem((1, 1), T::default()),
        run: |[y, b], out, _| {
            out[[0, 0]] = T::from_f64(total(&y.view()) + total(&b.view()));
            Ok(())
        },
    })
}
