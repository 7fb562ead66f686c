//! [`Place`]: where a case runs.

use keops::Level;

/// Where a case runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// On the processor, with these instructions.
    Processor(Level),
    /// On a CUDA device.
    Device(u32),
}

/// Runs a call at a place.
#[macro_export]
macro_rules! run_at {
    ($call:expr, $place:expr) => {{
        let call = $call;
        match $place {
            $crate::place::Place::Processor(level) => call.level(level),
            $crate::place::Place::Device(device) => call.backend(keops::Backend::Cuda(device)),
        }
        .run()
    }};
}

/// All levels of this machine.
pub fn processor() -> Vec<Place> {
    Level::ALL.into_iter().filter(|level| level.is_available()).map(Place::Processor).collect()
}

/// The first device: a simulated one, or with `KEOPS_TEST_DRIVER=system` in the environment that of the system.
#[cfg(feature = "cuda")]
pub fn device() -> Vec<Place> {
    keops_gpu_sim_loader::start("256M:8.0:4");
    vec![Place::Device(0)]
}
