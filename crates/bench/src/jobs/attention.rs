//! Attention: the softmax of scaled scalar products, times values.

use super::Sizes;
use crate::data::{Number, normal};
use crate::problem::{Problem, Run};
use keops::keops;
use ndarray::Array2;

keops! {
    fn attention(q_i: Vi<64>, k_j: Vj<64>, v_j: Vj<64>) = SumSoftMaxWeight_Reduction((q_i | k_j) / 8, 0, v_j);
}

pub(super) fn prepare<T: Number>(Sizes { m, n, d }: Sizes) -> Box<dyn Run> {
    Box::new(Problem::<T, _, _, 3> {
        names: ["q", "k", "v"],
        inputs: [normal(1, m, d, 1.0), normal(2, n, d, 1.0), normal(3, n, 64, 1.0)],
        output: Array2::from_elem((m, 64), T::default()),
        run: |[q, k, v], out, level| attention(q, k, v).level(level).run_into(out),
    })
}
