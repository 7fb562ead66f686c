//! Initialisation and devices.

use super::state::{initialise, with};
use super::status::{Status, output};
use std::ffi::{c_char, c_int, c_uint};

/// Newest PTX version that is read.
pub(crate) const PTX_VERSION: (u32, u32) = (9, 0);
/// What `cuDriverGetVersion` says: CUDA 13.0.
const DRIVER_VERSION: c_int = 13000;
/// Shared memory of a block that needs no opt-in.
pub(crate) const USUAL_SHARED: u32 = 48 << 10;

/// Copies a text with its terminating zero to a buffer of `size` bytes, and cuts what is too long.
///
/// # Safety
/// `buffer` is null or valid for writes of `size` bytes.
pub(crate) unsafe fn write_text(buffer: *mut c_char, size: usize, text: &str) -> Result<(), Status> {
    if buffer.is_null() || size == 0 {
        return Err(Status::InvalidValue);
    }
    let count = text.len().min(size - 1);
    // SAFETY: promised by the caller; there is room for `count` bytes and the zero.
    unsafe {
        buffer.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), count);
        buffer.add(count).write(0);
    }
    Ok(())
}

driver_api! {
    fn cuInit(flags: c_uint) { if flags == 0 { initialise() } else { Err(Status::InvalidValue) } }

    fn cuDriverGetVersion(version: *mut c_int) { output(version, DRIVER_VERSION) }

    fn cuDeviceGetCount(count: *mut c_int) { output(count, with(|d| Ok(d.devices.len()))? as c_int) }

    fn cuDeviceGet(device: *mut c_int, ordinal: c_int) {
        with(|d| d.device(ordinal).map(|_| ()))?;
        output(device, ordinal)
    }

    fn cuDeviceGetName(name: *mut c_char, len: c_int, device: c_int) {
        with(|d| d.device(device).map(|_| ()))?;
        write_text(name, len.max(0) as usize, &format!("keops PTX simulator {device}"))
    }

    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) {
        output(bytes, with(|d| Ok(d.device(device)?.memory.limit))? as usize)
    }

    fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int) {
        let found = with(|d| {
            let config = d.device(device)?.config;
            Ok(match attribute {
                // Threads of a block, and of its sides; blocks of a grid.
                1..=3 => 1024,
                4 => 64,
                5 => c_int::MAX,
                6 | 7 => 65535,
                // Shared memory, and that by opting in.
                8 => USUAL_SHARED as c_int,
                97 => config.opt_in_shared() as c_int,
                10 => 32,
                16 => config.multiprocessors as c_int,
                // Threads and blocks of a multiprocessor.
                39 => 2048,
                106 => 32,
                75 => config.capability.0 as c_int,
                76 => config.capability.1 as c_int,
                // Unified addresses: yes. What is not modelled: no.
                41 => 1,
                _ => 0,
            })
        })?;
        output(value, found)
    }
}
