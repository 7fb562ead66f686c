//! Names and descriptions of errors.

use super::status::{Status, describe, output};
use std::ffi::{c_char, c_int};

driver_api! {
    /// Name of an error.
    fn cuGetErrorName(code: c_int, name: *mut *const c_char) {
        output(name, describe(code).ok_or(Status::InvalidValue)?.0.as_ptr())
    }

    /// Description of an error.
    fn cuGetErrorString(code: c_int, text: *mut *const c_char) {
        output(text, describe(code).ok_or(Status::InvalidValue)?.1.as_ptr())
    }
}
