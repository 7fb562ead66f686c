//! Gaussian sums, one formula per dimension.

use super::Sizes;
use crate::data::{Number, normal, points};
use crate::problem::{Problem, Run};
use keops::keops;
use ndarray::Array2;

macro_rules! gauss {
    ($($name:ident: $d:literal),*) => {
        keops! {$(
            fn $name(x_i: Vi<$d>, y_j: Vj<$d>, b_j: Vj<1>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)) * b_j, 0);
        )*}

        pub(super) const DIMENSIONS: &[usize] = &[$($d),*];

        pub(super) fn prepare<T: Number>(Sizes { m, n, d }: Sizes) -> Option<Box<dyn Run>> {
            Some(Box::new(Problem::<T, _, _, 3> {
                names: ["x", "y", "b"],
                inputs: [points(1, m, d), points(2, n, d), normal(3, n, 1, 1.0)],
                output: Array2::from_elem((m, 1), T::default()),
                run: match d {
                    $($d => |[x, y, b], out, level| $name(x, y, b).level(level).run_into(out),)*
                    _ => return None,
                },
            }))
        }
    };
}

gauss!(gauss_1: 1, gauss_2: 2, gauss_3: 3, gauss_10: 10, gauss_64: 64, gauss_100: 100);
