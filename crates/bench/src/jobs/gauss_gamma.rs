//! The Gaussian sum with a bandwidth that is known at run time only.

use super::Sizes;
use crate::data::{Number, normal, points};
use crate::problem::{Problem, Run};
use keops::keops;
use ndarray::Array2;

keops! {
    fn gauss(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<1>, gamma: Pm<1>) = Sum_Reduction(Exp(-gamma * SqDist(x_i, y_j)) * b_j, 0);
}

pub(super) fn prepare<T: Number>(Sizes { m, n, d }: Sizes) -> Box<dyn Run> {
    Box::new(Problem::<T, _, _, 4> {
        names: ["x", "y", "b", "gamma"],
        inputs: [points(1, m, d), points(2, n, d), normal(3, n, 1, 1.0), Array2::from_elem((1, 1), T::from_f64(1.25))],
        output: Array2::from_elem((m, 1), T::default()),
        run: |[x, y, b, gamma], out, level| gauss(x, y, b, gamma).level(level).run_into(out),
    })
}
