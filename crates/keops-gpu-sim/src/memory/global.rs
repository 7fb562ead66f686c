//! Global memory of a device: allocations with bounds, and a limit on the total.

use super::watched::Watched;
use crate::fault::{Fault, OUT_OF_BOUNDS};

/// Allocations start at multiples of this, as the real driver promises.
const ALIGNMENT: u64 = 256;
/// Addresses between allocations that belong to nobody, so that small overruns hit nothing.
const GAP: u64 = 4096;

/// All allocations of a device, by address. Addresses are never given out twice: use after free is always found.
pub(crate) struct Global {
    allocations: Vec<Watched>,
    next: u64,
    used: u64,
    pub(crate) limit: u64,
    /// Index of the allocation that was met last.
    hint: usize,
}

impl Global {
    /// Memory of `limit` bytes whose addresses start at `first`.
    pub(crate) fn new(first: u64, limit: u64) -> Self {
        Self { allocations: Vec::new(), next: first, used: 0, limit, hint: 0 }
    }

    pub(crate) fn free_bytes(&self) -> u64 {
        self.limit - self.used
    }

    /// A new allocation, or `None` when it does not fit.
    pub(crate) fn allocate(&mut self, size: u64) -> Option<u64> {
        if size == 0 || size > self.free_bytes() {
            return None;
        }
        let base = self.next;
        self.next = (base + size + GAP).next_multiple_of(ALIGNMENT);
        self.used += size;
        self.allocations.push(Watched::new("global", base, size as usize));
        Some(base)
    }

    /// Frees the allocation that starts at `base`; false when there is none.
    pub(crate) fn free(&mut self, base: u64) -> bool {
        let found = self.allocations.binary_search_by_key(&base, |a| a.base);
        if let Ok(at) = found {
            self.used -= self.allocations.remove(at).len() as u64;
        }
        found.is_ok()
    }

    /// Frees everything.
    pub(crate) fn clear(&mut self) {
        self.allocations.clear();
        self.used = 0;
    }

    /// The allocation that holds `len` bytes at `address`.
    pub(crate) fn find(&mut self, address: u64, len: usize) -> Result<&mut Watched, Fault> {
        let near = |a: &Watched| address >= a.base && address - a.base < a.len() as u64;
        if !self.allocations.get(self.hint).is_some_and(near) {
            self.hint = self.allocations.partition_point(|a| a.base <= address).saturating_sub(1);
        }
        let found = self.allocations.get_mut(self.hint);
        let found = found.ok_or_else(|| Fault::access(OUT_OF_BOUNDS, "global", address, len))?;
        found.range(address, len)?;
        Ok(found)
    }

    /// Copies inside the device; what is uninitialised stays so.
    pub(crate) fn copy(&mut self, to: u64, from: u64, len: usize) -> Result<(), Fault> {
        let source = self.find(from, len)?;
        let range = source.range(from, len)?;
        let (data, initialised) = (source.data[range.clone()].to_vec(), source.initialised[range].to_vec());
        let target = self.find(to, len)?;
        let range = target.range(to, len)?;
        target.data[range.clone()].copy_from_slice(&data);
        target.initialised[range].copy_from_slice(&initialised);
        Ok(())
    }
}
