//! The ten nearest points, one formula per dimension.

use super::Sizes;
use crate::data::{Number, points};
use crate::problem::{Problem, Run};
use keops::keops;
use ndarray::Array3;

/// Neighbours per point.
const K: usize = 10;

macro_rules! argkmin {
    ($($name:ident: $d:literal),*) => {
        keops! {$(
            fn $name(x_i: Vi<$d>, y_j: Vj<$d>) = ArgKMin_Reduction(SqDist(x_i, y_j), 10, 0);
        )*}

        pub(super) const DIMENSIONS: &[usize] = &[$($d),*];

        pub(super) fn prepare<T: Number>(Sizes { m, n, d }: Sizes) -> Option<Box<dyn Run>> {
            Some(Box::new(Problem::<T, _, _, 2> {
                names: ["x", "y"],
                inputs: [points(1, m, d), points(2, n, d)],
                output: Array3::<u64>::zeros((m, K, 1)),
                run: match d {
                    $($d => |[x, y], out, level| $name(x, y).level(level).run_into(out),)*
                    _ => return None,
                },
            }))
        }
    };
}

argkmin!(argkmin_3: 3, argkmin_64: 64);
