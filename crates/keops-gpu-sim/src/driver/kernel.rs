//! Kernels: attributes, occupancy, launch with the limits of a real device.

use super::config::instruction_limit;
use super::device::{MULTIPROCESSORS, USUAL_SHARED};
use super::log;
use super::state::{Driver, Handle, Kernel, Module, with, with_current};
use super::status::{Status, output};
use super::stream::check_stream;
use crate::counts::Counts;
use crate::exec::launch::{Launch, run};
use crate::exec::thread::Machine;
use crate::memory::shared::Shared;
use crate::ptx::program::Function;
use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

const MAX_THREADS: u32 = 1024;
/// Threads that a multiprocessor holds.
const RESIDENT_THREADS: u32 = 2048;
const MAX_DYNAMIC_SHARED: c_int = 8;

/// A kernel with its module.
fn find(driver: &Driver, function: Handle) -> Result<(&Kernel, &Module), Status> {
    let kernel = driver.kernels.get(&function).ok_or(Status::InvalidHandle)?;
    Ok((kernel, driver.modules.get(&kernel.module).ok_or(Status::InvalidHandle)?))
}

fn threads_of(function: &Function) -> u32 {
    function.max_threads.unwrap_or(MAX_THREADS).min(MAX_THREADS)
}

/// Sizes as the driver checks them; the text says what is wrong.
fn check(grid: [u32; 3], block: [u32; 3], dynamic: u32, fixed: u32, kernel: &Kernel, most: u32) -> Result<(), String> {
    let threads = block.iter().map(|n| u64::from(*n)).product::<u64>();
    let positive = grid.iter().chain(&block).all(|n| *n > 0);
    if !positive || grid[0] > c_int::MAX as u32 || grid[1] > 65535 || grid[2] > 65535 {
        return Err(format!("grid {grid:?} of blocks {block:?} is not possible"));
    }
    if block[0] > 1024 || block[1] > 1024 || block[2] > 64 || threads > u64::from(most) {
        return Err(format!("blocks {block:?} have {threads} threads, {most} at most (64 in z)"));
    }
    // Up to the usual limit static and dynamic shared memory share it; an opt-in counts the dynamic part alone.
    let shared = u64::from(dynamic) + u64::from(fixed);
    if dynamic > kernel.max_dynamic_shared
        || (kernel.max_dynamic_shared <= USUAL_SHARED && shared > USUAL_SHARED.into())
    {
        let opted = kernel.max_dynamic_shared;
        return Err(format!("{dynamic} + {fixed} bytes of shared memory, {opted} without opting in to more"));
    }
    Ok(())
}

/// Copies the arguments to the places where the kernel looks for them.
///
/// # Safety
/// `arguments` is null, or points to as many valid pointers as the kernel has parameters.
unsafe fn collect(function: &Function, arguments: *const *const c_void) -> Result<Vec<u8>, Status> {
    let mut bytes = vec![0; function.params.last().map_or(0, |p| p.offset + p.size)];
    for (k, slot) in function.params.iter().enumerate() {
        // SAFETY: promised by the caller.
        let from = unsafe { if arguments.is_null() { std::ptr::null() } else { arguments.add(k).read() } };
        if from.is_null() {
            return Err(Status::InvalidValue);
        }
        // SAFETY: each argument points to a value of its parameter's size.
        let value = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), slot.size) };
        bytes[slot.offset..slot.offset + slot.size].copy_from_slice(value);
    }
    Ok(bytes)
}

/// Blocks of `threads` that a multiprocessor holds; registers are not modelled.
fn resident(threads: c_int) -> Result<c_int, Status> {
    let threads = u32::try_from(threads).ok().filter(|t| (1..=MAX_THREADS).contains(t));
    let threads = threads.ok_or(Status::InvalidValue)?;
    Ok((RESIDENT_THREADS / threads.next_multiple_of(32)).min(32) as c_int)
}

