//! The seam between operations and engines: every reduction of every operation passes through [`reduce`].

use crate::cpu;
#[cfg(feature = "cuda")]
use crate::cuda;
use crate::domain::{Domain, Table};
use crate::error::Error;
#[cfg(feature = "cuda")]
use crate::options::Backend;
use crate::options::Options;
use keops_core::{Formula, Scalar};
use ndarray::ArrayViewMut2;

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
/// `tables` come in the order of [`Formula::VARIABLES`] with checked shapes: as many rows as the pattern of `domain` has for
/// the kept index, as many as it has columns for the reduced one, one for parameters. Writes `R::values` numbers per row and
/// batch element into `values` and `R::indices` into `indices` ([`u64::MAX`] where no term was selected); with
/// [`Keep::None`](keops_core::Keep::None) both have one row per batch element.
pub(crate) fn reduce<F: Formula, R: Reduction, T: Scalar>(
    tables: &[Table<'_, T>],
    domain: &Domain<'_>,
    options: &Options,
    values: ArrayViewMut2<'_, T>,
    indices: ArrayViewMut2<'_, u64>,
) -> Result<(), Error> {
    #[cfg(feature = "cuda")]
    if let Some(chosen) = device::<F>(options, domain)? {
        let variables: Vec<_> = tables.iter().map(|table| table.data.index_axis(ndarray::Axis(0), 0)).collect();
        let (rows, columns) = (domain.pattern.rows(), domain.pattern.columns());
        return cuda::reduce::<F, R, T>(chosen, &variables, rows, columns, options, values, indices);
    }
    tracing::debug!(formula = F::TEXT, backend = "cpu", level = ?options.level(), "backend chosen");
    cpu::reduce::<F, R, T>(tables, domain, options, values, indices)
}

/// The device to run on; none for the processor.
#[cfg(feature = "cuda")]
fn device<F: Formula>(options: &Options, domain: &Domain<'_>) -> Result<Option<cuda::Chosen>, Error> {
    match options.backend {
        Backend::Cpu => Ok(None),
        Backend::Cuda(device) if !domain.is_plain() => Err(Error::PlainOnly { formula: F::TEXT, device }),
        Backend::Auto if !domain.is_plain() => {
            tracing::debug!(formula = F::TEXT, reason = "batches and block patterns run on the processor", "no GPU");
            Ok(None)
        }
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
