//! The seam between operations and engines: every reduction of every operation passes through [`reduce`].

use crate::cpu;
#[cfg(feature = "cuda")]
use crate::cuda;
use crate::domain::{Domain, Table};
use crate::error::Error;
use crate::options::{Backend, Options};
use crate::stream;
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
    if let Some(run) = &options.run {
        if let Backend::Cuda(device) = options.backend {
            let reason = "data that is read while the call runs, a memory limit and progress are for the processor";
            return Err(Error::NoBackend { formula: F::TEXT, backend: format!("Cuda({device})"), reason });
        }
        refuse_devices::<F, T>(tables)?;
        return stream::reduce::<F, R, T>(run, tables, domain, options, values, indices);
    }
    #[cfg(feature = "cuda")]
    if let Some(chosen) = device::<F, T>(tables, options)? {
        return cuda::reduce::<F, R, T>(chosen, tables, domain, options, values, indices);
    }
    refuse_devices::<F, T>(tables)?;
    tracing::debug!(formula = F::TEXT, backend = "cpu", level = ?options.level(), "backend chosen");
    cpu::reduce::<F, R, T>(tables, domain, options, values, indices)
}

/// The same with results that stay on a device; they have the shapes `[values, indices]`.
#[cfg(feature = "cuda")]
pub(crate) fn reduce_on_device<F: Formula, R: Reduction, T: Scalar>(
    tables: &[Table<'_, T>],
    domain: &Domain<'_>,
    options: &Options,
    shapes: [(usize, usize); 2],
) -> Result<(cuda::DeviceRows<T>, cuda::DeviceRows<u64>), Error> {
    let chosen = match device::<F, T>(tables, options)? {
        Some(chosen) => chosen,
        None if options.backend == Backend::Auto => cuda::demanded::<F>(0)?,
        None => {
            let reason = "results that stay on a device were asked for, too";
            return Err(Error::NoBackend { formula: F::TEXT, backend: format!("{:?}", options.backend), reason });
        }
    };
    cuda::reduce_on_device::<F, R, T>(chosen, tables, domain, options, shapes)
}

/// Refuses data that is on a device where the call does not run. `places` are the variables with the devices of their data.
pub(crate) fn check_places(
    formula: &'static str,
    options: &Options,
    places: impl Iterator<Item = (&'static str, Option<u32>)>,
) -> Result<(), Error> {
    let mut here = match options.backend {
        Backend::Auto if options.level.is_none() => None,
        Backend::Cuda(device) => Some(format!("CUDA device {device}")),
        _ => Some("the processor".to_string()),
    };
    for (variable, device) in places.filter_map(|(variable, device)| Some((variable, device?))) {
        let there = format!("CUDA device {device}");
        let backend = here.get_or_insert_with(|| there.clone());
        if *backend != there {
            return Err(Error::OtherPlace { formula, variable, device, backend: backend.clone() });
        }
    }
    Ok(())
}

/// Refuses data on a device for a reduction that runs on the processor.
fn refuse_devices<F: Formula, T>(tables: &[Table<'_, T>]) -> Result<(), Error> {
    located::<F, T>(tables).map_or(Ok(()), |(variable, device)| {
        Err(Error::OtherPlace { formula: F::TEXT, variable, device, backend: "the processor".to_string() })
    })
}

/// The first variable whose data is on a device, and on which.
fn located<F: Formula, T>(tables: &[Table<'_, T>]) -> Option<(&'static str, u32)> {
    let mut all = tables.iter().zip(F::VARIABLES);
    all.find_map(|(table, variable)| table.device.map(|memory| (variable.name, memory.ordinal())))
}

/// The device to run on; none for the processor.
#[cfg(feature = "cuda")]
fn device<F: Formula, T: Scalar>(tables: &[Table<'_, T>], options: &Options) -> Result<Option<cuda::Chosen>, Error> {
    let chosen = match (options.backend, located::<F, T>(tables)) {
        (Backend::Cpu, _) => return Ok(None),
        (Backend::Cuda(ordinal), _) => cuda::demanded::<F>(ordinal)?,
        // Whoever asks for instructions of the processor means the processor.
        (Backend::Auto, _) if options.level.is_some() => return Ok(None),
        (Backend::Auto, Some((_, ordinal))) => cuda::demanded::<F>(ordinal)?,
        (Backend::Auto, None) => match cuda::best::<F>() {
            Ok(chosen) => chosen,
            Err(reason) => {
                tracing::debug!(formula = F::TEXT, reason, "no GPU");
                return Ok(None);
            }
        },
    };
    tracing::debug!(formula = F::TEXT, backend = "cuda", device = chosen.ordinal(), "backend chosen");
    Ok(Some(chosen))
}
