//! Primary contexts, and which one is current in a thread.

use super::state::{CURRENT, Context, Handle, with, with_current};
use super::status::{Status, output};
use std::collections::BTreeSet;
use std::ffi::c_int;

driver_api! {
    fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int) {
        let handle = with(|d| {
            let new = Context { handle: d.handle(), retained: 0, allocations: BTreeSet::new(), broken: None };
            let found = d.device(device)?.context.get_or_insert(new);
            found.retained += 1;
            Ok(found.handle)
        })?;
        output(context, handle)
    }

    fn cuDevicePrimaryCtxRelease_v2(device: c_int) {
        with(|d| {
            let found = d.device(device)?.context.as_mut().ok_or(Status::InvalidContext)?;
            found.retained -= 1;
            if found.retained == 0 {
                let handle = found.handle;
                d.clear(handle)?;
                d.device(device)?.context = None;
            }
            Ok(())
        })
    }

    fn cuDevicePrimaryCtxReset_v2(device: c_int) {
        with(|d| {
            if let Some(found) = &mut d.device(device)?.context {
                found.broken = None;
                let handle = found.handle;
                d.clear(handle)?;
            }
            Ok(())
        })
    }

    fn cuCtxSetCurrent(context: Handle) {
        if context != 0 {
            with(|d| d.device_of(context).map(|_| ()))?;
        }
        CURRENT.set(context);
        Ok(())
    }

    fn cuCtxGetCurrent(context: *mut Handle) { output(context, CURRENT.get()) }

    fn cuCtxGetDevice(device: *mut c_int) {
        output(device, with(|d| d.device_of(CURRENT.get()).map(|(number, _)| number as c_int))?)
    }

    fn cuCtxSynchronize() { with_current(|_, _| Ok(())) }
}
