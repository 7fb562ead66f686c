//! What the kernels have executed so far.

/// Numbers since the process began, over all devices. One instruction is one PTX instruction of one thread.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Launches that ran to their end or to a fault.
    pub launches: u64,
    /// Blocks that ran to their end.
    pub blocks: u64,
    /// Instructions of all threads, those whose guard is false included.
    pub instructions: u64,
    /// Loads from global memory (a vector load is one), those of atomics included.
    pub global_loads: u64,
    /// Stores to global memory, those of atomics included.
    pub global_stores: u64,
    /// Loads from shared memory, those of atomics included.
    pub shared_loads: u64,
    /// Stores to shared memory, those of atomics included.
    pub shared_stores: u64,
    /// Atomic operations.
    pub atomics: u64,
    /// Barriers that all threads of a block passed.
    pub barriers: u64,
}

impl Counts {
    /// Adds the numbers of one launch.
    pub(crate) fn add(&mut self, other: &Self) {
        self.launches += other.launches;
        self.blocks += other.blocks;
        self.instructions += other.instructions;
        self.global_loads += other.global_loads;
        self.global_stores += other.global_stores;
        self.shared_loads += other.shared_loads;
        self.shared_stores += other.shared_stores;
        self.atomics += other.atomics;
        self.barriers += other.barriers;
    }
}
