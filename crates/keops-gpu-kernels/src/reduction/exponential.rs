//! The exponential reductions: `LogSumExp`, `SumSoftMaxWeight` and the raw sums both are made of.
//!
//! State: the largest exponent m, the sums Σ w e^{F−m}, and what was lost when they were rounded. The sum without a weight
//! comes first where it is wanted beside weighted ones. When m grows, sums are scaled down.
//!
//! m is kept as a finite number: it starts from the lowest one, so that terms −∞ contribute exactly 0, and stops at the
//! highest, so that a term +∞ gives +∞. A NaN never becomes m, and its term makes the sums NaN.

use super::sum::{add_columns, add_outer, clear_strip, move_sum, move_sums};
use super::{Kind, Reduction, Running, sums};
use crate::bank::Bank;
use crate::compensated::{total, two_sum};
use crate::nest::{Nest, Shape};
use crate::number::{Number, opaque};
use crate::pairs::{All, Pairs, Strip};
use crate::records::{Records, States};
use core::marker::PhantomData;
use keops_core::{Formula, Mask, Real, Scalar, Sink};

const LOG: u8 = 0;
const QUOTIENT: u8 = 1;
const RAW: u8 = 2;

/// Exponential reduction: what is made of the sums, and whether Σ e^{F−m} is among them although there are weights.
#[derive(Debug, Clone, Copy)]
pub struct Exponential<const RESULT: u8, const UNIT: bool>;

/// `LogSumExp_Reduction`: log Σ e^F, or log Σ w_c e^F for each component of the weight.
pub type LogSumExp = Exponential<LOG, false>;
/// `SumSoftMaxWeight_Reduction`: Σ e^F w_c / Σ e^F.
pub type SumSoftMaxWeight = Exponential<QUOTIENT, true>;
/// `Max_SumShiftExp_Reduction`, `Max_SumShiftExpWeight_Reduction`: m = max F, then s_c = Σ w_c e^{F−m}.
pub type MaxSumShiftExp = Exponential<RAW, false>;
/// m, Σ e^{F−m}, then Σ w_c e^{F−m}: what the gradient of `SumSoftMaxWeight` needs.
pub type SoftMaxRaw = Exponential<RAW, true>;

impl<const RESULT: u8, const UNIT: bool> Kind for Exponential<RESULT, UNIT> {
    const NAME: &'static str = match (RESULT, UNIT) {
        (LOG, _) => "LogSumExp",
        (QUOTIENT, _) => "SumSoftMaxWeight",
        (_, false) => "Max_SumShiftExp",
        (_, true) => "SoftMaxRaw",
    };
    const ACCUMULATES: bool = true;
}

impl<const RESULT: u8, const UNIT: bool> Exponential<RESULT, UNIT> {
    /// Are weights given?
    const fn weighted<F: Formula>() -> bool {
        F::OUTER.len > 0 || F::DIM > 1
    }
    /// Number of sums without a weight beside weighted ones.
    const fn unit<F: Formula>() -> usize {
        if UNIT && Self::weighted::<F>() { 1 } else { 0 }
    }
    /// Sums in the state.
    const fn sums<F: Formula>() -> usize {
        F::ACC + Self::unit::<F>()
    }
}

impl<F: Formula, const RESULT: u8, const UNIT: bool> Reduction<F> for Exponential<RESULT, UNIT> {
    const STATE: usize = 1 + 2 * Self::sums::<F>();
    const STATE_INDICES: usize = 0;
    const VALUES: usize = if RESULT == RAW { 1 + Self::sums::<F>() } else { F::ACC };
    const INDICES: usize = 0;
    const LIVE: usize = Self::unit::<F>() + sums::<F>();
    const FIRST: usize = 1;
    const CARRY: usize = Self::sums::<F>();
    const SINGLE: bool = false;

    #[inline(always)]
    fn begin<T: Number, S: Shape<T>, B: Bank<T, S>>(
        bank: &mut B,
        running: &mut Running<S::Row>,
        records: Records<T, S>,
        strip: Strip,
    ) {
        let lowest = -S::Row::lit(highest::<T>());
        *running = Running { top: lowest, origin: origin(lowest), settled: lowest };
        let (unit, sums) = (Self::unit::<F>(), Self::sums::<F>());
        if unit == 1 && strip.first == 0 {
            records.set(1, S::Row::lit(0.0));
            records.set(1 + sums, S::Row::lit(0.0));
        }
        if unit == 1 && !B::DIRECT {
            bank.clear(0);
        }
        clear_strip::<F, T, S, B>(bank, unit, records, 1 + unit, sums, strip);
    }

