//! Loads and stores in every state space, with the checks of each.

use super::thread::{Machine, Thread};
use crate::fault::{Fault, Kind};
use crate::memory::{address, bytes};
use crate::ptx::program::Access;
use crate::ptx::types::{Space, signed};

/// The space and address that an instruction means, checked for alignment.
fn place(thread: &Thread, access: &Access) -> Result<(Space, u64, usize), Fault> {
    let stated = thread.value(access.base).wrapping_add(access.offset as u64);
    let (space, at) = match access.space {
        Space::Generic => address::resolve(stated),
        Space::Const => (Space::Global, stated),
        space => (space, stated),
    };
    let len = access.ty.bytes() * usize::from(access.lanes);
    if at & (len as u64 - 1) != 0 {
        return Err(Fault::access(Kind::Misaligned, &format!("{space:?}").to_lowercase(), at, len));
    }
    Ok((space, at, len))
}

fn range(memory: &[u8], name: &str, at: u64, len: usize) -> Result<std::ops::Range<usize>, Fault> {
    let start = usize::try_from(at).ok().filter(|s| *s <= memory.len() && len <= memory.len() - *s);
    start.map(|s| s..s + len).ok_or_else(|| Fault::access(Kind::OutOfBounds, name, at, len))
}

/// The values of a load's elements.
pub(crate) fn load(thread: &Thread, machine: &mut Machine<'_>, access: &Access) -> Result<[u64; 4], Fault> {
    let (space, at, len) = place(thread, access)?;
    let memory = match space {
        Space::Shared => {
            machine.counts.shared_loads += 1;
            machine.shared.read(at, len, thread.actor(access.strong))?
        }
        Space::Local => &thread.local[range(&thread.local, "local", at, len)?],
        Space::Param => &thread.params[range(&thread.params, "parameter", at, len)?],
        _ => {
            machine.counts.global_loads += 1;
            machine.global.read(at, len)?
        }
    };
    let mut values = [0; 4];
    for (value, part) in values.iter_mut().zip(memory.chunks_exact(access.ty.bytes())) {
        *value = bytes::read(part);
        if access.ty.is_signed() {
            // The register may be wider than the memory.
            *value = signed(*value, access.ty.bits()) as u64;
        }
    }
    Ok(values)
}

/// Stores the elements of a store.
pub(crate) fn store(
    thread: &mut Thread,
    machine: &mut Machine<'_>,
    access: &Access,
    values: [u64; 4],
) -> Result<(), Fault> {
    let (space, at, len) = place(thread, access)?;
    let memory = match space {
        Space::Shared => {
            machine.counts.shared_stores += 1;
            machine.shared.write(at, len, thread.actor(access.strong))?
        }
        Space::Local => {
            let range = range(&thread.local, "local", at, len)?;
            &mut thread.local[range]
        }
        Space::Param => {
            let range = range(&thread.params, "parameter", at, len)?;
            &mut thread.params[range]
        }
        _ => {
            machine.counts.global_stores += 1;
            machine.global.write(at, len)?
        }
    };
    for (value, part) in values.iter().zip(memory.chunks_exact_mut(access.ty.bytes())) {
        bytes::write(part, *value);
    }
    Ok(())
}
