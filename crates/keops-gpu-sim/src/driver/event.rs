//! Events, which take the host's time.

use super::state::{Handle, with, with_current};
use super::status::{Status, output};
use super::stream::check_stream;
use std::ffi::c_uint;
use std::time::Instant;

driver_api! {
    /// Makes an event.
    fn cuEventCreate(event: *mut Handle, _flags: c_uint) {
        let handle = with_current(|d, _| {
            let handle = d.handle();
            d.events.insert(handle, None);
            Ok(handle)
        })?;
        output(event, handle)
    }

    /// Records an event.
    fn cuEventRecord(event: Handle, stream: Handle) {
        with_current(|d, _| {
            check_stream(d, stream)?;
            *d.events.get_mut(&event).ok_or(Status::InvalidHandle)? = Some(Instant::now());
            Ok(())
        })
    }

    /// Whether an event has been reached: always.
    fn cuEventQuery(event: Handle) {
        with_current(|d, _| if d.events.contains_key(&event) { Ok(()) } else { Err(Status::InvalidHandle) })
    }

    /// Waits for an event; says if a kernel has failed.
    fn cuEventSynchronize(event: Handle) {
        with_current(|d, _| if d.events.contains_key(&event) { Ok(()) } else { Err(Status::InvalidHandle) })
    }

    /// Milliseconds between two recorded events.
    fn cuEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle) {
        let time = with_current(|d, _| {
            let at = |e| d.events.get(&e).copied().flatten().ok_or(Status::InvalidHandle);
            Ok(at(end)?.saturating_duration_since(at(start)?))
        })?;
        output(milliseconds, time.as_secs_f32() * 1e3)
    }

    /// Destroys an event.
    fn cuEventDestroy_v2(event: Handle) {
        with(|d| d.events.remove(&event).map(|_| ()).ok_or(Status::InvalidHandle))
    }
}
