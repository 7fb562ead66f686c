//! Global memory of a device: allocations with bounds, which bytes are initialised, and a limit on the total.

use crate::fault::{Fault, Kind};

/// Allocations start at multiples of this, as the real driver promises.
const ALIGNMENT: u64 = 256;
/// Addresses between allocations that belong to nobody, so that small overruns hit nothing.
const GAP: u64 = 4096;

struct Allocation {
    base: u64,
    data: Vec<u8>,
    /// One bit a byte.
    initialised: Vec<u64>,
    read_only: bool,
}

impl Allocation {
    fn end(&self) -> u64 {
        self.base + self.data.len() as u64
    }

    /// Calls `each` with the bit-word index and mask of every word that covers `[at, at + len)`.
    fn words(at: usize, len: usize, mut each: impl FnMut(usize, u64)) {
        let (mut at, end) = (at, at + len);
        while at < end {
            let stop = end.min((at / 64 + 1) * 64);
            let ones = if stop - at == 64 { u64::MAX } else { (1 << (stop - at)) - 1 };
            each(at / 64, ones << (at % 64));
            at = stop;
        }
    }

    fn mark(&mut self, at: usize, len: usize) {
        Self::words(at, len, |word, mask| self.initialised[word] |= mask);
    }

    fn is_initialised(&self, at: usize, len: usize) -> bool {
        let mut all = true;
        Self::words(at, len, |word, mask| all &= self.initialised[word] & mask == mask);
        all
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
}

impl Global {
    /// Memory of `limit` bytes whose addresses start at `first`.
    pub(crate) fn new(first: u64, limit: u64) -> Self {
        Self { allocations: Vec::new(), next: first, used: 0, limit, hint: 0 }
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
        self.allocations.push(Allocation { base, data, initialised, read_only: false });
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

    /// Makes the allocation at `base` read-only for kernels.
    pub(crate) fn protect(&mut self, base: u64) {
        if let Some(found) = self.allocations.iter_mut().find(|a| a.base == base) {
            found.read_only = true;
        }
    }

    fn find(&mut self, address: u64, len: usize) -> Result<(&mut Allocation, usize), Fault> {
        let fits = |a: &Allocation| address >= a.base && len as u64 <= a.end().saturating_sub(address);
        if !self.allocations.get(self.hint).is_some_and(fits) {
            let after = self.allocations.partition_point(|a| a.base <= address);
            let before = after.checked_sub(1);
            match before.filter(|k| fits(&self.allocations[*k])) {
                Some(found) => self.hint = found,
                None => return Err(self.nowhere(address, len)),
            }
        }
        let allocation = &mut self.allocations[self.hint];
        let at = (address - allocation.base) as usize;
        Ok((allocation, at))
    }

    #[cold]
    fn nowhere(&self, address: u64, len: usize) -> Fault {
        let mut fault = Fault::access(Kind::OutOfBounds, "global", address, len);
        if let Some(near) = self.allocations.iter().rev().find(|a| a.base <= address) {
            let (past, size) = (address - near.base, near.data.len());
            fault.what += &format!(", {past} bytes after the start of an allocation of {size} bytes");
        }
        fault
    }

    /// The initialised bytes at `address`.
    pub(crate) fn read(&mut self, address: u64, len: usize) -> Result<&[u8], Fault> {
        let (allocation, at) = self.find(address, len)?;
        if !allocation.is_initialised(at, len) {
            return Err(Fault::access(Kind::Uninitialised, "global", address, len));
        }
        Ok(&allocation.data[at..at + len])
    }

    /// The bytes at `address` for a kernel's write; they count as initialised from now on.
    pub(crate) fn write(&mut self, address: u64, len: usize) -> Result<&mut [u8], Fault> {
        let (allocation, at) = self.find(address, len)?;
        if allocation.read_only {
            return Err(Fault::access(Kind::ReadOnly, "constant", address, len));
        }
        allocation.mark(at, len);
        Ok(&mut allocation.data[at..at + len])
    }

    /// The bytes at `address` for a write from the host.
    pub(crate) fn host_write(&mut self, address: u64, len: usize) -> Result<&mut [u8], Fault> {
        let (allocation, at) = self.find(address, len)?;
        allocation.mark(at, len);
        Ok(&mut allocation.data[at..at + len])
    }

    /// Copies inside the device; what is uninitialised stays so.
    pub(crate) fn copy(&mut self, to: u64, from: u64, len: usize) -> Result<(), Fault> {
        let (source, at) = self.find(from, len)?;
        let data = source.data[at..at + len].to_vec();
        let known: Vec<bool> = (at..at + len).map(|k| source.is_initialised(k, 1)).collect();
        let (target, at) = self.find(to, len)?;
        target.data[at..at + len].copy_from_slice(&data);
        for (k, known) in known.into_iter().enumerate() {
            let mask = 1 << ((at + k) % 64);
            let word = &mut target.initialised[(at + k) / 64];
            *word = if known { *word | mask } else { *word & !mask };
        }
        Ok(())
    }
}
