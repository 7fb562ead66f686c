//! [`Records`]: the states of rows in memory.

use crate::access::Place;
use crate::compensated::two_sum;
use crate::nest::{Nest, Shape};
use crate::number::Number;
use core::marker::PhantomData;
use keops_core::Real;

/// The states that a launch leaves; see [`crate::abi`] for their layout.
#[derive(Debug, Clone, Copy)]
pub struct States<T> {
    pub(crate) values: *mut T,
    pub(crate) indices: *mut u64,
    pub(crate) records: u64,
}

impl<T: Number> States<T> {
    #[inline(always)]
    pub(crate) fn value(self, k: usize, record: u64) -> *mut T {
        self.values.wrapping_add((k as u64 * self.records + record) as usize)
    }
    #[inline(always)]
    pub(crate) fn index(self, k: usize, record: u64) -> *mut u64 {
        self.indices.wrapping_add((k as u64 * self.records + record) as usize)
    }
    /// Number `k` of a record.
    #[inline(always)]
    pub(crate) fn get(self, k: usize, record: u64) -> T {
        // SAFETY: schemes ask for records of theirs only.
        unsafe { *self.value(k, record) }
    }
    #[inline(always)]
    pub(crate) fn set(self, k: usize, record: u64, v: T) {
        // SAFETY: as above.
        unsafe { *self.value(k, record) = v }
    }
    /// Index `k` of a record.
    #[inline(always)]
    pub(crate) fn get_index(self, k: usize, record: u64) -> u64 {
        // SAFETY: as above.
        unsafe { *self.index(k, record) }
    }
    #[inline(always)]
    pub(crate) fn set_index(self, k: usize, record: u64, v: u64) {
        // SAFETY: as above.
        unsafe { *self.index(k, record) = v }
    }
}

/// The states of the rows of a thread.
pub struct Records<T, S> {
    pub(crate) states: States<T>,
    /// The record of the first row of the block.
    pub(crate) first: u64,
    pub(crate) place: Place,
    pub(crate) shape: PhantomData<S>,
}

impl<T: Copy, S> Clone for Records<T, S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Copy, S> Copy for Records<T, S> {}

impl<T: Number, S: Shape<T>> Records<T, S> {
    #[inline(always)]
    fn record(self, r: usize) -> u64 {
        self.first + u64::from(self.place.row(r))
    }

    /// Number `k`; 0 for rows that do not exist.
    #[inline(always)]
    pub(crate) fn get(self, k: usize) -> S::Row {
        S::Rows::join(|r| {
            T::Real::splat(if self.place.exists(r) { self.states.get(k, self.record(r)) } else { T::default() })
        })
    }

    /// Writes number `k`.
    #[inline(always)]
    pub(crate) fn set(self, k: usize, v: S::Row) {
        S::Rows::each(v, |r, v| {
            if self.place.exists(r) {
                self.states.set(k, self.record(r), T::of(v));
            }
        });
    }

    /// Index `k`, relative to the first column.
    #[inline(always)]
    pub(crate) fn get_index(self, k: usize) -> <S::Row as Real>::Int {
        S::Rows::join(|r| {
            let raw = if self.place.exists(r) { self.states.get_index(k, self.record(r)) } else { 0 };
            T::Real::splat(T::from_raw(raw))
        })
        .to_bits()
    }

    /// Writes index `k`, relative to the first column.
    #[inline(always)]
    pub(crate) fn set_index(self, k: usize, v: <S::Row as Real>::Int) {
        S::Rows::each(S::Row::from_bits(v), |r, v| {
            if self.place.exists(r) {
                self.states.set_index(k, self.record(r), T::of(v).to_raw());
            }
        });
    }

    /// Writes index `k` as a number of a column; `base` is the first one.
    #[inline(always)]
    pub(crate) fn set_absolute(self, k: usize, v: <S::Row as Real>::Int, base: u64) {
        let none = if T::BITS == 32 { u64::from(u32::MAX) } else { u64::MAX };
        S::Rows::each(S::Row::from_bits(v), |r, v| {
            if self.place.exists(r) {
                let raw = T::of(v).to_raw();
                self.states.set_index(k, self.record(r), if raw == none { crate::abi::NONE } else { base + raw });
            }
        });
    }

    /// Adds (`high`, `low`) to the compensated sum whose parts are numbers `sum` and `carry`.
    #[inline(always)]
    pub(crate) fn add(self, sum: usize, carry: usize, high: S::Row, low: S::Row) {
        let (s, e) = two_sum(self.get(sum), high);
        self.set(sum, s);
        self.set(carry, self.get(carry) + (e + low));
    }

    /// Multiplies number `k`.
    #[inline(always)]
    pub(crate) fn scale(self, k: usize, factor: S::Row) {
        self.set(k, self.get(k) * factor);
    }
}
