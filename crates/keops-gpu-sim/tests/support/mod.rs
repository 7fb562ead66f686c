//! A thin layer over the exported functions, so that tests read as programs of the driver API.
#![allow(dead_code, clippy::undocumented_unsafe_blocks)]

use keops_gpu_sim::Counts;
use keops_gpu_sim::driver::*;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{from_ref, null, null_mut};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

pub(crate) const INVALID_VALUE: c_int = 1;
pub(crate) const OUT_OF_MEMORY: c_int = 2;
pub(crate) const INVALID_PTX: c_int = 218;
pub(crate) const ILLEGAL_ADDRESS: c_int = 700;
pub(crate) const TIMEOUT: c_int = 702;
pub(crate) const MISALIGNED: c_int = 716;
pub(crate) const LAUNCH_FAILED: c_int = 719;

/// The simulator, used by one test of a process at a time: a fault breaks the context of all.
pub(crate) struct Gpu {
    device: c_int,
    _turn: MutexGuard<'static, ()>,
}

impl Gpu {
    /// Two devices: 64 MiB and 1 MiB. The log is silent.
    pub(crate) fn device(device: c_int) -> Self {
        static TURN: Mutex<()> = Mutex::new(());
        static ONCE: Once = Once::new();
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        ONCE.call_once(|| unsafe {
            std::env::set_var("KEOPS_GPU_SIM_DEVICES", "64M, 1M:8.0:24");
            std::env::set_var("KEOPS_GPU_SIM_LOG", "off");
            std::env::set_var("KEOPS_GPU_SIM_MAX_INSTRUCTIONS", "1000000");
        });
        unsafe {
            assert_eq!(cuInit(0), 0);
            let mut context = 0;
            assert_eq!(cuDevicePrimaryCtxRetain(&mut context, device), 0);
            assert_eq!(cuCtxSetCurrent(context), 0);
        }
        Self { device, _turn: turn }
    }

    pub(crate) fn new() -> Self {
        Self::device(0)
    }

    pub(crate) fn load(&self, text: &str) -> Result<usize, (c_int, String)> {
        let text = CString::new(text).unwrap();
        let mut log = [0u8; 1024];
        let options = [5, 6];
        let values = [log.as_mut_ptr().cast::<c_void>(), 1024 as *mut c_void];
        let mut module = 0;
        let code =
            unsafe { cuModuleLoadDataEx(&mut module, text.as_ptr().cast(), 2, options.as_ptr(), values.as_ptr()) };
        let log = CStr::from_bytes_until_nul(&log).unwrap().to_string_lossy().into_owned();
        if code == 0 { Ok(module) } else { Err((code, log)) }
    }

    pub(crate) fn function(&self, module: usize, name: &str) -> usize {
        let name = CString::new(name).unwrap();
        let mut function = 0;
        assert_eq!(unsafe { cuModuleGetFunction(&mut function, module, name.as_ptr()) }, 0);
        function
    }

    pub(crate) fn allocate(&self, bytes: usize) -> Result<u64, c_int> {
        let mut address = 0;
        let code = unsafe { cuMemAlloc_v2(&mut address, bytes) };
        if code == 0 { Ok(address) } else { Err(code) }
    }

    pub(crate) fn upload<T: Copy>(&self, values: &[T]) -> u64 {
        let address = self.allocate(size_of_val(values)).unwrap();
        let code = unsafe { cuMemcpyHtoD_v2(address, values.as_ptr().cast(), size_of_val(values)) };
        assert_eq!(code, 0);
        address
    }

    pub(crate) fn download<T: Copy + Default>(&self, address: u64, count: usize) -> Result<Vec<T>, c_int> {
        let mut values = vec![T::default(); count];
        let bytes = count * size_of::<T>();
        let code = unsafe { cuMemcpyDtoH_v2(values.as_mut_ptr().cast(), address, bytes) };
        if code == 0 { Ok(values) } else { Err(code) }
    }

    /// Launches with 64-bit arguments; the code is that of the launch, or of the synchronisation after it.
    pub(crate) fn launch(
        &self,
        function: usize,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        arguments: &[u64],
    ) -> c_int {
        let pointers: Vec<*const c_void> = arguments.iter().map(|a| from_ref(a).cast()).collect();
        let ([a, b, c], [x, y, z]) = (grid, block);
        unsafe {
            match cuLaunchKernel(function, a, b, c, x, y, z, shared, 0, pointers.as_ptr(), null()) {
                0 => cuCtxSynchronize(),
                code => code,
            }
        }
    }

    pub(crate) fn last_log(&self) -> String {
        let mut text = [0 as c_char; 1024];
        assert_eq!(unsafe { keops_gpu_sim_last_log(text.as_mut_ptr(), 1024) }, 0);
        unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned()
    }

    pub(crate) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        assert_eq!(unsafe { keops_gpu_sim_counts(&mut counts) }, 0);
        counts
    }

    /// Runs a body on one block of `threads`; `%out` holds the address of `results` 64-bit words.
    pub(crate) fn body(&self, body: &str, threads: u32, results: usize) -> Result<Vec<u64>, c_int> {
        let module = self.load(&kernel(body)).unwrap_or_else(|(code, log)| panic!("{code}: {log}"));
        let kernel = self.function(module, "test");
        let out = self.upload(&vec![0u64; results]);
        match self.launch(kernel, [1; 3], [threads, 1, 1], 0, &[out]) {
            0 => self.download(out, results),
            code => Err(code),
        }
    }

    /// The code and log entry of a body that fails.
    pub(crate) fn fault(&self, body: &str, threads: u32) -> (c_int, String) {
        (self.body(body, threads, 64).expect_err("a fault"), self.last_log())
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        unsafe {
            cuCtxSetCurrent(0);
            cuDevicePrimaryCtxRelease_v2(self.device);
        }
    }
}

/// A module with one kernel around `body`. Registers: `%r` and `%s` 32 bits, `%d` 64, `%f`, `%g` floats, `%p`.
pub(crate) fn kernel(body: &str) -> String {
    format!("{HEADER}{}", entry(body))
}

pub(crate) const HEADER: &str = ".version 7.8\n.target sm_80\n.address_size 64\n";

pub(crate) fn entry(body: &str) -> String {
    format!(
        ".visible .entry test(.param .u64 .ptr .global .align 8 out)\n{{\n\
         .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<32>; .reg .b64 %d<32>; .reg .f32 %f<9>; .reg .f64 %g<9>;\n\
         .reg .b64 %out;\n ld.param.u64 %out, [out];\n{body}\nret;\n}}\n"
    )
}

/// Stores `value` of `ty` as word `index` of the output.
pub(crate) fn put(index: usize, ty: &str, value: &str) -> String {
    format!("st.global.{ty} [%out+{}], {value};\n", 8 * index)
}

/// Null for calls that must refuse it.
pub(crate) fn nothing<T>() -> *mut T {
    null_mut()
}