    #[inline(always)]
    fn take<T, S, N, B, P>(bank: &mut B, running: &mut Running<S::Row>, pairs: &P, strip: Strip)
    where
        T: Number,
        S: Shape<T>,
        N: Nest<S::Row>,
        B: Bank<T, S>,
        P: Pairs<T, S, N>,
    {
        let mut first = First(N::All::lit(0.0));
        pairs.deliver(&mut first);
        let exponents = first.0;
        let mut top = running.top;
        N::each(exponents, |_, v| top = v.zip(top, T::larger));
        if running.top.lt(top).any() {
            let top = S::Row::lit(highest::<T>()).zip(top, T::smaller);
            let origin = origin(top);
            Self::scale::<F, T, S, B>(bank, rescaling(running.origin, origin), strip);
            (running.top, running.origin) = (top, origin);
        }
        let terms = term(exponents, N::join(|_| running.origin));

        let unit = Self::unit::<F>();
        if (unit == 1 || !Self::weighted::<F>()) && (!B::DIRECT || strip.first == 0) {
            add_columns::<T, S, N, B>(bank, 0, terms, None);
        }
        if F::OUTER.len > 0 {
            add_outer::<F, T, S, N, B, P>(bank, unit, pairs, strip, terms);
        } else if F::DIM > 1 {
            pairs.deliver(&mut Weigh { bank, terms, first: unit, of: PhantomData::<(T, S, N)> });
        }
    }

    #[inline(always)]
    fn settle<T: Number, S: Shape<T>, B: Bank<T, S>>(
        bank: &mut B,
        running: &mut Running<S::Row>,
        records: Records<T, S>,
        strip: Strip,
    ) {
        if B::DIRECT {
            return;
        }
        let (unit, sums) = (Self::unit::<F>(), Self::sums::<F>());
        let factor = rescaling(origin(running.settled), running.origin);
        let scale = |k: usize| {
            records.scale(1 + k, factor);
            records.scale(1 + sums + k, factor);
        };
        if unit == 1 && strip.first == 0 {
            scale(0);
        }
        for k in 0..opaque(strip.count) {
            scale(unit + strip.first + k);
        }
        running.settled = running.top;
        if unit == 1 && strip.first == 0 {
            move_sum::<T, S, B>(bank, 0, records, 1, sums);
        } else if unit == 1 {
            bank.clear(0);
        }
        move_sums::<F, T, S, B>(bank, unit, records, 1 + unit + strip.first, sums, strip.count);
    }

    #[inline(always)]
    fn leave<T: Number, S: Shape<T>, B: Bank<T, S>>(
        _: &B,
        running: &Running<S::Row>,
        records: Records<T, S>,
        strip: Strip,
        _: u64,
    ) {
        if strip.first == 0 {
            records.set(0, running.top);
        }
    }

    #[inline(always)]
    fn merge<T: Number>(states: States<T>, first: u64, step: u64, count: u64) {
        let mut top = states.get(0, first);
        for q in 1..count {
            top = states.get(0, first + q * step).larger(top);
        }
        let sums = Self::sums::<F>();
        for c in 0..opaque(sums) {
            let mut sum = (T::Real::lit(0.0), T::Real::lit(0.0));
            for q in 0..count {
                let record = first + q * step;
                let factor = rescaling(origin(T::Real::splat(states.get(0, record))), origin(T::Real::splat(top)));
                let (s, lost) = two_sum(sum.0, T::Real::splat(states.get(1 + c, record)) * factor);
                sum = (s, sum.1 + T::Real::splat(states.get(1 + sums + c, record)) * factor + lost);
            }
            states.set(1 + c, first, T::of(sum.0));
            states.set(1 + sums + c, first, T::of(sum.1));
        }
        states.set(0, first, top);
    }

