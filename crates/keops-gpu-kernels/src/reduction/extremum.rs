//! `Min`, `Max`, `ArgMin`, `ArgMax`, `Min_ArgMin`, `Max_ArgMax`: the extreme value of each component and where it is.
//!
//! State: the values, and their indices where they are wanted. With indices a value is NaN until there is one: a first value that
//! is infinite, and no better than the worst, has an index all the same.

use super::{Kind, Reduction, Running};
use crate::abi::NONE;
use crate::bank::Bank;
use crate::nest::{Nest, Shape};
use crate::number::{Number, is_number, opaque};
use crate::pairs::{Pairs, Strip};
use crate::records::{Records, States};
use core::marker::PhantomData;
use keops_core::{Formula, Int, Real, Sink};

/// Extreme value per component; which results it delivers is part of the type.
#[derive(Debug, Clone, Copy)]
pub struct Extremum<const MAX: bool, const VALUES: bool, const INDICES: bool>;

/// `Min_Reduction`.
pub type Min = Extremum<false, true, false>;
/// `Max_Reduction`.
pub type Max = Extremum<true, true, false>;
/// `ArgMin_Reduction`.
pub type ArgMin = Extremum<false, false, true>;
/// `ArgMax_Reduction`.
pub type ArgMax = Extremum<true, false, true>;
/// `Min_ArgMin_Reduction`.
pub type MinArgMin = Extremum<false, true, true>;
/// `Max_ArgMax_Reduction`.
pub type MaxArgMax = Extremum<true, true, true>;

impl<const MAX: bool, const VALUES: bool, const INDICES: bool> Kind for Extremum<MAX, VALUES, INDICES> {
    const NAME: &'static str = match (MAX, VALUES, INDICES) {
        (false, true, false) => "Min",
        (true, true, false) => "Max",
        (false, false, _) => "ArgMin",
        (true, false, _) => "ArgMax",
        (false, true, true) => "Min_ArgMin",
        (true, true, true) => "Max_ArgMax",
    };
}

impl<F: Formula, const MAX: bool, const VALUES: bool, const INDICES: bool> Reduction<F>
    for Extremum<MAX, VALUES, INDICES>
{
    const STATE: usize = F::DIM;
    const STATE_INDICES: usize = if INDICES { F::DIM } else { 0 };
    const VALUES: usize = if VALUES { F::DIM } else { 0 };
    const INDICES: usize = if INDICES { F::DIM } else { 0 };
    const LIVE: usize = if INDICES { 2 * F::DIM } else { F::DIM };
    const FIRST: usize = 0;
    const CARRY: usize = 0;

    #[inline(always)]
    fn begin<T: Number, S: Shape<T>, B: Bank<T, S>>(bank: &mut B, _: &mut Running<S::Row>, _: Records<T, S>, _: Strip) {
        for e in 0..if B::DIRECT { opaque(F::DIM) } else { F::DIM } {
            bank.set(e, S::Row::lit(if INDICES { f64::NAN } else { worst::<MAX>() }));
            if INDICES {
                bank.set_index(F::DIM, e, <S::Row as Real>::Int::splat(NONE as i64));
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
        pairs.deliver(&mut Better::<_, _, _, MAX, INDICES> { bank, pairs, of: PhantomData::<(F, T, S, N)> });
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
        for e in 0..if B::DIRECT { opaque(F::DIM) } else { F::DIM } {
            if !B::DIRECT {
                records.set(e, bank.get(e));
            }
            if INDICES {
                records.set_absolute(e, bank.index(F::DIM, e), base);
            }
        }
    }

    #[inline(always)]
    fn merge<T: Number>(states: States<T>, first: u64, step: u64, count: u64) {
        for e in 0..opaque(F::DIM) {
            let mut best = states.get(e, first);
            let mut at = if INDICES { states.get_index(e, first) } else { 0 };
            for q in 1..count {
                let record = first + q * step;
                let v = states.get(e, record);
                let i = if INDICES { states.get_index(e, record) } else { 0 };
                // Threads that share a row have columns of all of the chunk: on a tie the smaller index wins.
                // Anything replaces what is not there yet.
                let better = (if MAX { v > best } else { v < best }) || (INDICES && !is_number(best) && is_number(v));
                if better || (INDICES && v == best && i < at) {
                    (best, at) = (v, i);
                }
            }
            states.set(e, first, best);
            if INDICES {
                states.set_index(e, first, at);
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
        for e in 0..opaque(F::DIM) {
            if VALUES {
                let worst = T::from_f64(worst::<MAX>());
                let found = record.map_or(worst, |record| states.get(e, record));
                value(e, if is_number(found) { found } else { worst });
            }
            if INDICES {
                index(e, record.map_or(NONE, |record| states.get_index(e, record)));
            }
        }
    }
}

/// What anything is better than.
const fn worst<const MAX: bool>() -> f64 {
    if MAX { f64::NEG_INFINITY } else { f64::INFINITY }
}

/// Keeps the better ones of what pairs deliver.
struct Better<'a, B, P, O, const MAX: bool, const INDICES: bool> {
    bank: &'a mut B,
    pairs: &'a P,
    of: PhantomData<O>,
}

impl<F, T, S, N, B, P, const MAX: bool, const INDICES: bool> Sink<N::All>
    for Better<'_, B, P, (F, T, S, N), MAX, INDICES>
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
        let mut best = self.bank.get(e);
        if INDICES {
            let mut at = self.bank.index(F::DIM, e);
            N::each(v, |c, v| {
                let better = !(if MAX { v.le(best) } else { best.le(v) }) & v.eq(v);
                best = S::Row::select(better, v, best);
                at = S::Row::select_int(better, self.pairs.index(c), at);
            });
            self.bank.set_index(F::DIM, e, at);
        } else {
            N::each(v, |_, v| best = if MAX { v.zip(best, T::larger) } else { v.zip(best, T::smaller) });
        }
        self.bank.set(e, best);
    }
}
