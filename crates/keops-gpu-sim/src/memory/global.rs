//! Global memory of a device: allocations with bounds, which bytes are initialised, which block has written a word,
//! and a limit on the total.

use super::WORD;
use crate::fault::{Fault, Kind};

/// Allocations start at multiples of this, as the real driver promises.
const ALIGNMENT: u64 = 256;
/// Addresses between allocations that belong to nobody, so that small overruns hit nothing.
const GAP: u64 = 4096;

/// The block that accesses memory, among all blocks that a device has run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) serial: u32,
    /// Serial number of the first block of the same launch. Blocks of one launch run in any order.
    pub(crate) first: u32,
}

struct Allocation {
    base: u64,
    data: Vec<u8>,
    /// One bit a byte.
    initialised: Vec<u64>,
    /// Serial number of the block that wrote a word last; empty until a kernel writes.
    writers: Vec<u32>,
}

impl Allocation {
    fn end(&self) -> u64 {
        self.base + self.data.len() as u64
    }

    /// Index into the bits, and mask, of every 64 bytes that `[at, at + len)` touches.
    fn bits(at: usize, len: usize) -> impl Iterator<Item = (usize, u64)> {
        let end = at + len;
        (at / 64..end.div_ceil(64)).map(move |k| {
            let (from, to) = (at.max(64 * k) % 64, end.min(64 * k + 64) - 64 * k);
            (k, (u64::MAX << from) & (u64::MAX >> (64 - to)))
        })
    }

    fn mark(&mut self, at: usize, len: usize) {
        Self::bits(at, len).for_each(|(k, mask)| self.initialised[k] |= mask);
    }

    fn is_initialised(&self, at: usize, len: usize) -> bool {
        Self::bits(at, len).all(|(k, mask)| self.initialised[k] & mask == mask)
    }

    /// Whether another block of the same launch has written into `[at, at + len)`.
    fn check_writers(&self, at: usize, len: usize, block: Block) -> Result<(), Fault> {
        let words = at / WORD..(at + len) / WORD;
        let other = self.writers.get(words).and_then(|w| w.iter().find(|w| **w >= block.first && **w != block.serial));
        other.map_or(Ok(()), |other| {
            let (address, other) = (self.base + at as u64, other - block.first);
            let what = format!("global address {address:#x}, written by block number {other} of the same launch");
            Err(Fault::new(Kind::Race, what))
        })
    }
}

/// All allocations of a device, by address. Addresses are never given out twice: use after free is always found.
pub(crate) struct Global {
    allocations: Vec<Allocation>,
    next: u64,
    used: u64,
    limit: u64,
    /// Index of the allocation that was met last.
    hint: usize,
    /// Blocks run so far, plus one.
    pub(crate) blocks: u32,
}

impl Global {
    /// Memory of `limit` bytes whose addresses start at `first`.
    pub(crate) fn new(first: u64, limit: u64) -> Self {
        Self { allocations: Vec::new(), next: first, used: 0, limit, hint: 0, blocks: 1 }
    }

    pub(crate) fn limit(&self) -> u64 {
        self.limit
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
        let size = size as usize;
        let (data, initialised) = (vec![0; size], vec![0; size.div_ceil(64)]);
        self.allocations.push(Allocation { base, data, initialised, writers: Vec::new() });
        Some(base)
    }

    /// Frees the allocation that starts at `base`; false when there is none.
    pub(crate) fn free(&mut self, base: u64) -> bool {
        let found = self.allocations.binary_search_by_key(&base, |a| a.base);
        if let Ok(at) = found {
            self.used -= self.allocations.remove(at).data.len() as u64;
        }
        found.is_ok()
    }

    fn find(&mut self, address: u64, len: usize) -> Result<(&mut Allocation, usize), Fault> {
        let fits = |a: &Allocation| address >= a.base && len as u64 <= a.end().saturating_sub(address);
        if !self.allocations.get(self.hint).is_some_and(fits) {
            let before = self.allocations.partition_point(|a| a.base <= address).checked_sub(1);
            match before.filter(|k| fits(&self.allocations[*k])) {
                Some(found) => self.hint = found,
                None => return Err(self.nowhere(address, len, before)),
            }
        }
        let allocation = &mut self.allocations[self.hint];
        let at = (address - allocation.base) as usize;
        Ok((allocation, at))
    }

    #[cold]
    fn nowhere(&self, address: u64, len: usize, before: Option<usize>) -> Fault {
        let mut fault = Fault::access(Kind::OutOfBounds, "global", address, len);
        if let Some(near) = before.map(|k| &self.allocations[k]) {
            let (past, size) = (address - near.base, near.data.len());
            fault.what += &format!(", {past} bytes after the start of an allocation of {size} bytes");
        }
        fault
    }

    /// The initialised bytes at `address`, for the host.
    pub(crate) fn host_read(&mut self, address: u64, len: usize) -> Result<&[u8], Fault> {
        let (allocation, at) = self.find(address, len)?;
        if !allocation.is_initialised(at, len) {
            return Err(Fault::access(Kind::Uninitialised, "global", address, len));
        }
        Ok(&allocation.data[at..at + len])
    }

    /// The bytes at `address`, for a write from the host; they count as initialised from now on.
    pub(crate) fn host_write(&mut self, address: u64, len: usize) -> Result<&mut [u8], Fault> {
        let (allocation, at) = self.find(address, len)?;
        allocation.mark(at, len);
        Ok(&mut allocation.data[at..at + len])
    }

    /// The initialised bytes at `address`, for a kernel. `block` is missing for atomic accesses.
    pub(crate) fn read(&mut self, address: u64, len: usize, block: Option<Block>) -> Result<&[u8], Fault> {
        let (allocation, at) = self.find(address, len)?;
        if let Some(block) = block {
            allocation.check_writers(at, len, block)?;
        }
        self.host_read(address, len)
    }

    /// The bytes at `address`, for a kernel's write.
    pub(crate) fn write(&mut self, address: u64, len: usize, block: Option<Block>) -> Result<&mut [u8], Fault> {
        let (allocation, at) = self.find(address, len)?;
        if let Some(block) = block {
            allocation.check_writers(at, len, block)?;
            if allocation.writers.is_empty() {
                allocation.writers = vec![0; allocation.data.len() / WORD];
            }
            if let Some(words) = allocation.writers.get_mut(at / WORD..(at + len) / WORD) {
                words.fill(block.serial);
            }
        }
        self.host_write(address, len)
    }

    /// Copies inside the device; what is uninitialised stays so.
    pub(crate) fn copy(&mut self, to: u64, from: u64, len: usize) -> Result<(), Fault> {
        let (source, at) = self.find(from, len)?;
        let data = source.data[at..at + len].to_vec();
        let known: Vec<bool> = (at..at + len).map(|k| source.is_initialised(k, 1)).collect();
        let (target, at) = self.find(to, len)?;
        target.data[at..at + len].copy_from_slice(&data);
        for (k, known) in (at..).zip(known) {
            let word = &mut target.initialised[k / 64];
            *word = *word & !(1 << (k % 64)) | u64::from(known) << (k % 64);
        }
        Ok(())
    }
}
