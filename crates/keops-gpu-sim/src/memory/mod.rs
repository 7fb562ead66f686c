//! The memories of a device: watched global and shared memory; generic addresses and numbers in bytes.

pub(crate) mod global;
pub(crate) mod watched;

use crate::ptx::types::Space;

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
    let windows = [Space::Shared, Space::Local, Space::Param];
    windows.into_iter().find(|space| window(*space) == address / WINDOW * WINDOW).unwrap_or(Space::Global)
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
    bytes.iter_mut().zip(value.to_le_bytes()).for_each(|(byte, value)| *byte = value);
}
