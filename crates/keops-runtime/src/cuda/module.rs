//! [`Module`]: kernels loaded into a context. The driver compiles their PTX, and its log tells what is wrong with it.

use super::status::{Outcome, Refused, check};
use cust::error::CudaError;
use cust::sys::{self, CUfunction, CUjit_option, CUmodule};
use std::ffi::{CString, c_uint, c_void};

/// Loaded kernels.
#[derive(Debug)]
pub(super) struct Module(CUmodule);

// SAFETY: handles of the driver may be used by any thread that has their context current.
unsafe impl Send for Module {}
// SAFETY: as above; a loaded module does not change.
unsafe impl Sync for Module {}

/// Bytes of the driver's log.
const LOG: usize = 16 << 10;

impl Module {
    /// Compiles a PTX text in the current context. In case of an error also says what the driver's log does.
    pub(super) fn load(ptx: &str) -> Result<Module, (Refused, String)> {
        let text = CString::new(ptx).map_err(|_| (CudaError::InvalidPtx.into(), "it holds a zero byte".to_string()))?;
        let mut log = vec![0_u8; LOG];
        let mut options = [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        // The driver takes numbers by value, in the place of pointers.
        let mut values = [log.as_mut_ptr().cast::<c_void>(), std::ptr::without_provenance_mut::<c_void>(LOG)];
        let mut module = std::ptr::null_mut();
        // SAFETY: the text ends in a zero, the log has the stated size, and there are as many values as options.
        let outcome = unsafe {
            sys::cuModuleLoadDataEx(
                &mut module,
                text.as_ptr().cast(),
                options.len() as c_uint,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        match check(outcome) {
            Ok(()) => Ok(Module(module)),
            Err(error) => {
                let end = log.iter().position(|&byte| byte == 0).unwrap_or(LOG);
                let log = String::from_utf8_lossy(&log[..end]).trim().to_string();
                Err((error, log))
            }
        }
    }

    /// The kernel of this name.
    pub(super) fn kernel(&self, name: &str) -> Outcome<CUfunction> {
        let name = CString::new(name).map_err(|_| CudaError::NotFound)?;
        let mut function = std::ptr::null_mut();
        // SAFETY: the module is loaded, and the name ends in a zero.
        check(unsafe { sys::cuModuleGetFunction(&mut function, self.0, name.as_ptr()) })?;
        Ok(function)
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: nothing holds kernels of a module that is dropped. In a broken context this fails, and is not needed.
        let _ = check(unsafe { sys::cuModuleUnload(self.0) });
    }
}
