//! Memory that knows which bytes are initialised, and who has touched each word last.

use crate::fault::{Fault, OUT_OF_BOUNDS, RACE, UNINITIALISED};
use std::ops::Range;

/// Accesses smaller than this take no part in the search for races, which works on words.
const WORD: usize = 4;

/// What unwritten bytes hold: numbers of them are no numbers.
pub(crate) const UNWRITTEN: u8 = 0xff;

/// The number of several threads.
pub(crate) const SEVERAL: u32 = u32::MAX;

/// Who accesses memory: a thread of the block in shared memory, a block of the grid in global memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Actor {
    /// What happens in different periods is ordered: between two barriers, in a launch. Counts from 1.
    pub(crate) period: u32,
    pub(crate) number: u32,
}

impl Actor {
    /// Whether what this one has done and what `other` does may happen in any order.
    fn concurrent(self, other: Self) -> bool {
        self.period == other.period && (self.number != other.number || self.number == SEVERAL)
    }

    /// Stands for this one and `other`, who comes later.
    fn joined(self, other: Self) -> Self {
        if self.concurrent(other) { Self { number: SEVERAL, ..other } } else { other }
    }
}

/// An allocation of global memory, or the shared memory of a block.
pub(crate) struct Watched {
    name: &'static str,
    pub(crate) base: u64,
    pub(super) data: Vec<u8>,
    pub(super) initialised: Vec<bool>,
    /// Who wrote each word last, and who has read it; empty until a kernel comes.
    written: Vec<Actor>,
    read: Vec<Actor>,
}

impl Watched {
    pub(crate) fn new(name: &'static str, base: u64, size: usize) -> Self {
        let (data, initialised) = (vec![UNWRITTEN; size], vec![false; size]);
        Self { name, base, data, initialised, written: Vec::new(), read: Vec::new() }
    }

    /// Memory with contents, which the host has written.
    pub(crate) fn filled(name: &'static str, data: Vec<u8>) -> Self {
        let initialised = vec![true; data.len()];
        Self { name, base: 0, data, initialised, written: Vec::new(), read: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.data.len()
    }

    /// Forgets the contents.
    pub(crate) fn clear(&mut self) {
        self.initialised.fill(false);
        self.data.fill(UNWRITTEN);
    }

    /// Where `len` bytes at `address` are.
    pub(super) fn range(&self, address: u64, len: usize) -> Result<Range<usize>, Fault> {
        let start = usize::try_from(address.wrapping_sub(self.base)).unwrap_or(usize::MAX);
        if start <= self.len() && len <= self.len() - start {
            return Ok(start..start + len);
        }
        let mut fault = Fault::access(OUT_OF_BOUNDS, self.name, address, len);
        if address >= self.base {
            fault.what += &format!(", {start} bytes after the start of {} bytes", self.len());
        }
        Err(fault)
    }

    /// The initialised bytes at `address`. Without an actor it is the host who reads; kernels may read padding, too.
    pub(crate) fn read(&mut self, address: u64, len: usize, actor: Option<Actor>) -> Result<&mut [u8], Fault> {
        let range = self.range(address, len)?;
        let known = &self.initialised[range.clone()];
        let right = if actor.is_some() { known.contains(&true) } else { !known.contains(&false) };
        if !right {
            return Err(Fault::access(UNINITIALISED, self.name, address, len));
        }
        self.watch(range.clone(), actor, false)?;
        Ok(&mut self.data[range])
    }

    /// The bytes at `address` for a write; they count as initialised from now on.
    pub(crate) fn write(&mut self, address: u64, len: usize, actor: Option<Actor>) -> Result<&mut [u8], Fault> {
        let range = self.range(address, len)?;
        self.watch(range.clone(), actor, true)?;
        self.initialised[range.clone()].fill(true);
        Ok(&mut self.data[range])
    }

    fn watch(&mut self, range: Range<usize>, actor: Option<Actor>, write: bool) -> Result<(), Fault> {
        let Some(actor) = actor.filter(|_| range.len() >= WORD) else { return Ok(()) };
        if self.written.is_empty() {
            self.written = vec![Actor::default(); self.len() / WORD + 1];
            self.read = self.written.clone();
        }
        for word in range.start / WORD..range.end / WORD {
            let (written, read) = (self.written[word], self.read[word]);
            if written.concurrent(actor) {
                return Err(self.race(word, write, written, "written"));
            }
            if write && read.concurrent(actor) {
                return Err(self.race(word, write, read, "read"));
            }
            if write {
                self.written[word] = actor;
            } else {
                self.read[word] = read.joined(actor);
            }
        }
        Ok(())
    }

    #[cold]
    fn race(&self, word: usize, write: bool, other: Actor, done: &str) -> Fault {
        let (access, address) = (if write { "write" } else { "read" }, self.base + (word * WORD) as u64);
        let unit = if self.name == "shared" { "thread" } else { "block" };
        let by = if other.number == SEVERAL { format!("several {unit}s") } else { format!("{unit} {}", other.number) };
        Fault::new(RACE, &format!("{access} of {} address {address:#x}, {done} by {by} in any order", self.name))
    }
}
