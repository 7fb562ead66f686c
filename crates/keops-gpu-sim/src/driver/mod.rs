//! The exported functions. Names, arguments and meanings are those of NVIDIA's CUDA driver API.
#![allow(non_snake_case)]
// The contracts of pointers are those of the CUDA driver API.
#![allow(clippy::missing_safety_doc)]

/// Defines exported functions whose bodies return `Result<(), Status>`.
macro_rules! driver_api {
    ($(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        #[doc = concat!("`", stringify!($name), "` of the driver API.")]
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
mod device;
mod kernel;
mod log;
mod memory;
mod module;
mod state;
mod status;
mod stream;

pub use config::*;
pub use context::*;
pub use device::*;
pub use kernel::*;
pub use log::*;
pub use memory::*;
pub use module::*;
pub(crate) use status::Status;
pub use status::cuGetErrorString;
pub use stream::*;
