//! [`Pointwise`]: the stages of a formula evaluated for single pairs, one number at a time.
//!
//! For work that touches few pairs, such as gradients through selected indices, where loading lanes would not pay.

use core::cell::Cell;
use keops_core::lanes::scalar::F64x1;
use keops_core::{Category, Formula, Real, Scalar, Sink, Source, Stage, Staged, Variable};
use ndarray::ArrayView2;

/// The number in a one-lane value.
#[inline(always)]
pub(crate) fn number<R: Real>(lane: R) -> R::Scalar {
    let cell = Cell::new(R::Scalar::default());
    lane.map(|v| {
        cell.set(v);
        v
    });
    cell.get()
}

/// Values by position, as the stage functions read and write them.
pub(crate) struct Slots<S>(pub(crate) S);

impl<R: Real> Staged<R> for Slots<&[R]> {
    #[inline(always)]
    fn at(&self, k: usize) -> R {
        self.0[k]
    }
}

impl<R: Real> Stage<R> for Slots<&mut [R]> {
    #[inline(always)]
    fn put(&mut self, k: usize, v: R) {
        self.0[k] = v;
    }
}

impl<R: Real> Sink<R> for Slots<&mut [R]> {
    #[inline(always)]
    fn put(&mut self, k: usize, v: R) {
        self.0[k] = v;
    }
}

/// The variables at one pair (i, j).
pub(crate) struct At<'a, T> {
    /// Data, in the order of the formula's variables.
    pub(crate) data: &'a [ArrayView2<'a, T>],
    /// What the data belongs to.
    pub(crate) variables: &'a [Variable],
    /// Row of i-variables.
    pub(crate) i: usize,
    /// Row of j-variables.
    pub(crate) j: usize,
}

impl<T: Scalar> At<'_, T> {
    /// Number `k` of variable `var`.
    #[inline(always)]
    pub(crate) fn get(&self, var: usize, k: usize) -> T {
        let row = match self.variables[var].category {
            Category::Vi => self.i,
            Category::Vj => self.j,
            Category::Pm => 0,
        };
        self.data[var][[row, k]]
    }
}

impl<T: Scalar> Source<T::Lane> for At<'_, T> {
    #[inline(always)]
    fn at(&self, var: usize, k: usize) -> T::Lane {
        T::Lane::splat(self.get(var, k))
    }
    #[inline(always)]
    fn index(&self, of: Category) -> u64 {
        (if of == Category::Vj { self.j } else { self.i }) as u64
    }
}

/// Parameters, as the `f64` in which their stage is evaluated.
struct Parameters<'a, T>(At<'a, T>);

impl<T: Scalar> Source<F64x1> for Parameters<'_, T> {
    #[inline(always)]
    fn at(&self, var: usize, k: usize) -> F64x1 {
        F64x1(self.0.get(var, k).to_f64())
    }
    #[inline(always)]
    fn index(&self, _: Category) -> u64 {
        0
    }
}

/// The staged parameters of a formula: evaluated in `f64`, and rounded once.
pub(crate) fn staged_parameters<F: Formula, T: Scalar>(data: &[ArrayView2<'_, T>]) -> Vec<T> {
    let mut staged = vec![F64x1(0.0); F::PARAM];
    F::param(&Parameters(At { data, variables: F::VARIABLES, i: 0, j: 0 }), &mut Slots(&mut staged[..]));
    staged.into_iter().map(|v| T::from_f64(v.0)).collect()
}

/// A formula with its parameters staged, ready to be evaluated anywhere.
pub(crate) struct Pointwise<F, T: Scalar> {
    parameters: Vec<T::Lane>,
    row: Vec<T::Lane>,
    col: Vec<T::Lane>,
    pair: Vec<T::Lane>,
    result: Vec<T::Lane>,
    formula: core::marker::PhantomData<F>,
}

impl<F: Formula, T: Scalar> Pointwise<F, T> {
    /// Stages the parameters.
    pub(crate) fn new(data: &[ArrayView2<'_, T>]) -> Self {
        let zeros = |len| vec![T::Lane::lit(0.0); len];
        Pointwise {
            parameters: staged_parameters::<F, T>(data).into_iter().map(T::Lane::splat).collect(),
            row: zeros(F::ROW),
            col: zeros(F::COL),
            pair: zeros(F::DIM.max(F::ACC)),
            result: zeros(F::OUT),
            formula: core::marker::PhantomData,
        }
    }

    /// Stages one row.
    pub(crate) fn set_row(&mut self, at: &impl Source<T::Lane>) {
        F::row(at, &Slots(&self.parameters[..]), &mut Slots(&mut self.row[..]));
    }

    /// Stages one column.
    pub(crate) fn set_col(&mut self, at: &impl Source<T::Lane>) {
        F::col(at, &Slots(&self.parameters[..]), &mut Slots(&mut self.col[..]));
    }

    /// The `OUT` results of a sum that has the staged pair as its only term.
    pub(crate) fn term(&mut self) -> &[T::Lane] {
        F::pair(
            &Slots(&self.row[..]),
            &Slots(&self.col[..]),
            &Slots(&self.parameters[..]),
            &mut Slots(&mut self.pair[..]),
        );
        if F::OUTER.len > 0 {
            let scalar = self.pair[0];
            for e in 0..F::OUTER.len {
                self.pair[e] = scalar * self.col[F::OUTER.at + e];
            }
        }
        F::finish(
            &Slots(&self.row[..]),
            &Slots(&self.parameters[..]),
            &Slots(&self.pair[..F::ACC]),
            &mut Slots(&mut self.result[..]),
        );
        &self.result
    }
}
