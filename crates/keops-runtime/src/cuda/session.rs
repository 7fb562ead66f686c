//! [`Session`]: one call on a device, from the first thing it asks of the driver to the last.

use super::channel::Channel;
use super::device::Device;
use super::module::Module;
use super::resources::{Current, Resources};
use super::status::{Outcome, Refused};
use crate::error::Error;
use cust::memory::{DeviceBuffer, mem_get_info};
use keops_core::Ptx;
use std::sync::Arc;

/// A call on a device, whose context is current.
pub(super) struct Session {
    // In the order in which they are dropped: the call ends when nothing of the device is held any more.
    _current: Current,
    resources: Arc<Resources>,
    call: Running,
    pub(super) generation: u64,
    pub(super) formula: &'static str,
}

/// A call that is counted by its device.
struct Running(&'static Device);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.leave();
    }
}

impl Session {
    /// Begins a call of a formula.
    pub(super) fn begin(device: &'static Device, formula: &'static str) -> Result<Session, Error> {
        let error = |error: Refused| driver_error(formula, device, "make its context current", error);
        let (resources, generation) = device.enter().map_err(error)?;
        let call = Running(device);
        let current = resources.make_current().map_err(error)?;
        Ok(Session { _current: current, resources, call, generation, formula })
    }

    /// Where it runs.
    pub(super) fn device(&self) -> &'static Device {
        self.call.0
    }

    /// What the driver refused to do, as an error of the call.
    pub(super) fn failed(&self, doing: &'static str, error: Refused) -> Error {
        if error.ends_context() {
            self.device().give_up();
        }
        driver_error(self.formula, self.device(), doing, error)
    }

    /// The kernels of a PTX file, loaded once.
    pub(super) fn module(&self, ptx: &Ptx) -> Result<Arc<Module>, Error> {
        self.resources.module(ptx.text, || {
            tracing::debug!(formula = self.formula, device = self.device().ordinal, "loading kernels");
            Module::load(ptx.text).map_err(|(error, log)| {
                if error.ends_context() {
                    self.device().give_up();
                }
                let log = if log.is_empty() { error.to_string() } else { format!("{error}: {log}") };
                Error::Jit { formula: self.formula, device: self.device().ordinal, log }
            })
        })
    }

    /// Memory of the device, for `part`.
    pub(super) fn allocate(&self, part: &'static str, bytes: u64) -> Result<DeviceBuffer<u8>, Error> {
        let size = usize::try_from(bytes).unwrap_or(usize::MAX);
        // SAFETY: what is read of the memory is written before, by copies or kernels.
        unsafe { DeviceBuffer::uninitialized(size) }.map_err(|error| match Refused::from(error) {
            error if error.is_out_of_memory() => Error::DeviceMemory {
                formula: self.formula,
                device: self.device().ordinal,
                part,
                requested: bytes,
                free: self.free_memory(),
            },
            error => self.failed("allocate memory", error),
        })
    }

    /// Bytes that are free on the device; 0 if the driver does not tell.
    pub(super) fn free_memory(&self) -> u64 {
        mem_get_info().map_or(0, |(free, _)| free as u64)
    }

    /// Does `work` with a channel that no other call uses. When this returns, its stream is idle.
    pub(super) fn with_channel(&self, work: impl FnOnce(&mut Channel) -> Result<(), Error>) -> Result<(), Error> {
        let mut channel = self.resources.take_channel().map_err(|error| self.failed("create a stream", error))?;
        let outcome = work(&mut channel);
        match channel.stream.synchronize() {
            Ok(()) => {
                self.resources.return_channel(channel);
                outcome
            }
            Err(error) => outcome.and(Err(self.failed("complete the call", error.into()))),
        }
    }

    /// Waits for the kernels of a stream.
    pub(super) fn wait(&self, channel: &Channel, kernels: &str) -> Result<(), Error> {
        channel.stream.synchronize().map_err(|error| self.kernel_failed(kernels, error.into()))
    }

    /// What a kernel did, or what launching it led to.
    pub(super) fn kernel_failed(&self, kernel: &str, error: Refused) -> Error {
        if error.ends_context() {
            self.device().give_up();
        }
        let (device, kernel) = (self.device().ordinal, kernel.to_string());
        Error::Kernel { formula: self.formula, device, kernel, reason: error.to_string() }
    }
}

fn driver_error(formula: &'static str, device: &Device, doing: &'static str, error: Refused) -> Error {
    Error::Driver { formula, device: device.ordinal, doing, reason: error.to_string() }
}

/// The error, unless the driver did as it was told.
pub(super) trait OrFailed<A> {
    /// Names what was to be done.
    fn or_failed(self, session: &Session, doing: &'static str) -> Result<A, Error>;
}

impl<A> OrFailed<A> for Outcome<A> {
    fn or_failed(self, session: &Session, doing: &'static str) -> Result<A, Error> {
        self.map_err(|error| session.failed(doing, error))
    }
}
