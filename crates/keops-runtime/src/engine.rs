//! The seam between operations and engines: every reduction of every operation passes through [`reduce`].

use crate::cpu;
#[cfg(feature = "cuda")]
use crate::cuda;
use crate::error::Error;
#[cfg(feature = "cuda")]
use crate::options::Backend;
use crate::options::Options;
use keops_core::{Formula, Scalar};
use ndarray::{ArrayView2, ArrayViewMut2};

/// A reduction that every engine of this build has.
#[cfg(not(feature = "cuda"))]
pub trait Reduction: cpu::Reduction {}
#[cfg(not(feature = "cuda"))]
impl<R: cpu::Reduction> Reduction for R {}

/// A reduction that every engine of this build has.
#[cfg(feature = "cuda")]
pub trait Reduction: cpu::Reduction + cuda::Kernels {}
#[cfg(feature = "cuda")]
impl<R: cpu::Reduction + cuda::Kernels> Reduction for R {}

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
    #[cfg(feature = "cuda")]
    if let Some(chosen) = device::<F>(options)? {
        return cuda::reduce::<F, R, T>(chosen, variables, rows, columns, options, values, indices);
    }
    tracing::debug!(formula = F::TEXT, backend = "cpu", level = ?options.level(), "backend chosen");
    cpu::reduce::<F, R, T>(variables, rows, columns, options, values, indices)
}

/// The device to run on; none for the processor.
#[cfg(feature = "cuda")]
fn device<F: Formula>(options: &Options) -> Result<Option<cuda::Chosen>, Error> {
    match options.backend {
        Backend::Cpu => Ok(None),
        Backend::Cuda(ordinal) => cuda::demanded::<F>(ordinal).map(Some),
        // Whoever asks for instructions of the processor means the processor.
        Backend::Auto if options.level.is_some() => Ok(None),
        Backend::Auto => match cuda::best::<F>() {
            Ok(chosen) => {
                tracing::debug!(formula = F::TEXT, backend = "cuda", device = chosen.ordinal(), "backend chosen");
                Ok(Some(chosen))
            }
            Err(reason) => {
                tracing::debug!(formula = F::TEXT, reason, "no GPU");
                Ok(None)
            }
        },
    }
}
