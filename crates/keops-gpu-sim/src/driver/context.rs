//! Primary contexts, and which one is current in a thread.

use super::state::{CURRENT, Handle, with, with_current};
use super::status::{Status, output};
use std::ffi::c_int;

driver_api! {
    fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int) {
        let handle = with(|d| {
            let new = d.handle();
            let found = d.device(device)?;
            if found.retained == 0 {
                found.context = new;
            }
            found.retained += 1;
            Ok(found.context)
        })?;
        output(context, handle)
    }

    fn cuDevicePrimaryCtxRelease_v2(device: c_int) {
        with(|d| {
            let found = d.device(device)?;
            found.retained = found.retained.checked_sub(1).ok_or(Status::InvalidContext)?;
            if found.retained == 0 {
                found.context = 0;
                d.clear(device as usize);
            }
            Ok(())
        })
    }

    fn cuDevicePrimaryCtxReset_v2(device: c_int) {
        with(|d| {
            d.device(device)?;
            d.clear(device as usize);
            Ok(())
        })
    }

    fn cuCtxSetCurrent(context: Handle) {
        if context != 0 {
            with(|d| d.device_of(context))?;
        }
        CURRENT.set(context);
        Ok(())
    }

    fn cuCtxGetCurrent(context: *mut Handle) { output(context, CURRENT.get()) }

    fn cuCtxGetDevice(device: *mut c_int) { output(device, with(|d| d.device_of(CURRENT.get()))? as c_int) }

    fn cuCtxSynchronize() { with_current(|_, _| Ok(())) }
}
