//! All state of the driver behind one lock: calls are executed one after the other, and completely.

use super::config::{self, DeviceConfig};
use super::status::Status;
use crate::counts::Counts;
use crate::memory::global::Global;
use crate::ptx::program::Program;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// What a C handle (`CUcontext`, `CUmodule`, …) holds: a number that is never given out twice.
pub(crate) type Handle = usize;

pub(crate) struct Device {
    pub(crate) config: DeviceConfig,
    pub(crate) memory: Global,
    /// The primary context while it is retained.
    pub(crate) primary: Option<Handle>,
    pub(crate) retained: u32,
    pub(crate) flags: u32,
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

pub(crate) struct Context {
    pub(crate) device: usize,
    pub(crate) allocations: BTreeSet<u64>,
    /// A fault of a kernel: every later call fails with it, as on a real device.
    pub(crate) broken: Option<Status>,
}

impl Context {
    pub(crate) fn new(device: usize) -> Self {
        Self { device, allocations: BTreeSet::new(), broken: None }
    }
}

pub(crate) struct Module {
    pub(crate) context: Handle,
    pub(crate) program: Arc<Program>,
    /// Address and size of the device variables.
    pub(crate) variables: HashMap<String, (u64, u64)>,
}

#[derive(Clone)]
pub(crate) struct Kernel {
    pub(crate) module: Handle,
    pub(crate) index: usize,
    pub(crate) max_dynamic_shared: u32,
}

pub(crate) struct Driver {
    pub(crate) devices: Vec<Device>,
    pub(crate) contexts: BTreeMap<Handle, Context>,
    pub(crate) modules: BTreeMap<Handle, Module>,
    pub(crate) kernels: BTreeMap<Handle, Kernel>,
    /// Streams with their flags and priority.
    pub(crate) streams: BTreeMap<Handle, (u32, i32)>,
    /// Events with the time of their record.
    pub(crate) events: BTreeMap<Handle, Option<Instant>>,
    /// Sizes of page-locked allocations.
    pub(crate) pinned: BTreeMap<usize, usize>,
    pub(crate) counts: Counts,
    next: Handle,
}

static DRIVER: Mutex<Option<Driver>> = Mutex::new(None);

thread_local! {
    /// Contexts pushed by this thread; the last one is current.
    static STACK: RefCell<Vec<Handle>> = const { RefCell::new(Vec::new()) };
}

/// The calling thread's stack of contexts.
pub(crate) fn stack<T>(use_it: impl FnOnce(&mut Vec<Handle>) -> T) -> T {
    STACK.with_borrow_mut(use_it)
}

impl Driver {
    fn new() -> Self {
        let device = |(k, config): (u64, DeviceConfig)| Device {
            config,
            // A device's addresses tell which one it is.
            memory: Global::new((k + 1) << 40, config.memory),
            primary: None,
            retained: 0,
            flags: 0,
        };
        Self {
            devices: (0..).zip(config::devices()).map(device).collect(),
            contexts: BTreeMap::new(),
            modules: BTreeMap::new(),
            kernels: BTreeMap::new(),
            streams: BTreeMap::new(),
            events: BTreeMap::new(),
            pinned: BTreeMap::new(),
            counts: Counts::default(),
            next: 0x1000,
        }
    }

    pub(crate) fn handle(&mut self) -> Handle {
        self.next += 0x10;
        self.next
    }

    pub(crate) fn device(&mut self, ordinal: i32) -> Result<&mut Device, Status> {
        let found = usize::try_from(ordinal).ok().and_then(|k| self.devices.get_mut(k));
        found.ok_or(Status::InvalidDevice)
    }

    pub(crate) fn context(&mut self, handle: Handle) -> Result<&mut Context, Status> {
        self.contexts.get_mut(&handle).ok_or(Status::InvalidContext)
    }

    /// The memory of a context's device.
    pub(crate) fn memory(&mut self, context: Handle) -> Result<&mut Global, Status> {
        let device = self.context(context)?.device;
        Ok(&mut self.devices[device].memory)
    }

    pub(crate) fn new_context(&mut self, device: usize) -> Handle {
        let handle = self.handle();
        self.contexts.insert(handle, Context::new(device));
        handle
    }

    /// Removes a context with everything that was made in it.
    pub(crate) fn destroy_context(&mut self, handle: Handle) {
        let Some(context) = self.contexts.remove(&handle) else { return };
        for address in context.allocations {
            self.devices[context.device].memory.free(address);
        }
        self.modules.retain(|_, m| m.context != handle);
        let modules = &self.modules;
        self.kernels.retain(|_, k| modules.contains_key(&k.module));
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

/// Runs `body` with the current context, which must be whole.
pub(crate) fn with_current<T>(body: impl FnOnce(&mut Driver, Handle) -> Result<T, Status>) -> Result<T, Status> {
    let current = stack(|s| s.last().copied()).filter(|c| *c != 0);
    with(|driver| {
        let current = current.ok_or(Status::InvalidContext)?;
        match driver.context(current)?.broken {
            Some(status) => Err(status),
            None => body(driver, current),
        }
    })
}
