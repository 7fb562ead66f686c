//! What can be known about the devices of this machine.

use super::device;

/// A CUDA device of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Its number, as in [`Backend::Cuda`](crate::Backend::Cuda).
    pub ordinal: u32,
    /// Its name.
    pub name: String,
    /// Compute capability, major and minor: 9.0 runs kernels compiled for `sm_90` and less.
    pub capability: (u32, u32),
    /// Bytes of memory.
    pub memory: u64,
}

/// The CUDA devices of this machine.
///
/// # Errors
/// Why there is no driver to ask, in words.
pub fn devices() -> Result<Vec<DeviceInfo>, String> {
    let devices = device::all().map_err(str::to_string)?;
    Ok(devices
        .iter()
        .map(|device| DeviceInfo {
            ordinal: device.ordinal,
            name: device.name.clone(),
            capability: device.capability,
            memory: device.memory,
        })
        .collect())
}
