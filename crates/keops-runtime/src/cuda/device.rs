//! [`Device`]: the CUDA devices of this machine, found once in a process, and what is kept for each of them.

use super::resources::Resources;
use super::status::Outcome;
use crate::error::Error;
use cust::CudaFlags;
use cust::context::Context;
use cust::device::DeviceAttribute;
use cust::error::{CudaError, CudaResult};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// A CUDA device.
#[derive(Debug)]
pub(crate) struct Device {
    /// Its number.
    pub(super) ordinal: u32,
    /// As the driver knows it.
    handle: cust::device::Device,
    /// Its name.
    pub(super) name: String,
    /// Compute capability, major and minor.
    pub(super) capability: (u32, u32),
    /// Multiprocessors.
    pub(super) multiprocessors: u32,
    /// Bytes of memory.
    pub(super) memory: u64,
    state: Mutex<State>,
    /// Notified when the last call leaves a device that is to be reset.
    left: Condvar,
}

/// What changes of a device.
#[derive(Debug, Default)]
struct State {
    /// The primary context and what belongs to it, from the first call on.
    resources: Option<Arc<Resources>>,
    /// Calls that are using them.
    calls: usize,
    /// Has a kernel failed, so that the context is of no use any more?
    broken: bool,
    /// Resets so far: memory of an earlier generation is gone.
    generation: u64,
}

/// All devices, or why there is no driver to ask.
pub(crate) fn all() -> Result<&'static [Device], &'static str> {
    static DEVICES: OnceLock<Result<Vec<Device>, String>> = OnceLock::new();
    match DEVICES.get_or_init(find) {
        Ok(devices) => Ok(devices),
        Err(reason) => Err(reason),
    }
}

/// A device by its number.
pub(super) fn get(ordinal: u32, formula: &'static str) -> Result<&'static Device, Error> {
    let no_driver = |reason: &str| Error::NoDriver { formula, device: ordinal, reason: reason.to_string() };
    let devices = all().map_err(no_driver)?;
    devices.get(ordinal as usize).ok_or(Error::NoDevice { formula, device: ordinal, count: devices.len() as u32 })
}

fn find() -> Result<Vec<Device>, String> {
    keops_cuda_driver::load().map_err(|loader| format!("its library cannot be loaded ({loader})"))?;
    match cust::init(CudaFlags::empty()) {
        Ok(()) => {}
        Err(CudaError::NoDevice) => return Ok(Vec::new()),
        Err(error) => return Err(format!("it does not start ({error})")),
    }
    let devices = || {
        let count = cust::device::Device::num_devices()?;
        (0..count).map(Device::new).collect::<CudaResult<Vec<_>>>()
    };
    devices().map_err(|error| format!("its devices cannot be queried ({error})"))
}

impl Device {
    fn new(ordinal: u32) -> CudaResult<Device> {
        let handle = cust::device::Device::get_device(ordinal)?;
        let number = |attribute| handle.get_attribute(attribute).map(|number| number.max(0) as u32);
        Ok(Device {
            ordinal,
            handle,
            name: handle.name()?,
            capability: (
                number(DeviceAttribute::ComputeCapabilityMajor)?,
                number(DeviceAttribute::ComputeCapabilityMinor)?,
            ),
            multiprocessors: number(DeviceAttribute::MultiprocessorCount)?,
            memory: handle.total_memory()? as u64,
            state: Mutex::default(),
            left: Condvar::new(),
        })
    }

    /// Nothing panics while the lock is held, so that a poisoned state is as good as any.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a call: the context with what belongs to it, and its generation. [`Device::leave`] ends it.
    pub(super) fn enter(&self) -> Outcome<(Arc<Resources>, u64)> {
        let mut state = self.lock();
        while state.broken && state.calls > 0 {
            state = self.left.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.broken {
            self.reset(&mut state);
        }
        let resources = match &state.resources {
            Some(resources) => Arc::clone(resources),
            None => {
                let resources = Arc::new(Resources::new(Context::new(self.handle)?));
                state.resources = Some(Arc::clone(&resources));
                resources
            }
        };
        state.calls += 1;
        Ok((resources, state.generation))
    }

    /// Ends a call.
    pub(super) fn leave(&self) {
        let mut state = self.lock();
        state.calls -= 1;
        if state.broken && state.calls == 0 {
            self.reset(&mut state);
            self.left.notify_all();
        }
    }

    /// A kernel has failed. The driver refuses all further work in that context, so it is given up as soon as the calls that
    /// are using it have ended; the next call gets a new one.
    pub(super) fn give_up(&self) {
        self.lock().broken = true;
    }

    /// Does `f`, which frees memory of this generation, unless that is gone already.
    pub(super) fn free(&self, generation: u64, f: impl FnOnce()) {
        let state = self.lock();
        let Some(resources) = &state.resources else { return };
        if state.generation != generation || state.broken {
            return;
        }
        // Held until the memory is free.
        let _current = resources.make_current();
        f();
    }

    fn reset(&self, state: &mut State) {
        // The context is released before it is reset: what it holds belongs to it, and fails to be freed one by one.
        state.resources = None;
        // SAFETY: no call is using the context, and memory of the old generation is not touched any more. What others in
        // this process keep in the primary context was lost when the kernel failed.
        let outcome = unsafe { Context::reset(&self.handle) };
        if let Err(error) = outcome {
            tracing::warn!(device = self.ordinal, %error, "the device could not be reset");
        }
        state.generation += 1;
        state.broken = false;
    }
}
