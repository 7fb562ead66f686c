//! [`Refused`]: what the driver says when it does not do as it is told, through `cust` or directly.

use cust::error::CudaError;
use cust::sys::{self, CUresult};
use std::ffi::CStr;
use std::fmt;

/// An error of the driver.
#[derive(Debug, Clone, Copy)]
pub(super) enum Refused {
    /// Of a function that `cust` has called.
    Cust(CudaError),
    /// Of a function that was called directly.
    Raw(CUresult),
}

/// What the driver gives.
pub(super) type Outcome<A> = Result<A, Refused>;

impl From<CudaError> for Refused {
    fn from(error: CudaError) -> Self {
        Refused::Cust(error)
    }
}

/// The status of a function that was called directly.
pub(super) fn check(status: CUresult) -> Outcome<()> {
    match status {
        CUresult::CUDA_SUCCESS => Ok(()),
        error => Err(Refused::Raw(error)),
    }
}

impl Refused {
    /// The driver's number of the error; `cust` has some of its own.
    fn code(self) -> u32 {
        match self {
            Refused::Cust(error) => error as u32,
            Refused::Raw(error) => error as u32,
        }
    }

    /// Is there no memory left?
    pub(super) fn is_out_of_memory(self) -> bool {
        self.code() == CUresult::CUDA_ERROR_OUT_OF_MEMORY as u32
    }

    /// Is there nothing of that name?
    pub(super) fn is_not_found(self) -> bool {
        self.code() == CUresult::CUDA_ERROR_NOT_FOUND as u32
    }

    /// Does the driver refuse everything in a context after this error?
    pub(super) fn ends_context(self) -> bool {
        const ENDING: [CUresult; 14] = [
            CUresult::CUDA_ERROR_INVALID_CONTEXT,
            CUresult::CUDA_ERROR_ECC_UNCORRECTABLE,
            CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE,
            CUresult::CUDA_ERROR_ILLEGAL_ADDRESS,
            CUresult::CUDA_ERROR_LAUNCH_TIMEOUT,
            CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED,
            CUresult::CUDA_ERROR_ASSERT,
            CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR,
            CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION,
            CUresult::CUDA_ERROR_MISALIGNED_ADDRESS,
            CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE,
            CUresult::CUDA_ERROR_INVALID_PC,
            CUresult::CUDA_ERROR_LAUNCH_FAILED,
            CUresult::CUDA_ERROR_UNKNOWN,
        ];
        ENDING.iter().any(|&ending| ending as u32 == self.code())
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Cust(error) => error.fmt(f),
            Refused::Raw(error) => {
                let mut text = std::ptr::null();
                // SAFETY: the pointer is valid for a write.
                let known = check(unsafe { sys::cuGetErrorString(*error, &mut text) }).is_ok() && !text.is_null();
                if !known {
                    return write!(f, "error {}", self.code());
                }
                // SAFETY: the driver gives a text that ends in a zero and is never freed.
                let text = unsafe { CStr::from_ptr(text) };
                f.write_str(&text.to_string_lossy())
            }
        }
    }
}
