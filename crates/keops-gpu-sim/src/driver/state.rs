//! All state of the driver behind one lock: calls are executed one after the other, and completely.

use super::config::{self, DeviceConfig};
use super::kernel::Function;
use super::status::Status;
use crate::counts::Counts;
use crate::memory::global::Global;
use crate::ptx::program::Program;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// What a C handle (`CUcontext`, `CUmodule`, …) holds: a number that is never given out twice.
pub(crate) type Handle = usize;

/// A device with its primary context; there are no others.
pub(crate) struct Device {
    pub(crate) config: DeviceConfig,
    pub(crate) memory: Global,
    /// The context while it is retained, or 0.
    pub(crate) context: Handle,
    pub(crate) retained: u32,
    /// A fault of a kernel: every later call fails with it, as on a real device.
    pub(crate) broken: Option<Status>,
    pub(crate) launches: u32,
}

/// What handles stand for.
pub(crate) enum Object {
    Stream,
    /// The time of its record.
    Event(Option<Instant>),
    /// A module with the device and the addresses of its variables.
    Module(Arc<Program>, usize, Vec<u64>),
    Function(Function),
}

pub(crate) struct Driver {
    pub(crate) devices: Vec<Device>,
    pub(crate) objects: BTreeMap<Handle, Object>,
    /// Sizes of page-locked allocations.
    pub(crate) pinned: BTreeMap<usize, usize>,
    pub(crate) counts: Counts,
    next: Handle,
}

static DRIVER: Mutex<Option<Driver>> = Mutex::new(None);

thread_local! {
    /// The calling thread's context, or 0.
    pub(crate) static CURRENT: Cell<Handle> = const { Cell::new(0) };
}

impl Driver {
    fn new() -> Self {
        let device = |(k, config): (u64, DeviceConfig)| {
            // A device's addresses tell which one it is.
            let memory = Global::new((k + 1) << 40, config.memory);
            Device { config, memory, context: 0, retained: 0, broken: None, launches: 0 }
        };
        let devices = (0..16).zip(config::devices()).map(device).collect();
        Self { devices, objects: BTreeMap::new(), pinned: BTreeMap::new(), counts: Counts::default(), next: 0x1000 }
    }

    pub(crate) fn handle(&mut self) -> Handle {
        self.next += 0x10;
        self.next
    }

    /// A handle for a new object.
    pub(crate) fn insert(&mut self, object: Object) -> Handle {
        let handle = self.handle();
        self.objects.insert(handle, object);
        handle
    }

    pub(crate) fn device(&mut self, ordinal: i32) -> Result<&mut Device, Status> {
        let found = usize::try_from(ordinal).ok().and_then(|k| self.devices.get_mut(k));
        found.ok_or(Status::InvalidDevice)
    }

    /// The number of the device whose context has a handle.
    pub(crate) fn device_of(&self, context: Handle) -> Result<usize, Status> {
        let found = self.devices.iter().position(|d| d.context == context && context != 0);
        found.ok_or(Status::InvalidContext)
    }

    /// Frees what was made in a device's context, and forgets its fault.
    pub(crate) fn clear(&mut self, device: usize) {
        self.devices[device].memory.clear();
        self.devices[device].broken = None;
        self.objects.retain(|_, object| match object {
            Object::Module(_, owner, _) | Object::Function(Function { device: owner, .. }) => *owner != device,
            _ => true,
        });
    }
}

/// Initialises the driver on first use.
pub(crate) fn initialise() -> Result<(), Status> {
    let mut lock = DRIVER.lock().unwrap_or_else(PoisonError::into_inner);
    let driver = lock.get_or_insert_with(Driver::new);
    if driver.devices.is_empty() { Err(Status::NoDevice) } else { Ok(()) }
}

/// Runs `body` with the initialised driver.
pub(crate) fn with<T>(body: impl FnOnce(&mut Driver) -> Result<T, Status>) -> Result<T, Status> {
    let mut lock = DRIVER.lock().unwrap_or_else(PoisonError::into_inner);
    body(lock.as_mut().ok_or(Status::NotInitialised)?)
}

/// Runs `body` with the number of the current context's device. The context must be whole.
pub(crate) fn with_current<T>(body: impl FnOnce(&mut Driver, usize) -> Result<T, Status>) -> Result<T, Status> {
    with(|driver| {
        let device = driver.device_of(CURRENT.get())?;
        driver.devices[device].broken.map_or(Ok(()), Err)?;
        body(driver, device)
    })
}
