//! The seam between operations and engines: every reduction of every operation passes through [`reduce`].

use crate::cpu::{self, Reduction};
use crate::error::Error;
use crate::options::Options;
use keops_core::{Formula, Scalar};
use ndarray::{ArrayView2, ArrayViewMut2};

/// Runs one reduction on the engine that `options` asks for.
///
/// `variables` come in the order of [`Formula::VARIABLES`] with checked shapes: `rows` rows for the kept index,
/// `columns` for the reduced one, one for parameters. Writes `R::values` numbers per row into `values` and `R::indices`
/// into `indices` ([`u64::MAX`] where no term was selected); with [`Keep::None`](keops_core::Keep::None) both have one row.
pub(crate) fn reduce<F: Formula, R: Reduction, T: Scalar>(
    variables: &[ArrayView2<'_, T>],
    rows: usize,
    columns: usize,
    options: &Options,
    values: ArrayViewMut2<'_, T>,
    indices: ArrayViewMut2<'_, u64>,
) -> Result<(), Error> {
    cpu::reduce::<F, R, T>(variables, rows, columns, options, values, indices)
}
