//! [`Launcher`]: kernels of one reduction, put into a stream.

use super::channel::Channel;
use super::kernels::Kernels;
use super::module::Module;
use super::session::Session;
use super::status::check;
use crate::error::Error;
use cust::sys;
use keops_core::Scalar;
use keops_gpu_kernels::abi::{Arguments, Step};
use keops_gpu_kernels::plan::Launch;
use std::ffi::c_void;

/// Launches kernels and remembers their names: what goes wrong with one is known only later.
pub(super) struct Launcher<'s> {
    session: &'s Session,
    module: &'s Module,
    launched: Vec<String>,
}

impl<'s> Launcher<'s> {
    pub(super) fn new(session: &'s Session, module: &'s Module) -> Self {
        Launcher { session, module, launched: Vec::new() }
    }

    /// Puts a kernel into the stream, unless it has nothing to do.
    ///
    /// # Safety
    /// The arguments must be right for the kernels of the formula, and their addresses those of live memory until the
    /// stream has been waited for.
    pub(super) unsafe fn launch<R: Kernels, T: Scalar>(
        &mut self,
        channel: &Channel,
        step: Step,
        launch: Launch,
        arguments: &Arguments,
    ) -> Result<(), Error> {
        if launch.blocks == 0 {
            return Ok(());
        }
        let name = R::kernel::<T>(step).to_string();
        let kernel = self.module.kernel(&name).map_err(|error| match error.is_not_found() {
            true => Error::NoKernel { formula: self.session.formula, kernel: name.clone() },
            false => self.session.kernel_failed(&name, error),
        })?;
        let mut parameters = [std::ptr::from_ref(arguments).cast_mut().cast::<c_void>()];
        // SAFETY: kernels take `Arguments` by value, which the driver copies now; the rest is promised by the caller.
        let outcome = unsafe {
            sys::cuLaunchKernel(
                kernel,
                launch.blocks,
                1,
                1,
                launch.threads,
                1,
                1,
                launch.shared,
                channel.stream.as_inner(),
                parameters.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        check(outcome).map_err(|error| self.session.kernel_failed(&name, error))?;
        if !self.launched.contains(&name) {
            self.launched.push(name);
        }
        Ok(())
    }

    /// Waits for what was launched.
    pub(super) fn wait(&self, channel: &Channel) -> Result<(), Error> {
        let names = if self.launched.is_empty() { "none".to_string() } else { self.launched.join(", ") };
        self.session.wait(channel, &names)
    }
}
