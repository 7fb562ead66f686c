//! Device memory and page-locked host memory: allocation, copies, fills. Asynchronous calls are complete when they
//! return.

use super::log;
use super::state::{Handle, with, with_current};
use super::status::{Status, output};
use super::stream::check_stream;
use crate::fault::Fault;
use crate::memory::global::Global;
use std::alloc::Layout;
use std::ffi::c_void;

/// Alignment of page-locked memory.
const PAGE: usize = 4096;

/// Runs `body` on the current device's memory unless it is about no bytes; what it does wrong is an invalid argument, as
/// on a real device.
fn on_memory(
    size: usize,
    stream: Handle,
    call: &str,
    body: impl FnOnce(&mut Global) -> Result<(), Fault>,
) -> Result<(), Status> {
    with_current(|d, device| {
        check_stream(d, stream)?;
        let done = if size == 0 { Ok(()) } else { body(&mut d.devices[device].memory) };
        done.map_err(|fault| {
            log::write(&format!("{call}: {}", fault.what));
            Status::InvalidValue
        })
    })
}

/// # Safety
/// `from` is null or valid for reads of `size` bytes.
unsafe fn upload(to: u64, from: *const c_void, size: usize, stream: Handle) -> Result<(), Status> {
    if from.is_null() && size > 0 {
        return Err(Status::InvalidValue);
    }
    on_memory(size, stream, "copy to the device", |m| {
        let target = m.find(to, size)?.write(to, size, None)?;
        // SAFETY: promised by the caller; host memory and simulated device memory do not overlap.
        unsafe { target.as_mut_ptr().copy_from_nonoverlapping(from.cast(), size) };
        Ok(())
    })
}

/// # Safety
/// `to` is null or valid for writes of `size` bytes.
unsafe fn download(to: *mut c_void, from: u64, size: usize, stream: Handle) -> Result<(), Status> {
    if to.is_null() && size > 0 {
        return Err(Status::InvalidValue);
    }
    on_memory(size, stream, "copy from the device", |m| {
        let source = m.find(from, size)?.read(from, size, None)?;
        // SAFETY: as in `upload`.
        unsafe { to.cast::<u8>().copy_from_nonoverlapping(source.as_ptr(), size) };
        Ok(())
    })
}

fn copy(to: u64, from: u64, size: usize, stream: Handle) -> Result<(), Status> {
    on_memory(size, stream, "copy on the device", |m| m.copy(to, from, size))
}

fn fill(to: u64, value: u8, size: usize, stream: Handle) -> Result<(), Status> {
    on_memory(size, stream, "fill", |m| m.find(to, size)?.write(to, size, None).map(|t| t.fill(value)))
}

driver_api! {
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) {
        let (unused, all) = with_current(|d, k| Ok((d.devices[k].memory.free_bytes(), d.devices[k].memory.limit)))?;
        output(free, unused as usize)?;
        output(total, all as usize)
    }

    fn cuMemAlloc_v2(address: *mut u64, size: usize) {
        let found = with_current(|d, device| {
            let memory = &mut d.devices[device].memory;
            let found = memory.allocate(size as u64);
            if found.is_none() {
                let (free, total) = (memory.free_bytes(), memory.limit);
                log::write(&format!("out of memory: {size} bytes requested, {free} of {total} free"));
            }
            found.ok_or(if size == 0 { Status::InvalidValue } else { Status::OutOfMemory })
        })?;
        output(address, found)
    }

    fn cuMemFree_v2(address: u64) {
        with_current(|d, device| {
            if address != 0 && !d.devices[device].memory.free(address) {
                log::write(&format!("free of {address:#x}, which is no allocation of this context"));
                return Err(Status::InvalidValue);
            }
            Ok(())
        })
    }

    fn cuMemAllocHost_v2(pointer: *mut *mut c_void, size: usize) {
        let layout = Layout::from_size_align(size, PAGE).ok().filter(|l| l.size() > 0).ok_or(Status::InvalidValue)?;
        let found = with_current(|d, _| {
            let found = std::alloc::alloc_zeroed(layout);
            if found.is_null() {
                return Err(Status::OutOfMemory);
            }
            d.pinned.insert(found as usize, size);
            Ok(found)
        })?;
        output(pointer, found.cast())
    }

    fn cuMemFreeHost(pointer: *mut c_void) {
        let size = with(|d| d.pinned.remove(&(pointer as usize)).ok_or(Status::InvalidValue))?;
        let layout = Layout::from_size_align(size, PAGE).map_err(|_| Status::InvalidValue)?;
        std::alloc::dealloc(pointer.cast(), layout);
        Ok(())
    }

    fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, size: usize) { upload(to, from, size, 0) }

    fn cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, size: usize, stream: Handle) {
        upload(to, from, size, stream)
    }

    fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, size: usize) { download(to, from, size, 0) }

    fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, size: usize, stream: Handle) {
        download(to, from, size, stream)
    }

    fn cuMemcpyDtoD_v2(to: u64, from: u64, size: usize) { copy(to, from, size, 0) }

    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, size: usize, stream: Handle) { copy(to, from, size, stream) }

    fn cuMemsetD8_v2(to: u64, value: u8, count: usize) { fill(to, value, count, 0) }

    fn cuMemsetD8Async(to: u64, value: u8, count: usize, stream: Handle) { fill(to, value, count, stream) }
}
