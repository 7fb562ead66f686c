//! A grid of threads on the host: real threads and a real barrier, one block after the other.

use keops_gpu_kernels::grid::Grid;
use keops_gpu_kernels::memory::Pointer;
use keops_gpu_kernels::number::Number;
use keops_gpu_kernels::plan::Launch;
use std::sync::Barrier;

/// A thread of the emulated grid.
#[derive(Clone, Copy)]
pub(crate) struct Emulated<'a> {
    thread: u32,
    block: u32,
    blocks: u32,
    barrier: &'a Barrier,
    shared: usize,
}

impl Grid for Emulated<'_> {
    type Shared<T: Number> = Pointer<T>;
    fn thread(self) -> u32 {
        self.thread
    }
    fn block(self) -> u32 {
        self.block
    }
    fn blocks(self) -> u32 {
        self.blocks
    }
    fn barrier(self) {
        self.barrier.wait();
    }
    fn fresh(self, v: u64) -> u64 {
        v
    }
    fn shared<T: Number>(self) -> Pointer<T> {
        Pointer(self.shared as *mut T)
    }
}

/// Runs a kernel.
pub(crate) fn launch(launch: Launch, kernel: impl Fn(Emulated<'_>) + Sync) {
    let mut shared = vec![f64::NAN; launch.shared as usize / 8 + 2];
    let shared = shared.as_mut_ptr() as usize;
    let barrier = Barrier::new(launch.threads as usize);
    std::thread::scope(|scope| {
        for thread in 0..launch.threads {
            let (kernel, barrier) = (&kernel, &barrier);
            scope.spawn(move || {
                for block in 0..launch.blocks {
                    kernel(Emulated { thread, block, blocks: launch.blocks, barrier, shared });
                    barrier.wait();
                }
            });
        }
    });
}
