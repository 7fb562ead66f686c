//! Streams and events. Work is done when it is submitted, so that streams only have to exist; events take the host's
//! time.

use super::state::{Driver, Handle, Object, with, with_current};
use super::status::{Status, output};
use std::ffi::{c_int, c_uint};
use std::time::Instant;

/// Whether a stream exists. The default streams' handles are 0, 1 and 2.
pub(crate) fn check_stream(driver: &Driver, stream: Handle) -> Result<(), Status> {
    let known = stream <= 2 || matches!(driver.objects.get(&stream), Some(Object::Stream));
    if known { Ok(()) } else { Err(Status::InvalidHandle) }
}

/// The time at which an event was recorded.
fn time(driver: &mut Driver, event: Handle) -> Result<&mut Option<Instant>, Status> {
    match driver.objects.get_mut(&event) {
        Some(Object::Event(time)) => Ok(time),
        _ => Err(Status::InvalidHandle),
    }
}

driver_api! {
    fn cuStreamCreateWithPriority(stream: *mut Handle, _flags: c_uint, _priority: c_int) {
        output(stream, with_current(|d, _| Ok(d.insert(Object::Stream)))?)
    }

    fn cuStreamDestroy_v2(stream: Handle) {
        with(|d| {
            check_stream(d, stream)?;
            d.objects.remove(&stream).map(|_| ()).ok_or(Status::InvalidHandle)
        })
    }

    fn cuStreamSynchronize(stream: Handle) { with_current(|d, _| check_stream(d, stream)) }

    fn cuStreamQuery(stream: Handle) { with_current(|d, _| check_stream(d, stream)) }

    fn cuStreamWaitEvent(stream: Handle, event: Handle, _flags: c_uint) {
        with_current(|d, _| {
            check_stream(d, stream)?;
            time(d, event).map(|_| ())
        })
    }

    fn cuEventCreate(event: *mut Handle, _flags: c_uint) {
        output(event, with_current(|d, _| Ok(d.insert(Object::Event(None))))?)
    }

    fn cuEventRecord(event: Handle, stream: Handle) {
        with_current(|d, _| {
            check_stream(d, stream)?;
            *time(d, event)? = Some(Instant::now());
            Ok(())
        })
    }

    fn cuEventQuery(event: Handle) { with_current(|d, _| time(d, event).map(|_| ())) }

    fn cuEventSynchronize(event: Handle) { with_current(|d, _| time(d, event).map(|_| ())) }

    fn cuEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle) {
        let elapsed = with_current(|d, _| {
            let start = time(d, start)?.ok_or(Status::InvalidHandle)?;
            Ok(time(d, end)?.ok_or(Status::InvalidHandle)?.saturating_duration_since(start))
        })?;
        output(milliseconds, elapsed.as_secs_f32() * 1e3)
    }

    fn cuEventDestroy_v2(event: Handle) {
        with(|d| {
            time(d, event)?;
            d.objects.remove(&event);
            Ok(())
        })
    }
}
