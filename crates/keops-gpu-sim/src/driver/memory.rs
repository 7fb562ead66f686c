//! Allocation of device memory and of page-locked host memory.

use super::log;
use super::state::{Handle, with, with_current};
use super::status::{Status, output};
use super::stream::check_stream;
use std::alloc::Layout;
use std::ffi::{c_uint, c_void};

/// Alignment of page-locked memory.
const PAGE: usize = 4096;

fn allocate(size: usize) -> Result<u64, Status> {
    with_current(|d, context| {
        if size == 0 {
            return Err(Status::InvalidValue);
        }
        let memory = d.memory(context)?;
        let Some(address) = memory.allocate(size as u64) else {
            let (free, total) = (memory.free_bytes(), memory.limit());
            log::write(&format!("out of memory: {size} bytes requested, {free} of {total} free"));
            return Err(Status::OutOfMemory);
        };
        d.context(context)?.allocations.insert(address);
        Ok(address)
    })
}

fn free(address: u64) -> Result<(), Status> {
    with_current(|d, context| {
        if address == 0 {
            return Ok(());
        }
        if !d.context(context)?.allocations.remove(&address) {
            log::write(&format!("free of {address:#x}, which is no allocation of this context"));
            return Err(Status::InvalidValue);
        }
        d.memory(context)?.free(address);
        Ok(())
    })
}

fn pin(size: usize) -> Result<*mut c_void, Status> {
    with_current(|d, _| {
        let layout = Layout::from_size_align(size, PAGE).ok().filter(|l| l.size() > 0);
        // SAFETY: the layout's size is not zero.
        let pointer = unsafe { std::alloc::alloc_zeroed(layout.ok_or(Status::InvalidValue)?) };
        if pointer.is_null() {
            return Err(Status::OutOfMemory);
        }
        d.pinned.insert(pointer as usize, size);
        Ok(pointer.cast())
    })
}

driver_api! {
    /// Free and total memory of the current device.
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) {
        let (unused, all) = with_current(|d, c| d.memory(c).map(|m| (m.free_bytes(), m.limit())))?;
        output(free, unused as usize)?;
        output(total, all as usize)
    }

    /// Allocates device memory.
    fn cuMemAlloc_v2(address: *mut u64, size: usize) { output(address, allocate(size)?) }

    /// Frees device memory.
    fn cuMemFree_v2(address: u64) { free(address) }

    /// Allocates in the order of a stream, which is now.
    fn cuMemAllocAsync(address: *mut u64, size: usize, stream: Handle) {
        with_current(|d, _| check_stream(d, stream))?;
        output(address, allocate(size)?)
    }

    /// Frees in the order of a stream, which is now.
    fn cuMemFreeAsync(address: u64, stream: Handle) {
        with_current(|d, _| check_stream(d, stream))?;
        free(address)
    }

    /// Allocates page-locked host memory.
    fn cuMemAllocHost_v2(pointer: *mut *mut c_void, size: usize) { output(pointer, pin(size)?) }

    /// Allocates page-locked host memory; kernels cannot reach it, whatever the flags say.
    fn cuMemHostAlloc(pointer: *mut *mut c_void, size: usize, _flags: c_uint) { output(pointer, pin(size)?) }

    /// Frees page-locked host memory.
    fn cuMemFreeHost(pointer: *mut c_void) {
        let size = with(|d| d.pinned.remove(&(pointer as usize)).ok_or(Status::InvalidValue))?;
        let layout = Layout::from_size_align(size, PAGE).map_err(|_| Status::InvalidValue)?;
        std::alloc::dealloc(pointer.cast(), layout);
        Ok(())
    }

    /// Page-locks host memory, which means nothing here.
    fn cuMemHostRegister_v2(pointer: *mut c_void, _size: usize, _flags: c_uint) {
        if pointer.is_null() { Err(Status::InvalidValue) } else { with_current(|_, _| Ok(())) }
    }

    /// Undoes `cuMemHostRegister_v2`.
    fn cuMemHostUnregister(_pointer: *mut c_void) { with_current(|_, _| Ok(())) }
}
