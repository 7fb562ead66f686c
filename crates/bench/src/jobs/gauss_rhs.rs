//! The Gaussian sum with 64 right-hand sides.

use super::Sizes;
use crate::data::{Number, normal, points};
use crate::problem::{Problem, Run};
use keops::keops;
use ndarray::Array2;

keops! {
    fn gauss(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<64>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)) * b_j, 0);
}

pub(super) fn prepare<T: Number>(Sizes { m, n, d }: Sizes) -> Box<dyn Run> {
    Box::new(Problem::<T, _, _, 3> {
        names: ["x", "y", "b"],
        inputs: [points(1, m, d), points(2, n, d), normal(3, n, 64, 1.0)],
        output: Array2::from_elem((m, 64), T::default()),
        run: |[x, y, b], out, level| gauss(x, y, b).level(level).run_into(out),
    })
}
