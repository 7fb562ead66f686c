//! Many small problems.

use super::{Timer, gauss};
use crate::data::{normal, points};
use keops::{Error, Offsets};
use ndarray::{Array2, Array3};

const BATCHES: usize = 10_000;
const SIZE: usize = 100;

fn dense() -> impl FnMut() -> Result<(), Error> {
    let (x, y, b) = (points::<f32>(1, BATCHES, 3), points::<f32>(2, BATCHES, 3), normal::<f32>(3, BATCHES, 1, 1.0));
    let mut out = Array2::zeros((BATCHES, 1));
    move || gauss(&x, &y, &b).run_into(&mut out)
}

/// Batches of one size.
pub(super) fn uniform(timer: Timer) -> Result<(), Error> {
    let batched = |table: Array2<f32>| -> Array3<f32> {
        let columns = table.ncols();
        table.into_shape_with_order((BATCHES, SIZE, columns)).unwrap_or_else(|_| Array3::zeros((0, 0, 0)))
    };
    let rows = BATCHES * SIZE;
    let x = batched(points(4, rows, 3));
    let y = batched(points(5, rows, 3));
    let b = batched(normal(6, rows, 1, 1.0));
    let pairs = (rows * SIZE) as f64;
    let run = || gauss(&x, &y, &b).batched().run().map(drop);
    timer.compare("10^4 batches of 100 x 100", [pairs, (BATCHES * BATCHES) as f64], run, dense())
}

/// Batches of many sizes.
pub(super) fn ragged(timer: Timer) -> Result<(), Error> {
    let i = Offsets::from_lengths((0..BATCHES).map(|k| 50 + k * 37 % 101))?;
    let j = Offsets::from_lengths((0..BATCHES).map(|k| 50 + k * 61 % 101))?;
    let x = points::<f32>(4, i.rows(), 3);
    let y = points::<f32>(5, j.rows(), 3);
    let b = normal::<f32>(6, j.rows(), 1, 1.0);
    let pairs: usize = (0..BATCHES).map(|k| i.segment(k).len() * j.segment(k).len()).sum();
    let mut out = Array2::zeros((i.rows(), 1));
    let run = || gauss(&x, &y, &b).segments(&i, &j)?.run_into(&mut out);
    timer.compare("10^4 segments of 50 to 150", [pairs as f64, (BATCHES * BATCHES) as f64], run, dense())
}
