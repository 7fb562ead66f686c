//! Contexts: primary ones, the older kind, and each thread's stack of them.

use super::state::{Context, Handle, stack, with, with_current};
use super::status::{Status, output};
use std::ffi::{c_int, c_uint};

fn current() -> Handle {
    stack(|s| s.last().copied()).unwrap_or(0)
}

driver_api! {
    /// Retains the primary context of a device, making it if there is none.
    fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int) {
        let handle = with(|d| {
            let handle = match d.device(device)?.primary {
                Some(handle) => handle,
                None => d.new_context(device as usize),
            };
            let device = d.device(device)?;
            device.primary = Some(handle);
            device.retained += 1;
            Ok(handle)
        })?;
        output(context, handle)
    }

    /// Releases the primary context; the last release destroys it.
    fn cuDevicePrimaryCtxRelease_v2(device: c_int) {
        with(|d| {
            let found = d.device(device)?;
            let handle = found.primary.ok_or(Status::InvalidContext)?;
            found.retained -= 1;
            if found.retained == 0 {
                found.primary = None;
                d.destroy_context(handle);
            }
            Ok(())
        })
    }

    /// Frees everything in the primary context; a fault is forgotten.
    fn cuDevicePrimaryCtxReset_v2(device: c_int) {
        with(|d| {
            if let Some(handle) = d.device(device)?.primary {
                d.destroy_context(handle);
                let context = Context::new(device as usize);
                d.contexts.insert(handle, context);
            }
            Ok(())
        })
    }

    /// Flags of the primary context, and whether it is active.
    fn cuDevicePrimaryCtxGetState(device: c_int, flags: *mut c_uint, active: *mut c_int) {
        let (set, alive) = with(|d| d.device(device).map(|d| (d.flags, d.primary.is_some())))?;
        output(flags, set)?;
        output(active, alive.into())
    }

    /// Sets flags, which mean nothing here.
    fn cuDevicePrimaryCtxSetFlags_v2(device: c_int, flags: c_uint) {
        with(|d| {
            d.device(device)?.flags = flags;
            Ok(())
        })
    }

    /// Makes a context and makes it current.
    fn cuCtxCreate_v2(context: *mut Handle, _flags: c_uint, device: c_int) {
        let handle = with(|d| {
            d.device(device)?;
            Ok(d.new_context(device as usize))
        })?;
        stack(|s| s.push(handle));
        output(context, handle)
    }

    /// Destroys a context.
    fn cuCtxDestroy_v2(context: Handle) {
        with(|d| {
            d.context(context)?;
            if d.devices.iter().any(|device| device.primary == Some(context)) {
                return Err(Status::InvalidContext);
            }
            d.destroy_context(context);
            Ok(())
        })?;
        stack(|s| if s.last() == Some(&context) { s.pop(); });
        Ok(())
    }

    /// Replaces the current context; 0 removes it.
    fn cuCtxSetCurrent(context: Handle) {
        if context != 0 {
            with(|d| d.context(context).map(|_| ()))?;
        }
        stack(|s| {
            s.pop();
            if context != 0 {
                s.push(context);
            }
        });
        Ok(())
    }

    /// The current context, or 0.
    fn cuCtxGetCurrent(context: *mut Handle) { output(context, current()) }

    /// Pushes a context.
    fn cuCtxPushCurrent_v2(context: Handle) {
        with(|d| d.context(context).map(|_| ()))?;
        stack(|s| s.push(context));
        Ok(())
    }

    /// Pops the current context.
    fn cuCtxPopCurrent_v2(context: *mut Handle) {
        let popped = stack(Vec::pop).ok_or(Status::InvalidContext)?;
        if context.is_null() { Ok(()) } else { output(context, popped) }
    }

    /// Device of the current context.
    fn cuCtxGetDevice(device: *mut c_int) {
        let found = with(|d| d.context(current()).map(|c| c.device))?;
        output(device, found as c_int)
    }

    /// Waits for everything; says if a kernel has failed.
    fn cuCtxSynchronize() { with_current(|_, _| Ok(())) }

    /// Version of the API that a context was made for.
    fn cuCtxGetApiVersion(context: Handle, version: *mut c_uint) {
        with(|d| d.context(context).map(|_| ()))?;
        output(version, 3020)
    }

    /// Flags of the current context.
    fn cuCtxGetFlags(flags: *mut c_uint) {
        with_current(|_, _| Ok(()))?;
        output(flags, 0)
    }

    /// Limits are not modelled.
    fn cuCtxGetLimit(value: *mut usize, _limit: c_int) {
        with_current(|_, _| Ok(()))?;
        output(value, 0)
    }

    /// Limits are not modelled.
    fn cuCtxSetLimit(_limit: c_int, _value: usize) { with_current(|_, _| Ok(())) }

    /// Cache configurations are not modelled.
    fn cuCtxGetCacheConfig(config: *mut c_int) { output(config, 0) }

    /// Cache configurations are not modelled.
    fn cuCtxSetCacheConfig(_config: c_int) { with_current(|_, _| Ok(())) }

    /// Banks are not modelled.
    fn cuCtxGetSharedMemConfig(config: *mut c_int) { output(config, 0) }

    /// Banks are not modelled.
    fn cuCtxSetSharedMemConfig(_config: c_int) { with_current(|_, _| Ok(())) }

    /// Priorities mean nothing: all are 0.
    fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) {
        output(least, 0)?;
        output(greatest, 0)
    }
}
