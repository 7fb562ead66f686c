//! All state of the driver behind one lock: calls are executed one after the other, and completely.

use super::config::{self, DeviceConfig};
use super::status::Status;
use crate::counts::Counts;
use crate::memory::global::Global;
use crate::ptx::program::Program;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// What a C handle (`CUcontext`, `CUmodule`, …) holds: a number that is never given out twice.
pub(crate) type Handle = usize;

/// The primary context of a device; there are no others.
pub(crate) struct Context {
    pub(crate) handle: Handle,
    pub(crate) retained: u32,
    pub(crate) allocations: BTreeSet<u64>,
    /// A fault of a kernel: every later call fails with it, as on a real device.
    pub(crate) broken: Option<Status>,
}

pub(crate) struct Device {
    pub(crate) config: DeviceConfig,
    pub(crate) memory: Global,
    pub(crate) context: Option<Context>,
    pub(crate) launches: u32,
}

impl Device {
    /// Shared memory of a block when the kernel asks for more than the usual limit.
    pub(crate) fn opt_in_shared(&self) -> u32 {
        match self.config.capability {
            (7, _) => 96 << 10,
            (8, 0 | 7) => 163 << 10,
            (8, _) | (12, _) => 99 << 10,
            _ => 227 << 10,
        }
    }
}

/// What handles stand for.
pub(crate) enum Object {
    Stream,
    /// The time of its record.
    Event(Option<Instant>),
    /// A module with the addresses of its variables.
    Module {
        context: Handle,
        program: Arc<Program>,
        variables: Vec<u64>,
    },
    Kernel {
        module: Handle,
        index: usize,
        dynamic_shared: u32,
    },
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
        let device = |(k, config): (u64, DeviceConfig)| Device {
            config,
            // A device's addresses tell which one it is.
            memory: Global::new((k + 1) << 40, config.memory),
            context: None,
            launches: 0,
        };
        Self {
            devices: (0..16).zip(config::devices()).map(device).collect(),
            objects: BTreeMap::new(),
            pinned: BTreeMap::new(),
            counts: Counts::default(),
            next: 0x1000,
        }
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

    /// The device whose context has a handle.
    pub(crate) fn device_of(&mut self, context: Handle) -> Result<(usize, &mut Device), Status> {
        let is_it = |d: &Device| d.context.as_ref().is_some_and(|c| c.handle == context);
        self.devices.iter_mut().enumerate().find(|(_, d)| is_it(d)).ok_or(Status::InvalidContext)
    }

    /// Frees what was made in a context.
    pub(crate) fn clear(&mut self, context: Handle) -> Result<(), Status> {
        let (_, device) = self.device_of(context)?;
        for address in device.context.iter_mut().flat_map(|c| std::mem::take(&mut c.allocations)) {
            device.memory.free(address);
        }
        self.objects.retain(|_, o| !matches!(o, Object::Module { context: c, .. } if *c == context));
        Ok(())
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
        let (number, device) = driver.device_of(CURRENT.get())?;
        match device.context.as_ref().and_then(|c| c.broken) {
            Some(status) => Err(status),
            None => body(driver, number),
        }
    })
}
