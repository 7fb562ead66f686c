//! [`Call`]: a formula with its data, and the choices that are made before it runs.

use crate::domain::{Offsets, Pattern, Ranges, Scope};
use crate::engine;
use crate::error::Error;
use crate::memory;
use crate::operation::{Additive, Extent, Form, Inputs, Operation, Parts, Sheet, Target, Values};
#[cfg(feature = "cuda")]
use crate::operation::{FormOnDevice, OnDevice};
use crate::options::{Accumulator, Backend, Level, Options};
use crate::rows::RowsView;
use crate::stream::{Progress, Run, Settings};
use core::marker::PhantomData;
use core::ops::AddAssign;
use keops_core::{Scalar, Variable};
use ndarray::Array2;
use std::sync::Arc;

/// Numbers that a row may have; the macro sees to it where dimensions are numbers.
const MOST_NUMBERS: usize = 1 << 18;

/// A reduction with its data, waiting to be run.
///
/// ```text
/// let a = gauss(&x, &y, &b, &gamma).accumulate(Accumulator::Kahan).run()?;
/// ```
#[must_use = "a call computes nothing until it is run"]
pub struct Call<'a, O, T: Scalar> {
    arguments: Vec<RowsView<'a, T>>,
    options: Options,
    scope: Scope,
    pieces: Settings,
    operation: PhantomData<fn() -> O>,
}

impl<'a, O: Operation, T: Scalar> Call<'a, O, T> {
    /// A call with these arguments, in the order of the formula's variables. Used by generated code.
    #[doc(hidden)]
    pub fn new<const N: usize>(arguments: [RowsView<'a, T>; N]) -> Self {
        Call {
            arguments: arguments.into(),
            options: Options::default(),
            scope: Scope::Dense,
            pieces: Settings::default(),
            operation: PhantomData,
        }
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

    /// Reduces over the blocks of pairs that `ranges` keeps, in every batch element. Indices are those of the whole arrays.
    /// Gradients take the same ranges as the call they are of.
    pub fn ranges(mut self, ranges: &Ranges) -> Self {
        self.scope = Scope::Ranges(ranges.clone());
        self
    }

    /// A batch of problems of different sizes, one behind the other in the arrays: rows i of each segment meet the rows j of
    /// the segment of the same number. Segments may be empty. Indices are those of the whole arrays.
    ///
    /// # Errors
    /// [`Error::Segments`] if `i` and `j` differ in their number of segments.
    pub fn segments(mut self, i: &Offsets, j: &Offsets) -> Result<Self, Error> {
        if i.segments() != j.segments() {
            return Err(Error::Segments { i: i.segments(), j: j.segments() });
        }
        self.scope = Scope::Segments(Arc::new(Pattern::segments(i, j)), Arc::new(Pattern::segments(j, i)));
        Ok(self)
    }

    /// Runs in pieces, with at most about so many bytes for data that is read and for what is remembered of rows; without a limit
    /// it is 1 GiB if any data is read. Arrays that are in memory already, results, and what gradients of reductions other than
    /// sums remember of each row come on top. The limit decides about the pieces and hence about the last bits.
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.pieces.limit = Some(bytes);
        self
    }

    /// Calls `watcher` after each piece, on the thread that runs the call. Runs in pieces.
    pub fn progress(mut self, watcher: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.pieces.watcher = Some(Arc::new(watcher));
        self
    }

    /// The same for arrays with leading axes, which are batches: see [`Batched`].
    pub fn batched(self) -> Batched<'a, O, T> {
        Batched(self)
    }

    /// Runs it and returns the results in new arrays.
    ///
    /// # Errors
    /// If shapes do not fit, if something that was asked for is not there, or if memory does not suffice.
    pub fn run(&self) -> Result<<O::Form as Form>::Output<T>, Error> {
        let (extent, values, indices) = self.tables(false)?;
        O::Form::assemble(&extent, values, indices).ok_or_else(|| shapeless::<O>(&extent))
    }

    /// Runs it and writes the results into `out`, of any strides.
    ///
    /// # Errors
    /// As [`Call::run`], and if `out` has another shape than the results. Nothing is written in case of an error.
    pub fn run_into(&self, out: &mut (impl Target<O::Form, T> + ?Sized)) -> Result<(), Error> {
        let (inputs, extent, options) = self.prepare(false)?;
        let (value_columns, index_columns) = tables::<O>(&extent);
        let Parts { values, indices } = out.parts();
        check_shape::<O, _>("values", &extent, values.as_ref())?;
        check_shape::<O, _>("indices", &extent, indices.as_ref())?;
        // Reading may fail in the middle.
        let aside = options.run.is_some();
        let mut values = Sheet::new(O::NAME, "values", values, extent.rows, value_columns, aside)?;
        let mut indices = Sheet::new(O::NAME, "indices", indices, extent.rows, index_columns, aside)?;
        O::execute(&inputs, &options, values.view(), indices.view())?;
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
        let (inputs, extent, options) = self.prepare(false)?;
        let Parts { values, .. } = out.parts();
        check_shape::<O, _>("values", &extent, values.as_ref())?;
        let mut sums = memory::table(O::NAME, "values", extent.rows, extent.columns())?;
        let mut none = memory::table(O::NAME, "indices", extent.rows, 0)?;
        O::execute(&inputs, &options, sums.view_mut(), none.view_mut())?;
        if let Some(mut values) = values {
            values.iter_mut().zip(sums.iter()).for_each(|(to, sum)| *to += *sum);
        }
        Ok(())
    }

