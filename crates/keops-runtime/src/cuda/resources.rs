//! [`Resources`]: what is kept in the context of a device from call to call: loaded kernels, streams, pinned memory.

use super::channel::Channel;
use super::module::Module;
use super::status::{Outcome, check};
use cust::context::{Context, ContextHandle};
use cust::sys;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The primary context of a device, and what belongs to it.
#[derive(Debug)]
pub(super) struct Resources {
    // In the order in which they are dropped: the context last.
    modules: Mutex<HashMap<ModuleKey, Arc<Slot>>>,
    channels: Mutex<Vec<Channel>>,
    context: Context,
}

/// Address and length of a PTX text: texts are constants, and comparing them would cost as much as a small call.
type ModuleKey = (usize, usize);

/// A module that is loaded at most once. Other modules can be loaded meanwhile.
type Slot = Mutex<Option<Arc<Module>>>;

impl Resources {
    pub(super) fn new(context: Context) -> Self {
        Resources { modules: Mutex::default(), channels: Mutex::default(), context }
    }

    /// Makes the context the current one of this thread, until what it returns is dropped.
    pub(super) fn make_current(&self) -> Outcome<Current> {
        let mut before = std::ptr::null_mut();
        // SAFETY: the pointer is valid for a write, and the context is alive as long as `self`.
        unsafe {
            check(sys::cuCtxGetCurrent(&mut before))?;
            check(sys::cuCtxSetCurrent(self.context.get_inner()))?;
        }
        Ok(Current { before })
    }

    /// The module of a PTX text, loaded now if it is not yet.
    pub(super) fn module<E>(
        &self,
        ptx: &'static str,
        load: impl FnOnce() -> Result<Module, E>,
    ) -> Result<Arc<Module>, E> {
        let key = (ptx.as_ptr().addr(), ptx.len());
        let slot = Arc::clone(lock(&self.modules).entry(key).or_default());
        let mut slot = lock(&slot);
        if let Some(module) = &*slot {
            return Ok(Arc::clone(module));
        }
        let module = Arc::new(load()?);
        *slot = Some(Arc::clone(&module));
        Ok(module)
    }

    /// A channel that no other call is using.
    pub(super) fn take_channel(&self) -> Outcome<Channel> {
        let free = lock(&self.channels).pop();
        free.map_or_else(Channel::new, Ok)
    }

    /// Gives a channel back whose work is complete.
    pub(super) fn return_channel(&self, channel: Channel) {
        lock(&self.channels).push(channel);
    }
}

/// Nothing panics while these locks are held, so that what a poisoned one protects is as good as any.
fn lock<A>(mutex: &Mutex<A>) -> std::sync::MutexGuard<'_, A> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Restores the context that was current before.
#[derive(Debug)]
pub(super) struct Current {
    before: sys::CUcontext,
}

impl Drop for Current {
    fn drop(&mut self) {
        // SAFETY: it was the current context of this thread when this call began; the driver checks the handle.
        let outcome = check(unsafe { sys::cuCtxSetCurrent(self.before) });
        if let Err(error) = outcome {
            tracing::warn!(%error, "the context that was current before the call could not be restored");
        }
    }
}
