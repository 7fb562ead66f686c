//! Kernels: how much shared memory they may have, launch with the limits of a real device.

use super::config::instruction_limit;
use super::device::USUAL_SHARED;
use super::log;
use super::state::{Driver, Handle, Object, with, with_current};
use super::status::Status;
use super::stream::check_stream;
use crate::counts::Counts;
use crate::exec::launch::run;
use crate::exec::warp::Machine;
use crate::memory::watched::Watched;
use crate::ptx::program::{Kernel, Program};
use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

const MAX_THREADS: u32 = 1024;
/// The attribute that a kernel can be given: its limit of dynamic shared memory.
const DYNAMIC_SHARED: c_int = 8;

/// A kernel of a module that is loaded.
#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) module: Handle,
    pub(crate) device: usize,
    pub(crate) program: Arc<Program>,
    pub(crate) index: usize,
    /// Limit of dynamic shared memory.
    pub(crate) dynamic_shared: u32,
}

impl Function {
    fn kernel(&self) -> &Kernel {
        &self.program.kernels[self.index]
    }

    fn max_threads(&self) -> u32 {
        self.kernel().max_threads.unwrap_or(MAX_THREADS).min(MAX_THREADS)
    }

    fn fixed_shared(&self) -> u32 {
        self.program.shared_bytes as u32
    }

    /// Sizes as the driver checks them; the text says what is wrong.
    fn check(&self, grid: [u32; 3], block: [u32; 3], dynamic: u32) -> Result<(), String> {
        let (threads, most) = (block.iter().map(|n| u64::from(*n)).product::<u64>(), self.max_threads());
        let fits = |sizes: [u32; 3], limits: [u32; 3]| sizes.iter().zip(limits).all(|(n, most)| (1..=most).contains(n));
        if !fits(grid, [c_int::MAX as u32, 65535, 65535]) || !fits(block, [1024, 1024, 64]) {
            return Err(format!("grid {grid:?} of blocks {block:?} is not possible"));
        }
        if threads > u64::from(most) {
            return Err(format!("blocks {block:?} have {threads} threads, {most} at most"));
        }
        // Up to the usual limit static and dynamic shared memory share it; an opt-in counts the dynamic part alone.
        let (fixed, limit) = (self.fixed_shared(), self.dynamic_shared);
        if dynamic > limit || (limit <= USUAL_SHARED && dynamic + fixed > USUAL_SHARED) {
            return Err(format!("{dynamic} + {fixed} bytes of shared memory, {limit} without opting in to more"));
        }
        Ok(())
    }

    /// Copies the arguments to the places where the kernel looks for them.
    ///
    /// # Safety
    /// `arguments` is null, or points to as many valid pointers as the kernel has parameters.
    unsafe fn collect(&self, arguments: *const *const c_void) -> Result<Vec<u8>, Status> {
        let mut bytes = vec![0; self.kernel().param_bytes];
        for (k, (offset, size)) in self.kernel().params.iter().enumerate() {
            // SAFETY: promised by the caller.
            let from = unsafe { if arguments.is_null() { std::ptr::null() } else { arguments.add(k).read() } };
            if from.is_null() {
                return Err(Status::InvalidValue);
            }
            // SAFETY: each argument points to a value of its parameter's size.
            let value = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), *size) };
            bytes[*offset..offset + size].copy_from_slice(value);
        }
        Ok(bytes)
    }
}

fn find(driver: &mut Driver, function: Handle) -> Result<&mut Function, Status> {
    match driver.objects.get_mut(&function) {
        Some(Object::Function(found)) => Ok(found),
        _ => Err(Status::InvalidHandle),
    }
}

driver_api! {
    fn cuFuncSetAttribute(function: Handle, attribute: c_int, value: c_int) {
        with(|d| {
            let device = find(d, function)?.device;
            let limit = d.devices[device].config.opt_in_shared();
            let found = find(d, function)?;
            if attribute == DYNAMIC_SHARED {
                let wanted = u32::try_from(value).map_err(|_| Status::InvalidValue)?;
                if wanted > limit.saturating_sub(found.fixed_shared()) {
                    return Err(Status::InvalidValue);
                }
                found.dynamic_shared = wanted;
            }
            Ok(())
        })
    }

    // What a kernel does wrong is told by the next call that waits, and by every call after it.
    fn cuLaunchKernel(
        function: Handle,
        grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
        block_x: c_uint, block_y: c_uint, block_z: c_uint,
        dynamic: c_uint, stream: Handle,
        arguments: *const *const c_void, extra: *const *const c_void,
    ) {
        with_current(|d, number| {
            check_stream(d, stream)?;
            let found = find(d, function)?.clone();
            let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
            if found.device != number || !extra.is_null() {
                return Err(if extra.is_null() { Status::InvalidContext } else { Status::NotSupported });
            }
            found.check(grid, block, dynamic).map_err(|what| {
                log::write(&format!("launch of `{}` refused: {what}", found.kernel().name));
                Status::InvalidValue
            })?;
            let (params, fixed_shared) = (found.collect(arguments)?, found.fixed_shared());
            let device = &mut d.devices[number];
            device.launches += 1;
            let mut machine = Machine {
                kernel: found.kernel(),
                params: Watched::filled("parameter", params),
                global: &mut device.memory,
                shared: Watched::new("shared", 0, (fixed_shared + dynamic) as usize),
                launch: device.launches,
                block: 0,
                period: 0,
                counts: Counts { launches: 1, ..Counts::default() },
                limit: instruction_limit(),
                grid_size: grid,
                block_size: block,
                fixed_shared,
                dynamic_shared: dynamic,
                lines: &found.program.lines,
            };
            let result = run(&mut machine);
            d.counts.add(&machine.counts);
            if let Err(fault) = result {
                log::write(&fault.what);
                device.broken = Some(fault.status);
            }
            Ok(())
        })
    }
}