    /// Runs it on a device and leaves the results there: rows × numbers, for a reduction with values and indices a pair.
    ///
    /// [`Backend::Auto`] is the device where the data is, or the first one.
    ///
    /// # Errors
    /// As [`Call::run`], and if no device can run it.
    #[cfg(feature = "cuda")]
    pub fn run_on_device(&self) -> Result<<O::Form as FormOnDevice>::Left<T>, Error>
    where
        O: OnDevice,
    {
        let (inputs, extent, options) = self.prepare(false)?;
        let (values, indices) = tables::<O>(&extent);
        let rows = |columns| (if columns > 0 { extent.rows } else { 0 }, columns);
        let (values, indices) = O::execute_on_device(&inputs, &options, [rows(values), rows(indices)])?;
        Ok(O::Form::left(values, indices))
    }

    /// Runs it and returns plain tables.
    fn tables(&self, batched: bool) -> Result<(Extent, Array2<T>, Array2<u64>), Error> {
        let (inputs, extent, options) = self.prepare(batched)?;
        let (values, indices) = tables::<O>(&extent);
        let mut values = memory::table(O::NAME, "values", extent.table_rows(), values)?;
        let mut indices = memory::table(O::NAME, "indices", extent.table_rows(), indices)?;
        O::execute(&inputs, &options, values.view_mut(), indices.view_mut())?;
        Ok((extent, values, indices))
    }

    /// Checks everything that can be checked before running.
    fn prepare(&self, batched: bool) -> Result<(Inputs<'a, T>, Extent, Options), Error> {
        self.options.check(O::NAME, O::ACCUMULATES)?;
        let variables = O::variables();
        if let Some(&Variable { name, dim, .. }) = variables.iter().find(|v| !(1..=MOST_NUMBERS).contains(&v.dim)) {
            return Err(Error::Dimension { formula: O::NAME, variable: name, dim, most: MOST_NUMBERS });
        }
        let inputs = Inputs::bind(O::NAME, &variables, self.arguments.clone(), batched, &self.scope)?;
        let places = variables.iter().map(|variable| variable.name).zip(inputs.devices());
        engine::check_places(O::NAME, &self.options, places)?;
        O::check(&inputs)?;
        let extent = O::extent(&inputs);
        let mut options = self.options.clone();
        if inputs.are_stored() || self.pieces.any() {
            options.run = Some(Arc::new(Run::new(self.pieces.clone())));
        }
        Ok((inputs, extent, options))
    }
}

/// A call on arrays with leading axes.
///
/// All axes before the last two (rows × numbers) are batch axes, any number of them, on any variable, parameters included
/// (whose rows axis has length 1). They are aligned at the last one; an axis of length 1, or one that is not there, is shared
/// by all. Plain tables and lists are shared by all, too. Each batch element is a reduction of its own, on the processor to the last bit.
///
/// ```text
/// // x: 8 × 100 × 3, y: 200 × 3 (shared), gamma: 8 × 1 × 1
/// let a = gauss(&x, &y, &b, &gamma).batched().run()?;                        // 8 × 100 × 1
/// let dy = gauss::grad_y_j(&x, &y, &b, &gamma, &e).batched().run()?;         // 200 × 3, summed over the batch
/// ```
#[must_use = "a call computes nothing until it is run"]
pub struct Batched<'a, O, T: Scalar>(Call<'a, O, T>);

impl<O: Operation, T: Scalar> Batched<'_, O, T> {
    /// Runs it and returns the results in new arrays: batch axes, then what [`Call::run`] returns. Gradients have the shape of
    /// their variable: they are summed over the axes that it does not have.
    ///
    /// # Errors
    /// As [`Call::run`], and if batch axes do not fit together.
    pub fn run(&self) -> Result<<O::Form as Form>::Batched<T>, Error> {
        let (extent, values, indices) = self.0.tables(true)?;
        O::Form::assemble_batched(&extent, values, indices).ok_or_else(|| shapeless::<O>(&extent))
    }
}

/// Results for which no array has a shape.
fn shapeless<O: Operation>(extent: &Extent) -> Error {
    Error::Memory { formula: O::NAME, part: "results", rows: extent.table_rows(), columns: extent.columns() }
}

/// Columns of the tables of values and of indices.
fn tables<O: Operation>(extent: &Extent) -> (usize, usize) {
    let columns = |present: bool| if present { extent.columns() } else { 0 };
    (columns(O::Form::VALUES), columns(O::Form::INDICES))
}

/// Refuses an output of the wrong shape.
fn check_shape<O: Operation, A>(
    part: &'static str,
    extent: &Extent,
    view: Option<&ndarray::ArrayViewMut<'_, A, ndarray::IxDyn>>,
) -> Result<(), Error> {
    match view {
        Some(view) if view.shape() != extent.shape() => {
            Err(Error::OutputShape { formula: O::NAME, part, expected: extent.shape(), got: view.shape().to_vec() })
        }
        _ => Ok(()),
    }
}
