//! Ordinary programs in cust, on two simulated devices.

use cust::device::{Device, DeviceAttribute};
use cust::error::CudaError;
use cust::event::{Event, EventFlags};
use cust::memory::{AsyncCopyDestination, DeviceBuffer, LockedBuffer, mem_get_info};
use cust::module::Module;
use cust::prelude::{Context, Stream, StreamFlags};
use cust::{CudaFlags, launch, sys};
use keops_gpu_sim_loader::Simulator;
use std::ffi::CString;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Multiplies each of `n` numbers by `a`.
const SCALE: &str = r#"
.version 7.0
.target sm_80
.address_size 64
.visible .entry scale(
    .param .u64 .ptr .align 1 scale_param_0,
    .param .f32 scale_param_1,
    .param .u32 scale_param_2
)
{
    .reg .pred %p<2>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<5>;
    ld.param.b64 %rd1, [scale_param_0];
    ld.param.b32 %r1, [scale_param_1];
    ld.param.b32 %r2, [scale_param_2];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.s32 %r6, %r3, %r4, %r5;
    setp.ge.u32 %p1, %r6, %r2;
    @%p1 bra $L__BB0_2;
    mul.wide.u32 %rd3, %r6, 4;
    add.s64 %rd4, %rd2, %rd3;
    ld.global.b32 %r7, [%rd4];
    mul.rn.f32 %r8, %r7, %r1;
    st.global.b32 [%rd4], %r8;
$L__BB0_2:
    ret;
}
"#;

/// The tests of this file take turns: a fault breaks the context of all.
fn begin() -> (Simulator, MutexGuard<'static, ()>) {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let simulator = keops_gpu_sim_loader::start("64M,1M:8.0:24").expect("these tests are about the simulator");
    keops_cuda_driver::load().unwrap();
    cust::init(CudaFlags::empty()).unwrap();
    (simulator, turn)
}

fn scaled(stream: &Stream, module: &Module, values: &[f32], blocks: u32) -> Result<Vec<f32>, CudaError> {
    let host = LockedBuffer::from_slice(values)?;
    let mut device = DeviceBuffer::from_slice(&vec![0f32; values.len()])?;
    let mut back = LockedBuffer::new(&0f32, values.len())?;
    // SAFETY: the buffers live until the stream has been waited for.
    unsafe { device.async_copy_from(&host, stream)? };
    let scale = module.get_function("scale")?;
    let (pointer, count) = (device.as_device_ptr(), values.len() as u32);
    // SAFETY: the kernel has these parameters.
    unsafe { launch!(scale<<<blocks, 64, 0, stream>>>(pointer, 3f32, count))? };
    // SAFETY: as above.
    unsafe { device.async_copy_to(&mut back, stream)? };
    stream.synchronize()?;
    Ok(back.to_vec())
}

#[test]
fn buffers_streams_events_and_a_launch_on_two_devices() {
    let (simulator, _turn) = begin();
    assert_eq!(Device::num_devices().unwrap(), 2);
    let before = simulator.counts();
    for (ordinal, memory, capability, multiprocessors) in [(0, 64 << 20, (9, 0), 16), (1, 1 << 20, (8, 0), 24)] {
        let device = Device::get_device(ordinal).unwrap();
        assert_eq!(device.total_memory().unwrap(), memory);
        let attribute = |which| device.get_attribute(which).unwrap();
        let found =
            (attribute(DeviceAttribute::ComputeCapabilityMajor), attribute(DeviceAttribute::ComputeCapabilityMinor));
        assert_eq!(found, capability);
        assert_eq!(attribute(DeviceAttribute::MultiprocessorCount), multiprocessors);
        assert!(device.name().unwrap().contains("simulator"));
        let _context = Context::new(device).unwrap();
        let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
        let module = Module::from_ptx(SCALE, &[]).unwrap();
        let (start, end) = (Event::new(EventFlags::DEFAULT).unwrap(), Event::new(EventFlags::DEFAULT).unwrap());
        start.record(&stream).unwrap();
        let values: Vec<f32> = (0..1000).map(|k| k as f32).collect();
        let found = scaled(&stream, &module, &values, 16).unwrap();
        end.record(&stream).unwrap();
        end.synchronize().unwrap();
        assert!(end.elapsed_time_f32(&start).unwrap() >= 0.0);
        assert!(found.iter().zip(&values).all(|(found, value)| *found == 3.0 * value));
    }
    let after = simulator.counts();
    assert_eq!(after.launches - before.launches, 2);
    // 1024 threads each time: ten instructions in each, then five more and `ret`, or `ret` alone.
    assert_eq!(after.instructions - before.instructions, 2 * (1024 * 11 + 1000 * 5));
    assert_eq!(after.global_loads - before.global_loads, 2000);
}

