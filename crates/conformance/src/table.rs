//! [`Entry`]: a case as compiled functions, and [`Flat`]: results in the layout of the cases.

use crate::place::Place;
use keops::Error;
use ndarray::{Array2, Array3};

/// Data of the variables, in the order of the call.
pub type Data<T> = [Array2<T>];
/// Runs the reduction of a case.
pub type Value<T> = fn(&Data<T>, Place) -> Result<Array2<f64>, Error>;
/// Runs a gradient of a case with a seed.
pub type Gradient<T> = fn(&Data<T>, &Array2<T>, Place) -> Result<Array2<f64>, Error>;

/// A case as compiled functions.
#[derive(Debug)]
pub struct Entry<T: 'static> {
    /// Name of the case.
    pub name: &'static str,
    /// The reduction.
    pub value: Value<T>,
    /// Its gradients, by the name of the variable.
    pub gradients: &'static [(&'static str, Gradient<T>)],
}

/// Something that can be looked at as an `f64`. Indices of the cases are small.
pub trait Number: Copy {
    /// The number.
    fn number(self) -> f64;
}

impl Number for f32 {
    fn number(self) -> f64 {
        self.into()
    }
}

impl Number for f64 {
    fn number(self) -> f64 {
        self
    }
}

impl Number for u64 {
    fn number(self) -> f64 {
        self as f64
    }
}

/// Results in the layout of the cases: one row each, values and indices of an entry side by side.
pub trait Flat {
    /// The rows.
    fn flat(self) -> Array2<f64>;
}

impl<A: Number> Flat for Array2<A> {
    fn flat(self) -> Array2<f64> {
        self.mapv(A::number)
    }
}

impl<A: Number> Flat for Array3<A> {
    fn flat(self) -> Array2<f64> {
        let (rows, k, dim) = self.dim();
        Array2::from_shape_fn((rows, k * dim), |(row, at)| self[[row, at / dim, at % dim]].number())
    }
}

impl<A: Number, B: Number> Flat for (Array2<A>, Array2<B>) {
    fn flat(self) -> Array2<f64> {
        let blocks = |rows: usize, columns: usize| (rows, 1, columns);
        let (values, indices) = self;
        let (rows, columns) = values.dim();
        let value = Array3::from_shape_fn(blocks(rows, columns), |(row, _, d)| values[[row, d]]);
        let index = Array3::from_shape_fn(blocks(rows, columns), |(row, _, d)| indices[[row, d]]);
        (value, index).flat()
    }
}

impl<A: Number, B: Number> Flat for (Array3<A>, Array3<B>) {
    fn flat(self) -> Array2<f64> {
        let (values, indices) = self;
        let (rows, k, dim) = values.dim();
        Array2::from_shape_fn((rows, k * 2 * dim), |(row, at)| {
            let (entry, d) = (at / (2 * dim), at % (2 * dim));
            if d < dim { values[[row, entry, d]].number() } else { indices[[row, entry, d - dim]].number() }
        })
    }
}
