//! The exported functions. Names, arguments and meanings are those of NVIDIA's CUDA driver API.
#![allow(non_snake_case)]
// The contracts of pointers are those of the CUDA driver API.
#![allow(clippy::missing_safety_doc)]

/// Defines exported functions whose bodies return `Result<(), Status>`.
macro_rules! driver_api {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        $(#[$meta])*
        #[unsafe(no_mangle)]
        #[allow(unused_unsafe, clippy::too_many_arguments)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> std::ffi::c_int {
            // SAFETY: the caller keeps the contract of the CUDA driver API for every pointer that it passes; null
            // pointers are refused by `output` and its like.
            let body = || -> Result<(), $crate::driver::status::Status> { unsafe { $body } };
            $crate::driver::status::code(body())
        }
    )*};
}

mod config;
mod context;
mod copy;
mod device;
mod error;
mod event;
mod inspect;
mod kernel;
mod log;
mod memory;
mod module;
mod state;
mod status;
mod stream;

pub use context::*;
pub use copy::*;
pub use device::*;
pub use error::*;
pub use event::*;
pub use inspect::*;
pub use kernel::*;
pub use memory::*;
pub use module::*;
pub use stream::*;
