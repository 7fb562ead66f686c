//! Shared memory of a block, with a record of who touched each word since the last barrier.

use super::{WORD, range};
use crate::fault::{Fault, Kind};

/// Who has touched a word.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Who {
    /// Nobody who counts: a part of the word only.
    #[default]
    Nobody,
    Thread(u16),
    /// Several threads of one warp.
    Warp(u16),
    /// Threads of several warps.
    Many,
}

impl Who {
    fn warp(self) -> Option<u16> {
        match self {
            Self::Thread(thread) => Some(thread / 32),
            Self::Warp(warp) => Some(warp),
            Self::Nobody | Self::Many => None,
        }
    }
}

/// An access at a point of the block's synchronisation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Actor {
    who: Who,
    /// Number of warp synchronisations that the warp has passed.
    warp_epoch: u32,
    /// Atomic or strong: does not race with its like.
    strong: bool,
}

impl Actor {
    /// An access of one thread, or of several threads of its warp at once.
    pub(crate) fn new(thread: u16, several: bool, warp_epoch: u32, strong: bool) -> Self {
        Self { who: if several { Who::Warp(thread / 32) } else { Who::Thread(thread) }, warp_epoch, strong }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Record {
    epoch: u32,
    warp_epoch: u32,
    who: Who,
    strong: bool,
}

impl Record {
    fn new(epoch: u32, actor: Actor) -> Self {
        Self { epoch, warp_epoch: actor.warp_epoch, who: actor.who, strong: actor.strong }
    }

    /// Whether the recorded access and one of `actor` may happen in any order.
    fn concurrent(self, actor: Actor, epoch: u32) -> bool {
        if self.epoch != epoch || self.who == Who::Nobody || (actor.strong && self.strong) {
            return false;
        }
        let same_thread = self.who == actor.who && matches!(self.who, Who::Thread(_));
        let ordered = self.who.warp() == actor.who.warp() && self.warp_epoch < actor.warp_epoch;
        !same_thread && !ordered
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
        let records = vec![Record::default(); size.div_ceil(WORD)];
        Self { data: vec![0; size], written: records.clone(), read: records, epoch: 0, first: 0 }
    }

    pub(crate) fn begin_block(&mut self) {
        self.epoch += 1;
        self.first = self.epoch;
    }

    pub(crate) fn barrier(&mut self) {
        self.epoch += 1;
    }

    pub(crate) fn read(&mut self, address: u64, len: usize, actor: Actor) -> Result<&[u8], Fault> {
        let range = range(&self.data, "shared", address, len)?;
        for word in range.start / WORD..range.end.div_ceil(WORD) {
            let written = self.written[word];
            if written.epoch < self.first {
                return Err(Fault::access(Kind::Uninitialised, "shared", address, len));
            }
            if len < WORD {
                continue;
            }
            if written.concurrent(actor, self.epoch) {
                return Err(race("read", address, written, "written"));
            }
            let before = self.read[word];
            let mut record = Record::new(self.epoch, actor);
            if before.epoch == self.epoch && before.who != actor.who {
                record.who = if before.who.warp() == actor.who.warp() {
                    actor.who.warp().map_or(Who::Many, Who::Warp)
                } else {
                    Who::Many
                };
                record.strong &= before.strong;
            }
            self.read[word] = record;
        }
        Ok(&self.data[range])
    }

    pub(crate) fn write(&mut self, address: u64, len: usize, actor: Actor) -> Result<&mut [u8], Fault> {
        let range = range(&self.data, "shared", address, len)?;
        for word in range.start / WORD..range.end.div_ceil(WORD) {
            if len < WORD {
                self.written[word] = Record { epoch: self.epoch, ..Record::default() };
                continue;
            }
            for (record, what) in [(self.written[word], "written"), (self.read[word], "read")] {
                if record.concurrent(actor, self.epoch) {
                    return Err(race("write", address, record, what));
                }
            }
            self.written[word] = Record::new(self.epoch, actor);
        }
        Ok(&mut self.data[range])
    }
}

#[cold]
fn race(access: &str, address: u64, record: Record, other: &str) -> Fault {
    let by = match record.who {
        Who::Thread(thread) => format!("thread {thread}"),
        Who::Warp(warp) => format!("several threads of warp {warp}"),
        Who::Many | Who::Nobody => "several threads".to_string(),
    };
    Fault::new(Kind::Race, format!("{access} of shared address {address:#x}, {other} by {by} with no barrier between"))
}
