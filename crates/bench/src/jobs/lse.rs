//! Log-sum-exp of negative squared distances, as in entropic optimal transport with 2ε = 0.1.

use super::Sizes;
use crate::data::{Number, points};
use crate::problem::{Problem, Run};
use keops::keops;
use ndarray::Array2;

keops! {
    fn lse(x_i: Vi<3>, y_j: Vj<3>) = LogSumExp_Reduction(-10 * SqDist(x_i, y_j), 0);
}

pub(super) fn prepare<T: Number>(Sizes { m, n, d }: Sizes) -> Box<dyn Run> {
    Box::new(Problem::<T, _, _, 2> {
        names: ["x", "y"],
        inputs: [points(1, m, d), points(2, n, d)],
        output: Array2::from_elem((m, 1), T::default()),
        run: |[x, y], out, level| lse(x, y).level(level).run_into(out),
    })
}
