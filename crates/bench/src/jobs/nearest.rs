//! The nearest of a few centres: the assignment step of k-means.

use super::Sizes;
use crate::data::{Number, points};
use crate::problem::{Problem, Run};
use keops::keops;
use ndarray::Array2;

keops! {
    fn nearest(x_i: Vi<3>, y_j: Vj<3>) = ArgMin_Reduction(SqDist(x_i, y_j), 0);
}

pub(super) fn prepare<T: Number>(Sizes { m, n, d }: Sizes) -> Box<dyn Run> {
    Box::new(Problem::<T, _, _, 2> {
        names: ["x", "y"],
        inputs: [points(1, m, d), points(2, n, d)],
        output: Array2::<u64>::zeros((m, 1)),
        run: |[x, y], out, level| nearest(x, y).level(level).run_into(out),
    })
}
