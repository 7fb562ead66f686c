//! Which device runs a call, and with which kernels.

use super::device::{self, Device};
use crate::error::Error;
use keops_core::{Formula, Ptx};

/// A device and kernels that run on it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chosen {
    pub(super) device: &'static Device,
    pub(super) ptx: &'static Ptx,
}

impl Chosen {
    /// Number of the device.
    pub(crate) fn ordinal(self) -> u32 {
        self.device.ordinal
    }
}

/// Device `ordinal`, or why it cannot run the formula.
pub(crate) fn demanded<F: Formula>(ordinal: u32) -> Result<Chosen, Error> {
    let formula = F::TEXT;
    let device = device::get(ordinal, formula)?;
    if F::PTX.is_empty() {
        return Err(Error::NoKernels { formula, generic: F::KERNEL_ID.is_empty() });
    }
    let ptx = fitting(F::PTX, device.capability).ok_or_else(|| Error::Architecture {
        formula,
        device: ordinal,
        name: device.name.clone(),
        capability: device.capability,
        targets: F::PTX.iter().map(|ptx| ptx.target).collect(),
    })?;
    Ok(Chosen { device, ptx })
}

/// The first device, or why it does not run the formula.
pub(crate) fn best<F: Formula>() -> Result<Chosen, String> {
    demanded::<F>(0).map_err(|error| error.to_string())
}

/// The kernels of the highest target that a device of this capability runs.
fn fitting(all: &'static [Ptx], capability: (u32, u32)) -> Option<&'static Ptx> {
    all.iter().filter(|ptx| ptx.target <= capability.0 * 10 + capability.1).max_by_key(|ptx| ptx.target)
}

#[cfg(test)]
mod tests {
    use super::{Ptx, fitting};

    const ALL: &[Ptx] = &[Ptx { target: 80, text: "a" }, Ptx { target: 90, text: "b" }, Ptx { target: 120, text: "c" }];

    #[test]
    fn devices_get_the_kernels_of_the_highest_target_they_run() {
        for (capability, target) in [
            ((7, 5), None),
            ((8, 0), Some(80)),
            ((8, 9), Some(80)),
            ((9, 0), Some(90)),
            ((10, 3), Some(90)),
            ((12, 1), Some(120)),
        ] {
            assert_eq!(fitting(ALL, capability).map(|ptx| ptx.target), target, "{capability:?}");
        }
    }
}
