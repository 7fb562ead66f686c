//! `KMin`, `ArgKMin`, `KMin_ArgKMin`: the K smallest values of each component, in increasing order, and where they are.
//!
//! State: sorted lists, entry k of component d at k · DIM + d, and their indices where they are wanted. With indices an entry is NaN
//! until there is one, so that infinite values have indices, too.

use super::{Kind, Reduction, Running};
use crate::abi::NONE;
use crate::bank::Bank;
use crate::nest::{Nest, Shape};
use crate::number::{Number, is_number, opaque};
use crate::pairs::{Pairs, Strip};
use crate::records::{Records, States};
use core::marker::PhantomData;
use keops_core::{Formula, Int, Mask, Real, Sink};

/// K smallest values per component; which results it delivers is part of the type.
#[derive(Debug, Clone, Copy)]
pub struct Smallest<const K: usize, const VALUES: bool, const INDICES: bool>;

/// `KMin_Reduction`.
pub type KMin<const K: usize> = Smallest<K, true, false>;
/// `ArgKMin_Reduction`.
pub type ArgKMin<const K: usize> = Smallest<K, false, true>;
/// `KMin_ArgKMin_Reduction`.
pub type KMinArgKMin<const K: usize> = Smallest<K, true, true>;

impl<const K: usize, const VALUES: bool, const INDICES: bool> Kind for Smallest<K, VALUES, INDICES> {
    const NAME: &'static str = match (VALUES, INDICES) {
        (true, false) => "KMin",
        (false, _) => "ArgKMin",
        (true, true) => "KMin_ArgKMin",
    };
    const K: usize = K;
}

impl<F: Formula, const K: usize, const VALUES: bool, const INDICES: bool> Reduction<F>
    for Smallest<K, VALUES, INDICES>
{
    const STATE: usize = K * F::DIM;
    const STATE_INDICES: usize = if INDICES { K * F::DIM } else { 0 };
    const VALUES: usize = if VALUES { K * F::DIM } else { 0 };
    const INDICES: usize = if INDICES { K * F::DIM } else { 0 };
    const LIVE: usize = if INDICES { 2 * K * F::DIM } else { K * F::DIM };
    const FIRST: usize = 0;
    const CARRY: usize = 0;
    const SINGLE: bool = false;

    #[inline(always)]
    fn begin<T: Number, S: Shape<T>, B: Bank<T, S>>(bank: &mut B, _: &mut Running<S::Row>, _: Records<T, S>, _: Strip) {
        for k in 0..if B::DIRECT { opaque(K * F::DIM) } else { K * F::DIM } {
            bank.set(k, S::Row::lit(if INDICES { f64::NAN } else { f64::INFINITY }));
            if INDICES {
                bank.set_index(K * F::DIM, k, <S::Row as Real>::Int::splat(NONE as i64));
            }
        }
    }

    #[inline(always)]
    fn take<T, S, N, B, P>(bank: &mut B, _: &mut Running<S::Row>, pairs: &P, _: Strip)
    where
        T: Number,
        S: Shape<T>,
        N: Nest<S::Row>,
        B: Bank<T, S>,
        P: Pairs<T, S, N>,
    {
        pairs.deliver(&mut Lists::<_, _, _, K, INDICES> { bank, pairs, of: PhantomData::<(F, T, S, N)> });
    }

    #[inline(always)]
    fn settle<T: Number, S: Shape<T>, B: Bank<T, S>>(_: &mut B, _: &mut Running<S::Row>, _: Records<T, S>, _: Strip) {}

    #[inline(always)]
    fn leave<T: Number, S: Shape<T>, B: Bank<T, S>>(
        bank: &B,
        _: &Running<S::Row>,
        records: Records<T, S>,
        _: Strip,
        base: u64,
    ) {
        for k in 0..if B::DIRECT { opaque(K * F::DIM) } else { K * F::DIM } {
            if !B::DIRECT {
                records.set(k, bank.get(k));
            }
            if INDICES {
                records.set_absolute(k, bank.index(K * F::DIM, k), base);
            }
        }
    }

    #[inline(always)]
    fn merge<T: Number>(states: States<T>, first: u64, step: u64, count: u64) {
        for q in 1..count {
            for d in 0..opaque(F::DIM) {
                merge_lists::<T, INDICES>(states, first, first + q * step, opaque(K), F::DIM, d);
            }
        }
    }

    #[inline(always)]
    fn finish<T: Number>(
        states: States<T>,
        record: Option<u64>,
        mut value: impl FnMut(usize, T),
        mut index: impl FnMut(usize, u64),
    ) {
        for k in 0..opaque(K * F::DIM) {
            if VALUES {
                let worst = T::from_f64(f64::INFINITY);
                let found = record.map_or(worst, |record| states.get(k, record));
                value(k, if is_number(found) { found } else { worst });
            }
            if INDICES {
                index(k, record.map_or(NONE, |record| states.get_index(k, record)));
            }
        }
    }
}

