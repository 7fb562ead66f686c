//! Limits of launches and of memory, and devices that differ.
#![allow(clippy::undocumented_unsafe_blocks)]

mod support;

use keops_gpu_sim::driver::*;
use support::{Gpu, HEADER, INVALID_VALUE, OUT_OF_MEMORY, entry, kernel, put};

#[test]
fn launches_beyond_the_limits_are_refused_and_the_next_one_works() {
    let gpu = Gpu::new();
    let module = gpu.load(&kernel("")).unwrap();
    let function = gpu.function(module, "test");
    let out = gpu.upload(&[0u64]);
    for (grid, block, shared) in [
        ([1, 1, 1], [1025, 1, 1], 0),
        ([1, 1, 1], [32, 33, 1], 0),
        ([1, 1, 1], [1, 1, 65], 0),
        ([1, 1, 1], [0, 1, 1], 0),
        ([0, 1, 1], [1, 1, 1], 0),
        ([1, 65536, 1], [1, 1, 1], 0),
        ([1, 1, 65536], [1, 1, 1], 0),
        ([1, 1, 1], [1, 1, 1], 48 * 1024 + 1),
    ] {
        assert_eq!(gpu.launch(function, grid, block, shared, &[out]), INVALID_VALUE, "{grid:?} {block:?} {shared}");
    }
    assert_eq!(gpu.launch(function, [2, 2, 2], [16, 16, 4], 48 * 1024, &[out]), 0);
}

#[test]
fn dynamic_shared_memory_follows_the_static_and_can_be_raised() {
    let gpu = Gpu::new();
    let body = format!(
        "mov.u32 %r1, dyn; mov.u32 %r2, %dynamic_smem_size; add.s32 %r3, %r1, %r2; st.shared.u32 [%r3+-4], 5; {}",
        put(0, "u32", "%r1")
    );
    let text = format!("{HEADER}.shared .align 4 .b8 s[20];\n.extern .shared .align 16 .b8 dyn[];\n{}", entry(&body));
    let module = gpu.load(&text).unwrap();
    let function = gpu.function(module, "test");
    let out = gpu.upload(&[0u64]);
    assert_eq!(gpu.launch(function, [1; 3], [1; 3], 100_000, &[out]), INVALID_VALUE);
    assert_eq!(unsafe { cuFuncSetAttribute(function, 8, 300_000) }, INVALID_VALUE);
    assert_eq!(unsafe { cuFuncSetAttribute(function, 8, 100_000) }, 0);
    assert_eq!(gpu.launch(function, [1; 3], [1; 3], 100_000, &[out]), 0, "{}", gpu.last_log());
    assert_eq!(gpu.download::<u64>(out, 1), Ok(vec![32]));
}

#[test]
fn devices_have_memories_of_their_own_sizes() {
    let mut count = 0;
    let gpu = Gpu::device(1);
    assert_eq!(unsafe { cuDeviceGetCount(&mut count) }, 0);
    assert_eq!(count, 2);
    let (mut total, mut free, mut major) = (0, 0, 0);
    unsafe {
        assert_eq!(cuDeviceTotalMem_v2(&mut total, 0), 0);
        assert_eq!(total, 64 << 20);
        assert_eq!(cuDeviceTotalMem_v2(&mut total, 1), 0);
        assert_eq!(total, 1 << 20);
        assert_eq!(cuDeviceGetAttribute(&mut major, 75, 1), 0);
        assert_eq!(major, 8);
        assert_eq!(cuDeviceGet(&mut count, 2), 101);
    }
    let first = gpu.allocate(600 << 10).unwrap();
    assert_eq!(gpu.allocate(600 << 10), Err(OUT_OF_MEMORY));
    assert!(gpu.last_log().contains("614400 bytes requested, 434176 of 1048576 free"), "{}", gpu.last_log());
    unsafe {
        assert_eq!(cuMemGetInfo_v2(&mut free, &mut total), 0);
        assert_eq!(free, 424 << 10);
        assert_eq!(cuMemFree_v2(first), 0);
        assert_eq!(cuMemFree_v2(first), INVALID_VALUE);
    }
    assert!(gpu.allocate(600 << 10).is_ok());
    assert_eq!(gpu.load(&kernel("").replace("sm_80", "sm_90")).expect_err("too new").0, 218);
    drop(gpu);
    // What one device has lent is not valid on another.
    let gpu = Gpu::new();
    assert!(gpu.allocate(600 << 10).is_ok());
    assert_eq!(unsafe { cuMemFree_v2(first) }, INVALID_VALUE);
}

#[test]
fn copies_fills_streams_and_events() {
    let gpu = Gpu::new();
    let (mut stream, mut begin, mut end, mut time) = (0, 0, 0, -1.0);
    let mut pinned = support::nothing();
    let (a, b) = (gpu.upload(&[1u32, 2, 3, 4]), gpu.upload(&[0u32; 4]));
    unsafe {
        assert_eq!(cuStreamCreateWithPriority(&mut stream, 1, 0), 0);
        assert_eq!((cuEventCreate(&mut begin, 0), cuEventCreate(&mut end, 0)), (0, 0));
        assert_eq!(cuEventElapsedTime(&mut time, begin, end), 400);
        assert_eq!(cuEventRecord(begin, stream), 0);
        assert_eq!(cuMemcpyDtoDAsync_v2(b + 4, a, 8, stream), 0);
        assert_eq!(cuMemsetD8Async(b, 9, 4, stream), 0);
        assert_eq!(cuMemcpyDtoD_v2(b, a, 17), INVALID_VALUE);
        assert_eq!(cuEventRecord(end, stream), 0);
        assert_eq!(cuStreamWaitEvent(stream, end, 0), 0);
        assert_eq!(cuMemAllocHost_v2(&mut pinned, 16), 0);
        assert_eq!(cuMemcpyDtoHAsync_v2(pinned, b, 16, stream), 0);
        assert_eq!(cuStreamSynchronize(stream), 0);
        assert_eq!(pinned.cast::<[u32; 4]>().read(), [0x0909_0909, 1, 2, 0]);
        assert_eq!((cuMemFreeHost(pinned), cuMemFreeHost(pinned)), (0, INVALID_VALUE));
        assert_eq!(cuEventElapsedTime(&mut time, begin, end), 0);
        assert_eq!((cuStreamDestroy_v2(stream), cuStreamSynchronize(stream)), (0, 400));
    }
    assert!(time >= 0.0);
}