    #[inline(always)]
    fn finish<T: Number>(
        states: States<T>,
        record: Option<u64>,
        mut value: impl FnMut(usize, T),
        _: impl FnMut(usize, u64),
    ) {
        let sums = Self::sums::<F>();
        let lowest = T::from_f64(-highest::<T>());
        let top = record.map_or(lowest, |record| states.get(0, record));
        // Sums are relative to the origin, which is the largest exponent to within a rounding error.
        let remainder = remainder(top);
        let sum = |c: usize| {
            let sum = |record| total(states.get(1 + c, record), states.get(1 + sums + c, record)).to_f64();
            record.map_or(0.0, |record| sum(record) * remainder)
        };
        match RESULT {
            LOG => {
                for c in 0..opaque(F::ACC) {
                    let log = <f64 as Number>::of(<f64 as Number>::Real::splat(sum(c)).ln());
                    value(c, T::from_f64(top.to_f64() + log));
                }
            }
            QUOTIENT => {
                let unit = Self::unit::<F>();
                for c in 0..opaque(F::ACC) {
                    // No term, or none above −∞: the empty mean is defined as 0.
                    value(c, T::from_f64(if sum(0) == 0.0 { 0.0 } else { sum(unit + c) / sum(0) }));
                }
            }
            _ => {
                let infinite =
                    (top == lowest && sum(0) == 0.0) || (top == T::from_f64(highest::<T>()) && !sum(0).is_finite());
                value(0, if infinite { T::from_f64(top.to_f64() * f64::INFINITY) } else { top });
                for c in 0..opaque(sums) {
                    value(1 + c, T::from_f64(sum(c)));
                }
            }
        }
    }
}

impl<const RESULT: u8, const UNIT: bool> Exponential<RESULT, UNIT> {
    /// Multiplies the sums.
    #[inline(always)]
    fn scale<F: Formula, T: Number, S: Shape<T>, B: Bank<T, S>>(bank: &mut B, factor: S::Row, strip: Strip) {
        let unit = Self::unit::<F>();
        if unit == 1 && (!B::DIRECT || strip.first == 0) {
            bank.scale(0, factor);
        }
        if B::DIRECT {
            for k in strip.first..strip.first + opaque(strip.count) {
                bank.scale(unit + k, factor);
            }
        } else {
            for k in 0..sums::<F>() {
                bank.scale(unit + k, factor);
            }
        }
    }
}

/// The largest finite number.
const fn highest<T: Scalar>() -> f64 {
    if T::BITS == 32 { f32::MAX as f64 } else { f64::MAX }
}

/// Are exponents scaled and shifted in one operation? That saves one for each pair, and gives wrong results for exponents
/// beyond 70 % of the largest number.
const fn fused<T: Scalar>() -> bool {
    cfg!(feature = "fast-math") && T::BITS == 32
}

const LOG2_E: f64 = core::f64::consts::LOG2_E;

/// What is subtracted from exponents whose maximum is `top`: in units of log 2 if the operations are fused.
#[inline(always)]
fn origin<R: Real>(top: R) -> R {
    if !fused::<R::Scalar>() {
        return top;
    }
    let highest = R::lit(highest::<R::Scalar>());
    highest.min_or((-highest).max_or(top * R::lit(LOG2_E)))
}

/// e^(f − origin).
#[inline(always)]
fn term<R: Real>(f: R, origin: R) -> R {
    if fused::<R::Scalar>() { f.fma(R::lit(LOG2_E), -origin).exp2() } else { (f - origin).exp2_mul(R::lit(LOG2_E)) }
}

/// The factor of sums relative to the origin `from` that makes them relative to `to`.
#[inline(always)]
fn rescaling<R: Real>(from: R, to: R) -> R {
    if fused::<R::Scalar>() { (from - to).exp2() } else { (from - to).exp2_mul(R::lit(LOG2_E)) }
}

/// The factor of sums relative to the origin of `top` that makes them relative to `top`.
#[inline(always)]
fn remainder<T: Number>(top: T) -> f64 {
    if !fused::<T>() {
        return 1.0;
    }
    let origin = T::of(origin(T::Real::splat(top))).to_f64();
    let exact = top.to_f64() * LOG2_E;
    // At the ends the origin is no multiple of the exponent, and nothing is finite.
    if origin.abs() >= highest::<T>() {
        1.0
    } else {
        <f64 as Number>::of(<f64 as Number>::Real::splat(origin - exact).exp2())
    }
}

/// Keeps value 0.
struct First<V>(V);

impl<V: Real> Sink<V> for First<V> {
    #[inline(always)]
    fn put(&mut self, e: usize, v: V) {
        if e == 0 {
            self.0 = v;
        }
    }
}

/// Adds the weights, values 1.. of the pairs, times `terms`.
struct Weigh<'a, B, V, O> {
    bank: &'a mut B,
    terms: V,
    first: usize,
    of: PhantomData<O>,
}

impl<T, S, N, B> Sink<N::All> for Weigh<'_, B, All<T, S, N>, (T, S, N)>
where
    T: Number,
    S: Shape<T>,
    N: Nest<S::Row>,
    B: Bank<T, S>,
{
    #[inline(always)]
    fn put(&mut self, e: usize, v: N::All) {
        if e > 0 {
            add_columns::<T, S, N, B>(self.bank, self.first + e - 1, self.terms, Some(v));
        }
    }
}