#[test]
fn a_refused_module_says_why() {
    let (simulator, _turn) = begin();
    let _context = Context::new(Device::get_device(1).unwrap()).unwrap();
    let text = CString::new(SCALE.replace("mul.rn", "mul.oops")).unwrap();
    let (mut module, mut log) = (std::ptr::null_mut(), [0u8; 512]);
    let mut options =
        [sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER, sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    let mut values = [log.as_mut_ptr().cast(), log.len() as *mut std::ffi::c_void];
    // SAFETY: the arguments are those of the driver API.
    let code = unsafe {
        sys::cuModuleLoadDataEx(&mut module, text.as_ptr().cast(), 2, options.as_mut_ptr(), values.as_mut_ptr())
    };
    assert_eq!(code, sys::CUresult::CUDA_ERROR_INVALID_PTX);
    let log = std::ffi::CStr::from_bytes_until_nul(&log).unwrap().to_string_lossy();
    assert!(log.contains("line 27: `mul.oops.f32 %r8, %r7, %r1`: this instruction is not supported"), "{log}");
    // For a newer device than this one.
    let newer = Module::from_ptx(SCALE.replace("sm_80", "sm_90"), &[]);
    assert_eq!(newer.err(), Some(CudaError::InvalidPtx));
    assert!(simulator.last_log().contains("PTX for sm_90 on a device of capability 8.0"));
    assert!(Module::from_ptx(SCALE, &[]).is_ok());
}

#[test]
fn memory_ends_and_comes_back() {
    let (_simulator, _turn) = begin();
    let _context = Context::new(Device::get_device(1).unwrap()).unwrap();
    let (free, total) = mem_get_info().unwrap();
    assert_eq!((free, total), (1 << 20, 1 << 20));
    let buffer = DeviceBuffer::from_slice(&vec![0u8; 600 << 10]).unwrap();
    // SAFETY: it is not read.
    let second = unsafe { DeviceBuffer::<u8>::uninitialized(600 << 10) };
    assert_eq!(second.err(), Some(CudaError::OutOfMemory));
    assert_eq!(mem_get_info().unwrap().0, 424 << 10);
    drop(buffer);
    assert_eq!(mem_get_info().unwrap().0, 1 << 20);
}

#[test]
fn a_fault_breaks_the_context_and_names_its_place() {
    let (simulator, _turn) = begin();
    {
        let _context = Context::new(Device::get_device(0).unwrap()).unwrap();
        let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
        let module = Module::from_ptx(SCALE.replace("setp.ge.u32 %p1, %r6, %r2", "setp.ge.u32 %p1, %r6, 4096"), &[]);
        let found = scaled(&stream, &module.unwrap(), &[1.0; 1000], 16);
        assert_eq!(found.err(), Some(CudaError::IllegalAddress));
        let log = simulator.last_log();
        assert!(log.contains("out-of-bounds access: 4 bytes at global address"), "{log}");
        assert!(log.contains("in `scale`, PTX line 26 `ld.global.b32 %r7, [%rd4];`"), "{log}");
        assert!(log.contains("block [15, 0, 0], thread [40, 0, 0]"), "{log}");
        assert_eq!(DeviceBuffer::from_slice(&[0u8]).err(), Some(CudaError::IllegalAddress));
    }
    // The context ended with its last holder; a new one works.
    let _context = Context::new(Device::get_device(0).unwrap()).unwrap();
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
    let module = Module::from_ptx(SCALE, &[]).unwrap();
    assert_eq!(scaled(&stream, &module, &[1.0, 2.0], 1), Ok(vec![3.0, 6.0]));
}
