//! Shared memory of a block, with a record of who touched each byte since the last barrier.

use crate::fault::{Fault, Kind};

/// Who accesses: a thread at a point of the block's synchronisation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Actor {
    pub(crate) thread: u16,
    /// Number of warp synchronisations that the thread has passed.
    pub(crate) warp_epoch: u16,
    /// Atomic or strong: does not race with its like.
    pub(crate) strong: bool,
}

/// Set in a record's thread: threads of one warp, whose number is in the low bits.
const WARP: u16 = 0x4000;
/// A record's thread when threads of several warps have read.
const MANY: u16 = 0x7fff;
/// Set in a record's thread when all the accesses were strong.
const STRONG: u16 = 0x8000;

#[derive(Clone, Copy, Default)]
struct Record {
    epoch: u32,
    thread: u16,
    warp_epoch: u16,
}

impl Record {
    /// Whether the recorded access and one of `actor` may happen in any order.
    fn concurrent(self, actor: Actor, epoch: u32) -> bool {
        let who = self.thread & !STRONG;
        if self.epoch != epoch || who == actor.thread || (actor.strong && self.thread & STRONG != 0) {
            return false;
        }
        let warp = if who == MANY {
            None
        } else if who & WARP != 0 {
            Some(who & !WARP)
        } else {
            Some(who / 32)
        };
        warp != Some(actor.thread / 32) || self.warp_epoch >= actor.warp_epoch
    }

    fn name(self) -> String {
        match self.thread & !STRONG {
            MANY => "several threads".to_string(),
            who if who & WARP != 0 => format!("several threads of warp {}", who & !WARP),
            who => format!("thread {who}"),
        }
    }
}

/// The shared memory of the block that runs.
pub(crate) struct Shared {
    data: Vec<u8>,
    written: Vec<Record>,
    read: Vec<Record>,
    /// Grows with each barrier and each block.
    epoch: u32,
    /// Epoch in which the present block began: older writes are another block's.
    first: u32,
}

impl Shared {
    pub(crate) fn new(size: usize) -> Self {
        let records = vec![Record::default(); size];
        Self { data: vec![0; size], written: records.clone(), read: records, epoch: 0, first: 0 }
    }

    pub(crate) fn begin_block(&mut self) {
        self.epoch += 1;
        self.first = self.epoch;
    }

    pub(crate) fn barrier(&mut self) {
        self.epoch += 1;
    }

    fn range(&self, address: u64, len: usize) -> Result<std::ops::Range<usize>, Fault> {
        match usize::try_from(address).ok().filter(|a| *a <= self.data.len() && len <= self.data.len() - *a) {
            Some(at) => Ok(at..at + len),
            None => {
                let mut fault = Fault::access(Kind::OutOfBounds, "shared", address, len);
                fault.what += &format!(", the block has {} bytes", self.data.len());
                Err(fault)
            }
        }
    }

    pub(crate) fn read(&mut self, address: u64, len: usize, actor: Actor) -> Result<&[u8], Fault> {
        let range = self.range(address, len)?;
        let strong = if actor.strong { STRONG } else { 0 };
        for k in range.clone() {
            let written = self.written[k];
            if written.epoch < self.first {
                return Err(Fault::access(Kind::Uninitialised, "shared", address, len));
            }
            if written.concurrent(actor, self.epoch) {
                return Err(race("read", address, written, "written"));
            }
            let read = &mut self.read[k];
            let who = read.thread & !STRONG;
            let warp = actor.thread / 32;
            let thread = if read.epoch != self.epoch || who == actor.thread {
                actor.thread | strong
            } else {
                let same = who != MANY && (if who & WARP != 0 { who & !WARP } else { who / 32 }) == warp;
                (if same { WARP | warp } else { MANY }) | (read.thread & strong)
            };
            *read = Record { epoch: self.epoch, thread, warp_epoch: actor.warp_epoch };
        }
        Ok(&self.data[range])
    }

    pub(crate) fn write(&mut self, address: u64, len: usize, actor: Actor) -> Result<&mut [u8], Fault> {
        let range = self.range(address, len)?;
        let strong = if actor.strong { STRONG } else { 0 };
        for k in range.clone() {
            let (written, read) = (self.written[k], self.read[k]);
            if written.concurrent(actor, self.epoch) {
                return Err(race("write", address, written, "written"));
            }
            if read.concurrent(actor, self.epoch) {
                return Err(race("write", address, read, "read"));
            }
            let thread = actor.thread | strong;
            self.written[k] = Record { epoch: self.epoch, thread, warp_epoch: actor.warp_epoch };
        }
        Ok(&mut self.data[range])
    }
}

#[cold]
fn race(access: &str, address: u64, record: Record, other: &str) -> Fault {
    let by = record.name();
    Fault::new(Kind::Race, format!("{access} of shared address {address:#x}, {other} by {by} with no barrier between"))
}
