//! [`Call`]: a formula with its data, and the choices that are made before it runs.

use crate::error::Error;
use crate::memory;
use crate::operation::{Additive, Extent, Form, Inputs, Operation, Parts, Sheet, Target, Values};
use crate::options::{Accumulator, Backend, Level, Options};
use crate::rows::RowsView;
use core::marker::PhantomData;
use core::ops::AddAssign;
use keops_core::Scalar;

/// A reduction with its data, waiting to be run.
///
/// ```text
/// let a = gauss(&x, &y, &b, &gamma).accumulate(Accumulator::Kahan).run()?;
/// ```
#[must_use = "a call computes nothing until it is run"]
pub struct Call<'a, O, T: Scalar> {
    arguments: Vec<RowsView<'a, T>>,
    options: Options,
    operation: PhantomData<fn() -> O>,
}

impl<'a, O: Operation, T: Scalar> Call<'a, O, T> {
    /// A call with these arguments, in the order of the formula's variables. Used by generated code.
    #[doc(hidden)]
    pub fn new<const N: usize>(arguments: [RowsView<'a, T>; N]) -> Self {
        Call { arguments: arguments.into(), options: Options::default(), operation: PhantomData }
    }

    /// Chooses where it runs.
    pub fn backend(mut self, backend: Backend) -> Self {
        self.options.backend = backend;
        self
    }

    /// Chooses how terms are added up. An error for reductions that add nothing up.
    pub fn accumulate(mut self, accumulator: Accumulator) -> Self {
        self.options.accumulator = Some(accumulator);
        self
    }

    /// Forces the use of these instructions. An error on a processor that lacks them.
    pub fn level(mut self, level: Level) -> Self {
        self.options.level = Some(level);
        self
    }

    /// Runs it and returns the results in new arrays.
    ///
    /// # Errors
    /// If shapes do not fit, if something that was asked for is not there, or if memory does not suffice.
    pub fn run(&self) -> Result<<O::Form as Form>::Output<T>, Error> {
        let (inputs, extent) = self.prepare()?;
        let (values, indices) = tables::<O>(extent);
        let mut values = memory::table(O::NAME, "values", extent.rows, values)?;
        let mut indices = memory::table(O::NAME, "indices", extent.rows, indices)?;
        O::execute(&inputs, &self.options, values.view_mut(), indices.view_mut())?;
        let Extent { rows, .. } = extent;
        O::Form::assemble(extent, values, indices).ok_or(Error::Memory {
            formula: O::NAME,
            part: "results",
            rows,
            columns: extent.columns(),
        })
    }

    /// Runs it and writes the results into `out`, of any strides.
    ///
    /// # Errors
    /// As [`Call::run`], and if `out` has another shape than the results. Nothing is written in case of an error.
    pub fn run_into(&self, out: &mut (impl Target<O::Form, T> + ?Sized)) -> Result<(), Error> {
        let (inputs, extent) = self.prepare()?;
        let (value_columns, index_columns) = tables::<O>(extent);
        let Parts { values, indices } = out.parts();
        check_shape::<O, _>("values", extent, values.as_ref())?;
        check_shape::<O, _>("indices", extent, indices.as_ref())?;
        let mut values = Sheet::new(O::NAME, "values", values, extent.rows, value_columns)?;
        let mut indices = Sheet::new(O::NAME, "indices", indices, extent.rows, index_columns)?;
        O::execute(&inputs, &self.options, values.view(), indices.view())?;
        values.finish();
        indices.finish();
        Ok(())
    }

    /// Runs it and adds the results to `out`, of any strides.
    ///
    /// # Errors
    /// As [`Call::run_into`].
    pub fn add_into(&self, out: &mut (impl Target<Values, T> + ?Sized)) -> Result<(), Error>
    where
        O: Additive,
        T: AddAssign,
    {
        let (inputs, extent) = self.prepare()?;
        let Parts { values, .. } = out.parts();
        check_shape::<O, _>("values", extent, values.as_ref())?;
        let mut sums = memory::table(O::NAME, "values", extent.rows, extent.columns())?;
        let mut none = memory::table(O::NAME, "indices", extent.rows, 0)?;
        O::execute(&inputs, &self.options, sums.view_mut(), none.view_mut())?;
        if let Some(mut values) = values {
            values.iter_mut().zip(sums.iter()).for_each(|(to, sum)| *to += *sum);
        }
        Ok(())
    }

    /// Checks everything that can be checked before running.
    fn prepare(&self) -> Result<(Inputs<'a, T>, Extent), Error> {
        self.options.check(O::NAME, O::ACCUMULATES)?;
        let inputs = Inputs::bind(O::NAME, &O::variables(), self.arguments.clone())?;
        O::check(&inputs)?;
        let extent = O::extent(&inputs);
        Ok((inputs, extent))
    }
}

/// Columns of the tables of values and of indices.
fn tables<O: Operation>(extent: Extent) -> (usize, usize) {
    let columns = |present: bool| if present { extent.columns() } else { 0 };
    (columns(O::Form::VALUES), columns(O::Form::INDICES))
}

/// Refuses an output of the wrong shape.
fn check_shape<O: Operation, A>(
    part: &'static str,
    extent: Extent,
    view: Option<&ndarray::ArrayViewMut<'_, A, ndarray::IxDyn>>,
) -> Result<(), Error> {
    match view {
        Some(view) if view.shape() != extent.shape() => {
            Err(Error::OutputShape { formula: O::NAME, part, expected: extent.shape(), got: view.shape().to_vec() })
        }
        _ => Ok(()),
    }
}
