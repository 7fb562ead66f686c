//! Copies and fills of device memory.

use super::log;
use super::state::{Handle, with_current};
use super::status::Status;
use super::stream::check_stream;
use crate::fault::Fault;
use crate::memory::global::Global;
use std::ffi::{c_uint, c_void};

/// Runs `body` on the current device's memory; what it does wrong is an invalid argument, as on a real device.
fn on_memory(stream: Handle, call: &str, body: impl FnOnce(&mut Global) -> Result<(), Fault>) -> Result<(), Status> {
    with_current(|d, context| {
        check_stream(d, stream)?;
        body(d.memory(context)?).map_err(|fault| {
            log::write(&format!("{call}: {}: {}", fault.kind, fault.what));
            Status::InvalidValue
        })
    })
}

/// # Safety
/// `from` is valid for reads of `size` bytes.
unsafe fn upload(to: u64, from: *const c_void, size: usize, stream: Handle) -> Result<(), Status> {
    if size == 0 {
        return Ok(());
    }
    if from.is_null() {
        return Err(Status::InvalidValue);
    }
    // SAFETY: promised by the caller.
    let source = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), size) };
    on_memory(stream, "copy to the device", |m| m.host_write(to, size).map(|t| t.copy_from_slice(source)))
}

/// # Safety
/// `to` is valid for writes of `size` bytes.
unsafe fn download(to: *mut c_void, from: u64, size: usize, stream: Handle) -> Result<(), Status> {
    if size == 0 {
        return Ok(());
    }
    if to.is_null() {
        return Err(Status::InvalidValue);
    }
    on_memory(stream, "copy from the device", |m| {
        let source = m.read(from, size)?;
        // SAFETY: promised by the caller; host memory and simulated device memory do not overlap.
        unsafe { to.cast::<u8>().copy_from_nonoverlapping(source.as_ptr(), size) };
        Ok(())
    })
}

fn copy(to: u64, from: u64, size: usize, stream: Handle) -> Result<(), Status> {
    if size == 0 { Ok(()) } else { on_memory(stream, "copy on the device", |m| m.copy(to, from, size)) }
}

fn fill(to: u64, pattern: &[u8], count: usize, stream: Handle) -> Result<(), Status> {
    let size = count.checked_mul(pattern.len()).ok_or(Status::InvalidValue)?;
    if size == 0 {
        return Ok(());
    }
    if !to.is_multiple_of(pattern.len() as u64) {
        return Err(Status::InvalidValue);
    }
    on_memory(stream, "fill", |m| {
        m.host_write(to, size)?.chunks_exact_mut(pattern.len()).for_each(|c| c.copy_from_slice(pattern));
        Ok(())
    })
}

driver_api! {
    /// Copies from the host.
    fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, size: usize) { upload(to, from, size, 0) }

    /// Copies from the host; done when it returns.
    fn cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, size: usize, stream: Handle) {
        upload(to, from, size, stream)
    }

    /// Copies to the host. Bytes that nobody has written are an error.
    fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, size: usize) { download(to, from, size, 0) }

    /// Copies to the host; done when it returns.
    fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, size: usize, stream: Handle) {
        download(to, from, size, stream)
    }

    /// Copies inside a device.
    fn cuMemcpyDtoD_v2(to: u64, from: u64, size: usize) { copy(to, from, size, 0) }

    /// Copies inside a device; done when it returns.
    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, size: usize, stream: Handle) { copy(to, from, size, stream) }

    /// Fills with a byte.
    fn cuMemsetD8_v2(to: u64, value: u8, count: usize) { fill(to, &[value], count, 0) }

    /// Fills with a 16-bit value.
    fn cuMemsetD16_v2(to: u64, value: u16, count: usize) { fill(to, &value.to_le_bytes(), count, 0) }

    /// Fills with a 32-bit value.
    fn cuMemsetD32_v2(to: u64, value: c_uint, count: usize) { fill(to, &value.to_le_bytes(), count, 0) }

    /// Fills with a byte; done when it returns.
    fn cuMemsetD8Async(to: u64, value: u8, count: usize, stream: Handle) { fill(to, &[value], count, stream) }

    /// Fills with a 16-bit value; done when it returns.
    fn cuMemsetD16Async(to: u64, value: u16, count: usize, stream: Handle) {
        fill(to, &value.to_le_bytes(), count, stream)
    }

    /// Fills with a 32-bit value; done when it returns.
    fn cuMemsetD32Async(to: u64, value: c_uint, count: usize, stream: Handle) {
        fill(to, &value.to_le_bytes(), count, stream)
    }
}
