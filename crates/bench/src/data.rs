//! Random tables of numbers, the same ones for the same seed.

use crate::npy::Entry;
use core::ops::Add;
use keops::Real;
use ndarray::Array2;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand_distr::{Distribution, StandardNormal};

/// A number type that the jobs are measured in.
pub trait Number: Real + Add<Output = Self> + Entry {}

impl<T: Real + Add<Output = T> + Entry> Number for T {}

/// `rows` × `columns` normal numbers of the given standard deviation.
pub fn normal<T: Number>(seed: u64, rows: usize, columns: usize, deviation: f64) -> Array2<T> {
    let mut generator = SmallRng::seed_from_u64(seed);
    Array2::from_shape_simple_fn((rows, columns), || {
        let number: f64 = StandardNormal.sample(&mut generator);
        T::from_f64(number * deviation)
    })
}

/// `rows` points of dimension `d` with a mean squared distance of 6 for every `d`, so that no Gaussian underflows.
pub fn points<T: Number>(seed: u64, rows: usize, d: usize) -> Array2<T> {
    normal(seed, rows, d, (3.0 / d as f64).sqrt())
}
