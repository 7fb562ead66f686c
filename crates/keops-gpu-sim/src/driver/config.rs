//! The simulated machine, as environment variables describe it.

use super::log;
use super::status::Status;
use std::env;
use std::ffi::{CStr, c_char};
use std::sync::OnceLock;

/// One device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DeviceConfig {
    pub(crate) memory: u64,
    pub(crate) capability: (u32, u32),
    pub(crate) multiprocessors: u32,
}

impl DeviceConfig {
    /// Shared memory of a block when the kernel asks for more than the usual limit.
    pub(crate) fn opt_in_shared(&self) -> u32 {
        match self.capability {
            (7, _) => 96 << 10,
            (8, 0 | 7) => 163 << 10,
            (8, _) | (12, _) => 99 << 10,
            _ => 227 << 10,
        }
    }
}

/// `64M` and the like; a suffix multiplies by a power of 1024.
fn size(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(['K', 'M', 'G']);
    let unit = ["", "K", "M", "G"].iter().position(|unit| *unit == &text[digits.len()..])?;
    digits.parse::<u64>().ok()?.checked_mul(1 << (10 * unit)).filter(|s| *s > 0 && *s < 1 << 39)
}

/// `64M`, `64M:8.6` or `64M:8.6:24`: memory, capability, multiprocessors.
fn device(text: &str) -> Option<DeviceConfig> {
    let mut parts = text.split(':');
    let memory = size(parts.next()?)?;
    let (major, minor) = parts.next().unwrap_or("9.0").split_once('.')?;
    let multiprocessors = parts.next().unwrap_or("16").parse().ok().filter(|n| (1..=1024).contains(n))?;
    let capability = (major.parse().ok()?, minor.parse().ok()?);
    parts.next().is_none().then_some(DeviceConfig { memory, capability, multiprocessors })
}

/// The list that a test has chosen.
static CHOSEN: OnceLock<String> = OnceLock::new();

/// The devices of the list that a test has chosen or that `KEOPS_GPU_SIM_DEVICES` holds. What cannot be read is
/// reported and left out.
pub(crate) fn devices() -> Vec<DeviceConfig> {
    let set = CHOSEN.get().cloned().or_else(|| env::var("KEOPS_GPU_SIM_DEVICES").ok());
    let list = set.unwrap_or_else(|| "4G,1G".to_string());
    let entries = list.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    let report = |entry: &str| log::write(&format!("device `{entry}` is not of the form `64M:9.0:16`"));
    entries
        .filter_map(|entry| {
            device(entry).or_else(|| {
                report(entry);
                None
            })
        })
        .collect()
}

/// `KEOPS_GPU_SIM_MAX_INSTRUCTIONS`: after so many a launch is given up.
pub(crate) fn instruction_limit() -> u64 {
    let set = env::var("KEOPS_GPU_SIM_MAX_INSTRUCTIONS").ok().and_then(|t| t.parse().ok());
    set.unwrap_or(100_000_000_000)
}

driver_api! {
    // Chooses the devices, before the driver is initialised.
    fn keops_gpu_sim_set_devices(list: *const c_char) {
        if list.is_null() {
            return Err(Status::InvalidValue);
        }
        CHOSEN.set(CStr::from_ptr(list).to_string_lossy().into_owned()).map_err(|_| Status::InvalidValue)
    }
}
