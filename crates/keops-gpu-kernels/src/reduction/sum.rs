//! `Sum`: Σ over columns.
//!
//! State: the sums, then what was lost when they were rounded.

use super::{Kind, Reduction, Running, sums};
use crate::bank::Bank;
use crate::compensated::{total, two_sum};
use crate::nest::{Nest, Shape};
use crate::number::{Number, opaque};
use crate::pairs::{All, Pairs, Strip};
use crate::records::{Records, States};
use core::marker::PhantomData;
use keops_core::{Formula, Real, Sink};

/// `Sum_Reduction`.
#[derive(Debug, Clone, Copy)]
pub struct Sum;

impl Kind for Sum {
    const NAME: &'static str = "Sum";
    const LINEAR: bool = true;
    const ACCUMULATES: bool = true;
}

impl<F: Formula> Reduction<F> for Sum {
    const STATE: usize = 2 * F::ACC;
    const STATE_INDICES: usize = 0;
    const VALUES: usize = F::OUT;
    const INDICES: usize = 0;
    const LIVE: usize = sums::<F>();
    const FIRST: usize = 0;
    const CARRY: usize = F::ACC;

    #[inline(always)]
    fn begin<T: Number, S: Shape<T>, B: Bank<T, S>>(
        bank: &mut B,
        _: &mut Running<S::Row>,
        records: Records<T, S>,
        strip: Strip,
    ) {
        clear_strip::<F, T, S, B>(bank, 0, records, 0, F::ACC, strip);
    }
    #[inline(always)]
    fn take<T, S, N, B, P>(bank: &mut B, _: &mut Running<S::Row>, pairs: &P, strip: Strip)
    where
        T: Number,
        S: Shape<T>,
        N: Nest<S::Row>,
        B: Bank<T, S>,
        P: Pairs<T, S, N>,
    {
        pairs.deliver(&mut Add { bank, pairs, strip, of: PhantomData::<(F, T, S, N)> });
    }
    #[inline(always)]
    fn settle<T: Number, S: Shape<T>, B: Bank<T, S>>(
        bank: &mut B,
        _: &mut Running<S::Row>,
        records: Records<T, S>,
        strip: Strip,
    ) {
        if !B::DIRECT {
            move_sums::<F, T, S, B>(bank, 0, records, strip.first, F::ACC, strip.count);
        }
    }
    #[inline(always)]
    fn leave<T: Number, S: Shape<T>, B: Bank<T, S>>(_: &B, _: &Running<S::Row>, _: Records<T, S>, _: Strip, _: u64) {}
    #[inline(always)]
    fn merge<T: Number>(states: States<T>, first: u64, step: u64, count: u64) {
        for e in 0..opaque(F::ACC) {
            let mut sum = (T::Real::lit(0.0), T::Real::lit(0.0));
            for q in 0..count {
                let record = first + q * step;
                let (s, lost) = two_sum(sum.0, T::Real::splat(states.get(e, record)));
                sum = (s, sum.1 + T::Real::splat(states.get(F::ACC + e, record)) + lost);
            }
            states.set(e, first, T::of(sum.0));
            states.set(F::ACC + e, first, T::of(sum.1));
        }
    }
    #[inline(always)]
    fn finish<T: Number>(states: States<T>, record: Option<u64>, _: impl FnMut(usize, T), _: impl FnMut(usize, u64)) {
        if let Some(record) = record {
            for e in 0..opaque(F::ACC) {
                states.set(e, record, total(states.get(e, record), states.get(F::ACC + e, record)));
            }
        }
    }
}

/// Makes the sums of a strip zero: numbers `from..` of the bank, `to..` and their carries in the states.
#[inline(always)]
pub(super) fn clear_strip<F: Formula, T: Number, S: Shape<T>, B: Bank<T, S>>(
    bank: &mut B,
    from: usize,
    records: Records<T, S>,
    to: usize,
    carry: usize,
    strip: Strip,
) {
    for k in strip.first..strip.first + opaque(strip.count) {
        records.set(to + k, S::Row::lit(0.0));
        records.set(to + carry + k, S::Row::lit(0.0));
    }
    if !B::DIRECT {
        for k in 0..sums::<F>() {
            bank.clear(from + k);
        }
    }
}