driver_api! {
    /// An attribute of a kernel.
    fn cuFuncGetAttribute(value: *mut c_int, attribute: c_int, function: Handle) {
        let found = with(|d| {
            let (kernel, module) = find(d, function)?;
            let function = &module.program.functions[kernel.index];
            Ok(match attribute {
                0 => threads_of(function),
                1 => module.program.shared_bytes as u32,
                3 => function.local_bytes as u32,
                MAX_DYNAMIC_SHARED => kernel.max_dynamic_shared,
                _ => 0,
            })
        })?;
        output(value, found as c_int)
    }

    /// Sets an attribute: the limit of dynamic shared memory.
    fn cuFuncSetAttribute(function: Handle, attribute: c_int, value: c_int) {
        with(|d| {
            let (_, module) = find(d, function)?;
            let (fixed, context) = (module.program.shared_bytes as u32, module.context);
            let device = d.context(context)?.device;
            let limit = d.devices[device].opt_in_shared().saturating_sub(fixed);
            let wanted = u32::try_from(value).map_err(|_| Status::InvalidValue)?;
            match attribute {
                MAX_DYNAMIC_SHARED if wanted > limit => Err(Status::InvalidValue),
                MAX_DYNAMIC_SHARED => {
                    d.kernels.get_mut(&function).ok_or(Status::InvalidHandle)?.max_dynamic_shared = wanted;
                    Ok(())
                }
                _ => Ok(()),
            }
        })
    }

    /// Cache configurations are not modelled.
    fn cuFuncSetCacheConfig(function: Handle, _config: c_int) { with(|d| find(d, function).map(|_| ())) }

    /// Banks are not modelled.
    fn cuFuncSetSharedMemConfig(function: Handle, _config: c_int) { with(|d| find(d, function).map(|_| ())) }

    /// Blocks of a kernel that a multiprocessor holds, by threads alone.
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int, function: Handle, threads: c_int, _dynamic: usize,
    ) {
        with(|d| find(d, function).map(|_| ()))?;
        output(blocks, resident(threads)?)
    }

    /// The same; flags mean nothing.
    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: *mut c_int, function: Handle, threads: c_int, _dynamic: usize, _flags: c_uint,
    ) {
        with(|d| find(d, function).map(|_| ()))?;
        output(blocks, resident(threads)?)
    }

    /// Grid and block that fill the device, by threads alone.
    fn cuOccupancyMaxPotentialBlockSize(
        grid: *mut c_int, block: *mut c_int, function: Handle,
        _shared: Option<unsafe extern "C" fn(c_int) -> usize>, _dynamic: usize, limit: c_int,
    ) {
        let most = with(|d| find(d, function).map(|(k, m)| threads_of(&m.program.functions[k.index])))?;
        let threads = if limit > 0 { most.min(limit as u32) } else { most } as c_int;
        output(grid, MULTIPROCESSORS * resident(threads)?)?;
        output(block, threads)
    }

    /// Runs a kernel. What it does wrong is told by the next call that waits, and by every call after it.
    fn cuLaunchKernel(
        function: Handle,
        grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
        block_x: c_uint, block_y: c_uint, block_z: c_uint,
        dynamic: c_uint, stream: Handle,
        arguments: *const *const c_void, extra: *const *const c_void,
    ) {
        with_current(|d, context| {
            check_stream(d, stream)?;
            let (kernel, module) = find(d, function)?;
            if module.context != context {
                return Err(Status::InvalidContext);
            }
            if !extra.is_null() {
                return Err(Status::NotSupported);
            }
            let (kernel, program) = (kernel.clone(), Arc::clone(&module.program));
            let code = &program.functions[kernel.index];
            let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
            let fixed = program.shared_bytes as u32;
            check(grid, block, dynamic, fixed, &kernel, threads_of(code)).map_err(|what| {
                log::write(&format!("launch of `{}` refused: {what}", code.name));
                Status::InvalidValue
            })?;
            let params = collect(code, arguments)?;
            let mut machine = Machine {
                program: &program,
                global: d.memory(context)?,
                shared: Shared::new((fixed + dynamic) as usize),
                counts: Counts { launches: 1, ..Counts::default() },
                limit: instruction_limit(),
            };
            let multiprocessors = MULTIPROCESSORS as u32;
            let launch =
                Launch { kernel: kernel.index, grid, block, dynamic_shared: dynamic, params: &params, multiprocessors };
            let result = run(&launch, &mut machine);
            let counts = machine.counts;
            d.counts.add(&counts);
            if let Err((kind, what)) = result {
                log::write(&what);
                d.context(context)?.broken = Some(kind.into());
            }
            Ok(())
        })
    }
}
