//! What the kernels have executed so far.

macro_rules! counts {
    ($($(#[$meta:meta])* $field:ident,)*) => {
        /// Numbers since the process began, over all devices. One instruction is one PTX instruction of one thread.
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Counts { $($(#[$meta])* pub $field: u64),* }

        impl Counts {
            /// Adds the numbers of one launch.
            pub fn add(&mut self, other: &Self) {
                $(self.$field += other.$field;)*
            }
        }
    };
}

counts! {
    /// Launches that ran to their end or to a fault.
    launches,
    /// Blocks that ran to their end.
    blocks,
    /// Instructions of all threads, those whose guard is false included.
    instructions,
    /// Loads from global memory (a vector load is one).
    global_loads,
    /// Stores to global memory.
    global_stores,
    /// Loads from shared memory.
    shared_loads,
    /// Stores to shared memory.
    shared_stores,
    /// Barriers that all threads of a block passed.
    barriers,
}