/// Moves `count` sums (numbers `from..` of the bank) to the states (numbers `to..`) and clears them.
#[inline(always)]
pub(super) fn move_sums<F: Formula, T: Number, S: Shape<T>, B: Bank<T, S>>(
    bank: &mut B,
    from: usize,
    records: Records<T, S>,
    to: usize,
    carry: usize,
    count: usize,
) {
    for k in 0..sums::<F>() {
        if k < count {
            move_sum::<T, S, B>(bank, from + k, records, to + k, carry);
        }
    }
}

/// Moves one sum and clears it.
#[inline(always)]
pub(super) fn move_sum<T: Number, S: Shape<T>, B: Bank<T, S>>(
    bank: &mut B,
    from: usize,
    records: Records<T, S>,
    to: usize,
    carry: usize,
) {
    let (high, low) = bank.sum(from);
    records.add(to, to + carry, high, low);
    bank.clear(from);
}

/// Adds `v`, or `v · w`, of all columns to sum `k`.
#[inline(always)]
pub(super) fn add_columns<T, S, N, B>(bank: &mut B, k: usize, v: All<T, S, N>, w: Option<All<T, S, N>>)
where
    T: Number,
    S: Shape<T>,
    N: Nest<S::Row>,
    B: Bank<T, S>,
{
    let mut columns = [S::Row::lit(0.0); 4];
    if let Some(w) = w {
        N::each(w, |c, w| columns[c] = w);
    }
    if B::DIRECT {
        // One access to memory for all columns.
        let mut sum = S::Row::lit(0.0);
        N::each(v, |c, v| sum = if w.is_some() { v.fma(columns[c], sum) } else { sum + v });
        bank.add(k, sum);
    } else {
        N::each(v, |c, v| if w.is_some() { bank.add_product(k, v, columns[c]) } else { bank.add(k, v) });
    }
}

/// Adds what pairs deliver, with products fused into the addition.
struct Add<'a, B, P, O> {
    bank: &'a mut B,
    pairs: &'a P,
    strip: Strip,
    of: PhantomData<O>,
}

impl<F, T, S, N, B, P> Sink<N::All> for Add<'_, B, P, (F, T, S, N)>
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
        if F::OUTER.len > 0 {
            add_outer::<F, T, S, N, B, P>(self.bank, 0, self.pairs, self.strip, v);
        } else {
            add_columns::<T, S, N, B>(self.bank, e, v, None);
        }
    }
    #[inline(always)]
    fn put_product(&mut self, e: usize, a: N::All, b: N::All) {
        if F::OUTER.len > 0 {
            self.put(e, a * b);
        } else {
            add_columns::<T, S, N, B>(self.bank, e, a, Some(b));
        }
    }
}

/// Adds `v` times the outer vector to sums `from..`.
#[inline(always)]
pub(super) fn add_outer<F, T, S, N, B, P>(bank: &mut B, from: usize, pairs: &P, strip: Strip, v: N::All)
where
    F: Formula,
    T: Number,
    S: Shape<T>,
    N: Nest<S::Row>,
    B: Bank<T, S>,
    P: Pairs<T, S, N>,
{
    if B::DIRECT {
        for k in 0..opaque(strip.count) {
            let w = pairs.outer(strip.first, k);
            add_columns::<T, S, N, B>(bank, from + strip.first + k, v, Some(w));
        }
    } else {
        // The number of registers is a constant: what is added to those beyond a short last strip is never looked at.
        for k in 0..sums::<F>() {
            let known = sums::<F>() == F::OUTER.len || strip.first + k < F::OUTER.len;
            let w = if known { pairs.outer(strip.first, k) } else { v };
            add_columns::<T, S, N, B>(bank, from + k, v, Some(w));
        }
    }
}
