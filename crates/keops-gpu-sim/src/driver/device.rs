//! Initialisation and devices.

use super::state::{initialise, with};
use super::status::{Status, output};
use std::ffi::{c_char, c_int, c_uint};

/// Newest PTX version that is read.
pub(crate) const PTX_VERSION: (u32, u32) = (9, 0);
/// What `cuDriverGetVersion` says: CUDA 13.0.
const DRIVER_VERSION: c_int = 13000;
/// Multiprocessors of every device.
pub(crate) const MULTIPROCESSORS: c_int = 16;
/// Shared memory of a block that needs no opt-in.
pub(crate) const USUAL_SHARED: u32 = 48 << 10;

driver_api! {
    /// Initialises the driver.
    fn cuInit(flags: c_uint) {
        if flags != 0 {
            return Err(Status::InvalidValue);
        }
        initialise()
    }

    /// Version of CUDA that the driver speaks.
    fn cuDriverGetVersion(version: *mut c_int) { output(version, DRIVER_VERSION) }

    /// Number of devices.
    fn cuDeviceGetCount(count: *mut c_int) { output(count, with(|d| Ok(d.devices.len()))? as c_int) }

    /// Handle of a device, which is its ordinal.
    fn cuDeviceGet(device: *mut c_int, ordinal: c_int) {
        with(|d| d.device(ordinal).map(|_| ()))?;
        output(device, ordinal)
    }

    /// Name of a device.
    fn cuDeviceGetName(name: *mut c_char, len: c_int, device: c_int) {
        with(|d| d.device(device).map(|_| ()))?;
        if name.is_null() || len <= 0 {
            return Err(Status::InvalidValue);
        }
        let text = format!("keops PTX simulator {device}");
        let count = text.len().min(len as usize - 1);
        name.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), count);
        name.add(count).write(0);
        Ok(())
    }

    /// Sixteen bytes that identify a device.
    fn cuDeviceGetUuid(uuid: *mut [u8; 16], device: c_int) {
        with(|d| d.device(device).map(|_| ()))?;
        let mut bytes = *b"keops-gpu-sim   ";
        bytes[15] = device as u8;
        output(uuid, bytes)
    }

    /// Memory of a device in bytes.
    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) {
        output(bytes, with(|d| Ok(d.device(device)?.memory.limit()))? as usize)
    }

    /// An attribute of a device; those that describe what is not modelled are 0.
    fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int) {
        let found = with(|d| {
            let device = d.device(device)?;
            let (major, minor) = device.config.capability;
            let opt_in = device.opt_in_shared() as c_int;
            Ok(match attribute {
                // Threads of a block, then block and grid dimensions.
                1..=3 => 1024,
                4 => 64,
                5 => c_int::MAX,
                6 | 7 => 65535,
                8 => USUAL_SHARED as c_int,
                9 => 64 << 10,
                10 => 32,
                11 => c_int::MAX,
                12 | 82 => 64 << 10,
                13 | 36 => 1_000_000,
                14 => 512,
                15 | 40 => 1,
                16 => MULTIPROCESSORS,
                37 => 256,
                38 => 4 << 20,
                39 => 2048,
                75 => major as c_int,
                76 => minor as c_int,
                81 => opt_in + 1024,
                97 => opt_in,
                106 => 32,
                111 => 1024,
                115 => 1,
                _ => 0,
            })
        })?;
        output(value, found)
    }
}
