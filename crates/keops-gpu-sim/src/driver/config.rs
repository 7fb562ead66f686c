//! The simulated machine, as environment variables describe it.

use std::env;

/// One device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DeviceConfig {
    pub(crate) memory: u64,
    pub(crate) capability: (u32, u32),
}

/// Most devices that fit the address space.
const MAX_DEVICES: usize = 16;

/// `64M` and the like; a suffix multiplies by a power of 1024.
fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KIB" => 10,
        "M" | "MIB" => 20,
        "G" | "GIB" => 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// Reads `KEOPS_GPU_SIM_MEMORY` (one size a device; empty means no device) and `KEOPS_GPU_SIM_CAPABILITY`
/// (one a device, the last one serves the rest). What cannot be read is reported and replaced by the default.
pub(crate) fn devices() -> Vec<DeviceConfig> {
    let memory = env::var("KEOPS_GPU_SIM_MEMORY").unwrap_or_else(|_| "4G,1G".to_string());
    let capability = env::var("KEOPS_GPU_SIM_CAPABILITY").unwrap_or_else(|_| "9.0".to_string());
    let mut capabilities = capability.split(',').map(|c| {
        let parsed = c.trim().split_once('.').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        parsed.unwrap_or_else(|| {
            super::log::write(&format!("KEOPS_GPU_SIM_CAPABILITY: `{c}` is not of the form 9.0"));
            (9, 0)
        })
    });
    let mut latest = (9, 0);
    let sizes = memory.split(',').filter(|s| !s.trim().is_empty()).take(MAX_DEVICES).map(|s| {
        let parsed = size(s).filter(|s| *s > 0 && *s < 1 << 39);
        parsed.unwrap_or_else(|| {
            super::log::write(&format!("KEOPS_GPU_SIM_MEMORY: `{s}` is no size such as 64M or 1G"));
            1 << 30
        })
    });
    sizes
        .map(|memory| {
            latest = capabilities.next().unwrap_or(latest);
            DeviceConfig { memory, capability: latest }
        })
        .collect()
}

/// `KEOPS_GPU_SIM_MAX_INSTRUCTIONS`: after so many a launch is given up.
pub(crate) fn instruction_limit() -> u64 {
    let set = env::var("KEOPS_GPU_SIM_MAX_INSTRUCTIONS").ok().and_then(|t| t.parse().ok());
    set.unwrap_or(100_000_000_000)
}
