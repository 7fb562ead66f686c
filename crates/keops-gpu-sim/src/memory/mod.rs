//! The memories of a device: global allocations and a block's shared memory; generic addresses and numbers in bytes.

pub(crate) mod global;
pub(crate) mod shared;

use crate::fault::{Fault, Kind};
use crate::ptx::types::Space;
use std::ops::Range;

/// Accesses smaller than this take no part in the search for races, which works on words.
const WORD: usize = 4;

/// Size of a window of the generic address space: shared, local and parameter memory have one each, global addresses
/// are below them.
const WINDOW: u64 = 1 << 48;

/// First generic address of a space.
pub(crate) fn window(space: Space) -> u64 {
    match space {
        Space::Shared => WINDOW,
        Space::Local => 2 * WINDOW,
        Space::Param => 3 * WINDOW,
        Space::Generic | Space::Global => 0,
    }
}

/// The space a generic address lies in.
pub(crate) fn space_of(address: u64) -> Space {
    match address / WINDOW {
        1 => Space::Shared,
        2 => Space::Local,
        3 => Space::Param,
        _ => Space::Global,
    }
}

/// Where `len` bytes at `address` are in `memory`.
pub(crate) fn range(memory: &[u8], name: &str, address: u64, len: usize) -> Result<Range<usize>, Fault> {
    let start = usize::try_from(address).ok().filter(|s| *s <= memory.len() && len <= memory.len() - *s);
    start.map(|s| s..s + len).ok_or_else(|| {
        let mut fault = Fault::access(Kind::OutOfBounds, name, address, len);
        fault.what += &format!(", of {} bytes", memory.len());
        fault
    })
}

/// Reads the little-endian number that fills `bytes`: 1, 2, 4 or 8 of them.
pub(crate) fn read(bytes: &[u8]) -> u64 {
    match *bytes {
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)),
    }
}

/// Fills `bytes` with the low bytes of `value`.
pub(crate) fn write(bytes: &mut [u8], value: u64) {
    let whole = value.to_le_bytes();
    let count = bytes.len().min(whole.len());
    bytes[..count].copy_from_slice(&whole[..count]);
}
