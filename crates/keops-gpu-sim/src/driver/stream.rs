//! Streams. Work is done when it is submitted, so that streams only have to exist.

use super::state::{Driver, Handle, with, with_current};
use super::status::{Status, output};
use std::ffi::{c_int, c_uint, c_void};

/// The default streams' handles: null, legacy, per thread.
pub(crate) fn check_stream(driver: &Driver, stream: Handle) -> Result<(), Status> {
    if stream <= 2 || driver.streams.contains_key(&stream) { Ok(()) } else { Err(Status::InvalidHandle) }
}

fn create(stream: *mut Handle, flags: c_uint, priority: c_int) -> Result<(), Status> {
    let handle = with_current(|d, _| {
        let handle = d.handle();
        d.streams.insert(handle, (flags, priority));
        Ok(handle)
    })?;
    // SAFETY: the caller of the exported function passes a pointer to a stream handle.
    unsafe { output(stream, handle) }
}

driver_api! {
    /// Makes a stream.
    fn cuStreamCreate(stream: *mut Handle, flags: c_uint) { create(stream, flags, 0) }

    /// Makes a stream; priorities mean nothing.
    fn cuStreamCreateWithPriority(stream: *mut Handle, flags: c_uint, priority: c_int) {
        create(stream, flags, priority)
    }

    /// Destroys a stream.
    fn cuStreamDestroy_v2(stream: Handle) {
        with(|d| d.streams.remove(&stream).map(|_| ()).ok_or(Status::InvalidHandle))
    }

    /// Waits for a stream; says if a kernel has failed.
    fn cuStreamSynchronize(stream: Handle) { with_current(|d, _| check_stream(d, stream)) }

    /// Whether all work of a stream is done: always.
    fn cuStreamQuery(stream: Handle) { with_current(|d, _| check_stream(d, stream)) }

    /// Makes a stream wait for an event.
    fn cuStreamWaitEvent(stream: Handle, event: Handle, _flags: c_uint) {
        with_current(|d, _| {
            check_stream(d, stream)?;
            if d.events.contains_key(&event) { Ok(()) } else { Err(Status::InvalidHandle) }
        })
    }

    /// Flags that a stream was made with.
    fn cuStreamGetFlags(stream: Handle, flags: *mut c_uint) {
        output(flags, with(|d| d.streams.get(&stream).map(|s| s.0).ok_or(Status::InvalidHandle))?)
    }

    /// Priority that a stream was made with.
    fn cuStreamGetPriority(stream: Handle, priority: *mut c_int) {
        output(priority, with(|d| d.streams.get(&stream).map(|s| s.1).ok_or(Status::InvalidHandle))?)
    }

    /// Calls a host function after the stream's work, which is now.
    fn cuLaunchHostFunc(stream: Handle, function: Option<unsafe extern "C" fn(*mut c_void)>, data: *mut c_void) {
        with_current(|d, _| check_stream(d, stream))?;
        function.ok_or(Status::InvalidValue)?(data);
        Ok(())
    }

    /// Older form of `cuLaunchHostFunc`; the callback also gets the stream and its status.
    fn cuStreamAddCallback(
        stream: Handle,
        callback: Option<unsafe extern "C" fn(Handle, c_int, *mut c_void)>,
        data: *mut c_void,
        _flags: c_uint,
    ) {
        with_current(|d, _| check_stream(d, stream))?;
        callback.ok_or(Status::InvalidValue)?(stream, 0, data);
        Ok(())
    }
}
