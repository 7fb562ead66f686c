//! The gradient of the Gaussian sum in x, for a given seed.

use super::Sizes;
use crate::data::{Number, normal, points};
use crate::problem::{Problem, Run};
use keops::keops;
use ndarray::Array2;

keops! {
    #[grad(x_i)]
    fn gauss(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<1>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)) * b_j, 0);
}

pub(super) fn prepare<T: Number>(Sizes { m, n, d }: Sizes) -> Box<dyn Run> {
    Box::new(Problem::<T, _, _, 4> {
        names: ["x", "y", "b", "e"],
        inputs: [points(1, m, d), points(2, n, d), normal(3, n, 1, 1.0), normal(4, m, 1, 1.0)],
        output: Array2::from_elem((m, d), T::default()),
        run: |[x, y, b, e], out, level| gauss::grad_x_i(x, y, b, e).level(level).run_into(out),
    })
}