/// Merges the list of component `d` of record `from` into that of record `into`: each of its entries is put in its place,
/// until one has none.
#[inline(always)]
fn merge_lists<T: Number, const INDICES: bool>(
    states: States<T>,
    into: u64,
    from: u64,
    k: usize,
    dim: usize,
    d: usize,
) {
    let mut start = 0;
    for entry in 0..k {
        let mut v = states.get(entry * dim + d, from);
        let mut i = if INDICES { states.get_index(entry * dim + d, from) } else { 0 };
        // Entries come in increasing order: the next one belongs behind this one.
        while start < k && !comes_before::<T, INDICES>(states, v, i, into, start * dim + d) {
            start += 1;
        }
        if start == k {
            return;
        }
        for place in start..k {
            let at = place * dim + d;
            let old = states.get(at, into);
            states.set(at, into, v);
            v = old;
            if INDICES {
                let old = states.get_index(at, into);
                states.set_index(at, into, i);
                i = old;
            }
        }
        start += 1;
    }
}

/// Does (`v`, `i`) come before entry `at` of a record? Threads that share a row have columns of all of the chunk: on a tie
/// the smaller index comes first.
#[inline(always)]
fn comes_before<T: Number, const INDICES: bool>(states: States<T>, v: T, i: u64, record: u64, at: usize) -> bool {
    let other = states.get(at, record);
    let earlier = || v == other && i < states.get_index(at, record);
    v < other || (INDICES && (earlier() || (!is_number(other) && is_number(v))))
}

/// Inserts what pairs deliver into the lists.
struct Lists<'a, B, P, O, const K: usize, const INDICES: bool> {
    bank: &'a mut B,
    pairs: &'a P,
    of: PhantomData<O>,
}

impl<F, T, S, N, B, P, const K: usize, const INDICES: bool> Sink<N::All> for Lists<'_, B, P, (F, T, S, N), K, INDICES>
where
    F: Formula,
    T: Number,
    S: Shape<T>,
    N: Nest<S::Row>,
    B: Bank<T, S>,
    P: Pairs<T, S, N>,
{
    #[inline(always)]
    fn put(&mut self, e: usize, v: N::All) {
        let last = (K - 1) * F::DIM + e;
        let worst = self.bank.get(last);
        // Nearly always nothing is inserted: one look at all pairs.
        if (!N::join(|_| worst).le(v)).any() {
            N::each(v, |c, v| {
                if (!self.bank.get(last).le(v)).any() {
                    let index = self.pairs.index(c);
                    if B::DIRECT {
                        insert_in_memory::<F, T, S, B, K, INDICES>(self.bank, e, v, index);
                    } else {
                        insert::<F, T, S, B, K, INDICES>(self.bank, e, v, index);
                    }
                }
            });
        }
    }
}

/// Does a list entry make room for `v`? One that is not there yet does for everything but NaN.
#[inline(always)]
fn moves_for<R: Real>(entry: R, v: R) -> R::Mask {
    !entry.le(v) & v.eq(v)
}

/// Inserts `v` into the list of component `d` for every row where it belongs.
///
/// The list is sorted, so an entry says by itself whether it moves on: no step waits for another.
#[inline(always)]
fn insert<F, T, S, B, const K: usize, const INDICES: bool>(bank: &mut B, d: usize, v: S::Row, i: <S::Row as Real>::Int)
where
    F: Formula,
    T: Number,
    S: Shape<T>,
    B: Bank<T, S>,
{
    // What entry k becomes if it moves on: the entry before it if that moves on too, `v` otherwise.
    let (mut before, mut before_index) = (v, i);
    for k in 0..K {
        let at = k * F::DIM + d;
        let old = bank.get(at);
        let moves = moves_for(old, v);
        bank.set(at, S::Row::select(moves, before, old));
        before = S::Row::select(moves, old, v);
        if INDICES {
            let old = bank.index(K * F::DIM, at);
            bank.set_index(K * F::DIM, at, S::Row::select_int(moves, before_index, old));
            before_index = S::Row::select_int(moves, old, i);
        }
    }
}

/// The same for long lists: from the end, touching only entries that move.
#[inline(always)]
fn insert_in_memory<F, T, S, B, const K: usize, const INDICES: bool>(
    bank: &mut B,
    d: usize,
    v: S::Row,
    i: <S::Row as Real>::Int,
) where
    F: Formula,
    T: Number,
    S: Shape<T>,
    B: Bank<T, S>,
{
    for k in (0..opaque(K)).rev() {
        let at = k * F::DIM + d;
        let old = bank.get(at);
        let moves = moves_for(old, v);
        if !moves.any() {
            return;
        }
        // In a row where the entry before this one moves too, it comes here; otherwise `v` does.
        let before = if k > 0 { bank.get(at - F::DIM) } else { v };
        let comes = moves_for(before, v);
        bank.set(at, S::Row::select(moves, S::Row::select(comes, before, v), old));
        if INDICES {
            let old = bank.index(K * F::DIM, at);
            let before = if k > 0 { bank.index(K * F::DIM, at - F::DIM) } else { i };
            let new = S::Row::select_int(comes, before, i);
            bank.set_index(K * F::DIM, at, S::Row::select_int(moves, new, old));
        }
    }
}
