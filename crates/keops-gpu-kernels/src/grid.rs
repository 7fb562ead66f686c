//! [`Grid`]: where a thread of a kernel is.

use crate::memory::Memory;
use crate::number::Number;

/// A thread in its block, in the grid. On the host it is emulated.
pub trait Grid: Copy {
    /// The dynamic shared memory of the block, as numbers of one type.
    type Shared<T: Number>: Memory<T>;
    /// Number of the thread in its block.
    fn thread(self) -> u32;
    /// Number of the block.
    fn block(self) -> u32;
    /// Number of blocks.
    fn blocks(self) -> u32;
    /// Waits for all threads of the block; they then see each other's writes.
    fn barrier(self);
    /// The same number, of which the compiler knows nothing: what is computed from it is computed here and not before a
    /// loop, where it would occupy registers.
    fn fresh(self, v: u64) -> u64;
    /// The shared memory.
    fn shared<T: Number>(self) -> Self::Shared<T>;
}
