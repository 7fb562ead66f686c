//! `CUresult` codes with their names and descriptions.

use std::ffi::{CStr, c_char, c_int};

macro_rules! statuses {
    ($($variant:ident = $code:literal, $text:literal;)*) => {
        /// Why a call failed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Status { $($variant = $code),* }

        /// Description of a code.
        pub(crate) fn describe(code: c_int) -> Option<&'static CStr> {
            match code {
                0 => Some(c"no error"),
                $($code => Some($text),)*
                _ => None,
            }
        }
    };
}

statuses! {
    InvalidValue = 1, c"invalid argument";
    OutOfMemory = 2, c"out of memory";
    NotInitialised = 3, c"initialization error";
    NoDevice = 100, c"no CUDA-capable device is detected";
    InvalidDevice = 101, c"invalid device ordinal";
    InvalidContext = 201, c"invalid device context";
    NoBinary = 209, c"no kernel image is available for execution on the device";
    InvalidPtx = 218, c"a PTX JIT compilation failed";
    UnsupportedPtxVersion = 222, c"the provided PTX was compiled with an unsupported toolchain.";
    InvalidHandle = 400, c"invalid resource handle";
    NotFound = 500, c"named symbol not found";
    IllegalAddress = 700, c"an illegal memory access was encountered";
    LaunchTimeout = 702, c"the launch timed out and was terminated";
    MisalignedAddress = 716, c"misaligned address";
    LaunchFailed = 719, c"unspecified launch failure";
    NotSupported = 801, c"operation not supported";
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
    fn cuGetErrorString(code: c_int, text: *mut *const c_char) {
        output(text, describe(code).ok_or(Status::InvalidValue)?.as_ptr())
    }
}
