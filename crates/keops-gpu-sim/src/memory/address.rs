//! The generic address space: windows for shared, local and parameter memory, everything below is global.

use crate::ptx::types::Space;

/// Size of a window; global addresses are below it.
pub(crate) const WINDOW: u64 = 1 << 48;

fn window(space: Space) -> u64 {
    match space {
        Space::Shared => WINDOW,
        Space::Local => 2 * WINDOW,
        Space::Param => 3 * WINDOW,
        Space::Generic | Space::Global | Space::Const => 0,
    }
}

/// The generic address of an address in `space`.
pub(crate) fn generic(space: Space, address: u64) -> u64 {
    window(space).wrapping_add(address)
}

/// The address in `space` of a generic address.
pub(crate) fn specific(space: Space, address: u64) -> u64 {
    address.wrapping_sub(window(space))
}

/// The space a generic address lies in, and the address there.
pub(crate) fn resolve(address: u64) -> (Space, u64) {
    let space = match address / WINDOW {
        1 => Space::Shared,
        2 => Space::Local,
        3 => Space::Param,
        _ => Space::Global,
    };
    (space, specific(space, address))
}
