//! `CUresult` codes with their names and descriptions.

use std::ffi::{CStr, c_char, c_int};

macro_rules! statuses {
    ($($variant:ident = $code:literal, $name:literal, $text:literal;)*) => {
        /// Why a call failed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Status { $($variant = $code),* }

        /// Name and description of a code.
        pub(crate) fn describe(code: c_int) -> Option<(&'static CStr, &'static CStr)> {
            match code {
                0 => Some((c"CUDA_SUCCESS", c"no error")),
                $($code => Some(($name, $text)),)*
                _ => None,
            }
        }
    };
}

statuses! {
    InvalidValue = 1, c"CUDA_ERROR_INVALID_VALUE", c"invalid argument";
    OutOfMemory = 2, c"CUDA_ERROR_OUT_OF_MEMORY", c"out of memory";
    NotInitialised = 3, c"CUDA_ERROR_NOT_INITIALIZED", c"initialization error";
    NoDevice = 100, c"CUDA_ERROR_NO_DEVICE", c"no CUDA-capable device is detected";
    InvalidDevice = 101, c"CUDA_ERROR_INVALID_DEVICE", c"invalid device ordinal";
    InvalidContext = 201, c"CUDA_ERROR_INVALID_CONTEXT", c"invalid device context";
    NoBinary = 209, c"CUDA_ERROR_NO_BINARY_FOR_GPU", c"no kernel image is available for execution on the device";
    InvalidPtx = 218, c"CUDA_ERROR_INVALID_PTX", c"a PTX JIT compilation failed";
    UnsupportedPtxVersion = 222, c"CUDA_ERROR_UNSUPPORTED_PTX_VERSION", c"the provided PTX was compiled with an unsupported toolchain.";
    InvalidHandle = 400, c"CUDA_ERROR_INVALID_HANDLE", c"invalid resource handle";
    NotFound = 500, c"CUDA_ERROR_NOT_FOUND", c"named symbol not found";
    IllegalAddress = 700, c"CUDA_ERROR_ILLEGAL_ADDRESS", c"an illegal memory access was encountered";
    LaunchTimeout = 702, c"CUDA_ERROR_LAUNCH_TIMEOUT", c"the launch timed out and was terminated";
    MisalignedAddress = 716, c"CUDA_ERROR_MISALIGNED_ADDRESS", c"misaligned address";
    LaunchFailed = 719, c"CUDA_ERROR_LAUNCH_FAILED", c"unspecified launch failure";
    NotSupported = 801, c"CUDA_ERROR_NOT_SUPPORTED", c"operation not supported";
}

/// The code that the C function returns.
pub(crate) fn code(result: Result<(), Status>) -> c_int {
    match result {
        Ok(()) => 0,
        Err(status) => status as c_int,
    }
}

/// Writes an output argument.
///
/// # Safety
/// `target` is null or valid for a write.
pub(crate) unsafe fn output<T>(target: *mut T, value: T) -> Result<(), Status> {
    if target.is_null() {
        return Err(Status::InvalidValue);
    }
    // SAFETY: it is not null, hence valid.
    unsafe { target.write(value) };
    Ok(())
}

driver_api! {
    fn cuGetErrorName(code: c_int, name: *mut *const c_char) {
        output(name, describe(code).ok_or(Status::InvalidValue)?.0.as_ptr())
    }

    fn cuGetErrorString(code: c_int, text: *mut *const c_char) {
        output(text, describe(code).ok_or(Status::InvalidValue)?.1.as_ptr())
    }
}
