//! [`Channel`]: a stream with pinned memory, through which a call sends its data and gets its results.
//!
//! The driver copies pageable memory slowly and never beside other work. Data goes through two pinned halves instead: while
//! one is on its way, the other is filled or emptied.

use super::status::{Outcome, check};
use cust::event::{Event, EventFlags};
use cust::memory::LockedBuffer;
use cust::stream::{Stream, StreamFlags};
use cust::sys;
use ndarray::{ArrayView, ArrayViewMut2, Dimension};
use std::ffi::c_void;

/// Bytes of a half.
const HALF: usize = 2 << 20;

/// A stream with its pinned memory. Used by one call at a time.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) stream: Stream,
    halves: [Half; 2],
    /// The half to use next.
    next: usize,
}

#[derive(Debug)]
struct Half {
    pinned: LockedBuffer<u8>,
    /// Recorded behind the last copy from or to it.
    done: Event,
}

impl Half {
    fn new() -> Outcome<Half> {
        Ok(Half { pinned: LockedBuffer::new(&0, HALF)?, done: Event::new(EventFlags::DISABLE_TIMING)? })
    }

    /// The first `count` numbers in it.
    ///
    /// # Safety
    /// Any bits make an `A`.
    unsafe fn numbers<A: Copy>(&mut self, count: usize) -> &mut [A] {
        let count = count.min(HALF / size_of::<A>());
        // SAFETY: the memory is initialised, aligned to a page and large enough; the rest is promised by the caller.
        unsafe { std::slice::from_raw_parts_mut(self.pinned.as_mut_ptr().cast(), count) }
    }
}

impl Channel {
    /// A new channel in the current context.
    pub(super) fn new() -> Outcome<Channel> {
        let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
        Ok(Channel { stream, halves: [Half::new()?, Half::new()?], next: 0 })
    }

    /// The half to use next, when nothing is copied from it any more.
    fn free_half(&mut self) -> Outcome<&mut Half> {
        self.next = 1 - self.next;
        let half = &mut self.halves[self.next];
        half.done.synchronize()?;
        Ok(half)
    }

    /// Sends numbers to a device address. They may be changed when this returns, and arrive in the order of the stream.
    ///
    /// # Safety
    /// Numbers are plain ones (`f32`, `f64`, `u64`), and the address is that of memory of the current context with room for
    /// them.
    pub(super) unsafe fn send<A: Copy>(&mut self, to: u64, numbers: impl ExactSizeIterator<Item = A>) -> Outcome<()> {
        let (mut to, mut numbers) = (to, numbers);
        while numbers.len() > 0 {
            let stream = self.stream.as_inner();
            let half = self.free_half()?;
            // SAFETY: promised by the caller.
            let pinned = unsafe { half.numbers::<A>(numbers.len()) };
            pinned.iter_mut().zip(&mut numbers).for_each(|(to, from)| *to = from);
            let bytes = size_of_val(pinned);
            let from = pinned.as_ptr().cast::<c_void>();
            // SAFETY: promised by the caller; the half is not touched before the copy is done.
            check(unsafe { sys::cuMemcpyHtoDAsync_v2(to, from, bytes, stream) })?;
            self.record()?;
            to += bytes as u64;
        }
        Ok(())
    }

    /// Sends an array, row after row.
    ///
    /// # Safety
    /// As for [`Channel::send`].
    pub(super) unsafe fn send_array<A: Copy, D: Dimension>(
        &mut self,
        to: u64,
        table: &ArrayView<'_, A, D>,
    ) -> Outcome<()> {
        // SAFETY: promised by the caller.
        unsafe {
            match table.as_slice() {
                Some(numbers) => self.send(to, numbers.iter().copied()),
                None => self.send(to, table.iter().copied()),
            }
        }
    }

    /// Waits for everything before, and reads a table from a device address.
    ///
    /// # Safety
    /// As for [`Channel::send`].
    pub(super) unsafe fn receive<A: Copy>(&mut self, from: u64, mut table: ArrayViewMut2<'_, A>) -> Outcome<()> {
        let mut from = from;
        let mut numbers = table.iter_mut();
        // What is on its way: the half, and how many numbers.
        let mut waiting: Option<(usize, usize)> = None;
        let mut left = numbers.len();
        loop {
            let sent = if left > 0 {
                let stream = self.stream.as_inner();
                let half = self.free_half()?;
                // SAFETY: promised by the caller.
                let pinned = unsafe { half.numbers::<A>(left) };
                let (count, bytes, to) = (pinned.len(), size_of_val(pinned), pinned.as_mut_ptr().cast::<c_void>());
                // SAFETY: promised by the caller; the half is not touched before the copy is done.
                check(unsafe { sys::cuMemcpyDtoHAsync_v2(to, from, bytes, stream) })?;
                self.record()?;
                from += bytes as u64;
                left -= count;
                Some((self.next, count))
            } else {
                None
            };
            if let Some((half, count)) = waiting {
                let half = &mut self.halves[half];
                half.done.synchronize()?;
                // SAFETY: promised by the caller.
                let received = unsafe { half.numbers::<A>(count) };
                received.iter().zip(&mut numbers).for_each(|(from, to)| *to = *from);
            }
            waiting = sent;
            if waiting.is_none() {
                return Ok(());
            }
        }
    }

    fn record(&mut self) -> Outcome<()> {
        Ok(self.halves[self.next].done.record(&self.stream)?)
    }
}
