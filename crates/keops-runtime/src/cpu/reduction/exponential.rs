//! The exponential reductions: `LogSumExp`, `SumSoftMaxWeight` and the raw sums both are made of.
//!
//! With a running maximum m of the exponents, the sums s_c = Σ w_c e^{F−m} are kept; when m grows they are scaled down
//! (Milakov & Gimelshein, *Online normalizer calculation for softmax*, 2018). The maximum is looked at once per group of
//! eight columns. Exponents are taken in base 2, as F·log₂e − ⌊m·log₂e⌉ in one fused operation, where the second term is
//! rounded once and then part of the definition of s, so that its rounding cancels in every result.
//!
//! m starts from −∞ and is clamped to finite numbers where it is subtracted, hence terms −∞ contribute exactly 0, no
//! or only such terms give −∞, a term +∞ gives +∞, and a NaN gives NaN. Exponents beyond ±2.3·10³⁸ (f32; f64: 1.2·10³⁰⁸)
//! count as infinite.

use super::accumulate::{add, merge, total, two_sum};
use super::matrix::{MATRIX_FROM, multiply};
use super::sum::{split, widen};
use super::{Block, Reduction, State};
use crate::cpu::pairs::{Buffered, Columns, Pairs};
use crate::options::Accumulator;
use keops_core::{Formula, Mask, Real, Scalar, Values};

/// Columns per look at the maximum.
const GROUP: usize = 8;

/// What is made of the sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Result {
    /// m + log s.
    Log,
    /// Σ w e^F / Σ e^F.
    Quotient,
    /// m and the sums themselves.
    Raw,
}

/// Exponential reduction. `UNIT`: is Σ e^{F−m} itself among the sums although there are weights?
#[derive(Debug, Clone, Copy)]
pub struct Exponential<const RESULT: u8, const UNIT: bool>;

/// `LogSumExp_Reduction`: log Σ e^F, or log Σ w_c e^F for each component of the weight.
pub type LogSumExp = Exponential<{ Result::Log as u8 }, false>;
/// `SumSoftMaxWeight_Reduction`: Σ e^F w_c / Σ e^F.
pub type SumSoftMaxWeight = Exponential<{ Result::Quotient as u8 }, true>;
/// `Max_SumShiftExp_Reduction`, `Max_SumShiftExpWeight_Reduction`: m = max F, then s_c = Σ w_c e^{F−m}.
pub type MaxSumShiftExp = Exponential<{ Result::Raw as u8 }, false>;
/// m, Σ e^{F−m}, then Σ w_c e^{F−m}: what the gradient of `SumSoftMaxWeight` needs.
pub type SoftMaxRaw = Exponential<{ Result::Raw as u8 }, true>;

/// Are weights given?
const fn weighted<F: Formula>() -> bool {
    F::OUTER.len > 0 || F::DIM > 1
}

/// log₂e and the largest maximum that is subtracted, in the type of the data.
#[inline(always)]
fn base2<L: Real>() -> (L, L) {
    (L::lit(core::f64::consts::LOG2_E), L::lit(if L::Scalar::BITS == 32 { 2.3e38 } else { 1.2e308 }))
}

/// ⌊m·log₂e⌉, the shift that belongs to the running maximum m.
#[inline(always)]
fn shift<L: Real>(m: L) -> L {
    let (log2e, limit) = base2::<L>();
    limit.min_or((-limit).max_or(m)) * log2e
}

impl<const RESULT: u8, const UNIT: bool> Exponential<RESULT, UNIT> {
    /// Sums in the state: the unit one first.
    const fn sums<F: Formula>() -> usize {
        F::ACC + Self::unit::<F>()
    }
    const fn unit<F: Formula>() -> usize {
        if UNIT && weighted::<F>() { 1 } else { 0 }
    }

    /// Scales the sums of register `r` from maximum `from` to maximum `to`.
    #[inline(always)]
    fn rescale<F: Formula, L: Real, const NR: usize>(state: Block<L::Scalar, NR>, r: usize, factor: L) {
        for k in 1..=2 * Self::sums::<F>() {
            state.set(k, r, state.get::<L>(k, r) * factor);
        }
    }

    /// Adds to sum `c` of register `r`.
    #[inline(always)]
    fn add<F: Formula, L: Real, const NR: usize>(state: Block<L::Scalar, NR>, c: usize, r: usize, v: L) {
        add(state, 1 + c, 1 + Self::sums::<F>() + c, r, v);
    }

    /// Weight `c` of step `j`.
    #[inline(always)]
    fn weight<F: Formula, L: Real, V: Pairs<F, L>>(pairs: &V, j: usize, values: &F::Pair<L>, c: usize) -> L {
        if F::OUTER.len > 0 { pairs.outer(j, c) } else { values.as_slice()[1 + c] }
    }
}

impl<const RESULT: u8, const UNIT: bool> Reduction for Exponential<RESULT, UNIT> {
    const NAME: &'static str = match (RESULT, UNIT) {
        (0, _) => "LogSumExp",
        (1, _) => "SumSoftMaxWeight",
        _ => "Max_SumShiftExp",
    };
    const ACCUMULATES: bool = true;

    fn state<F: Formula>() -> usize {
        1 + 2 * Self::sums::<F>()
    }
    fn state_indices<F: Formula>() -> usize {
        0
    }
    fn values<F: Formula>() -> usize {
        if RESULT == Result::Raw as u8 { 1 + Self::sums::<F>() } else { F::ACC }
    }
    fn indices<F: Formula>() -> usize {
        0
    }
    fn start<F: Formula>(k: usize) -> f64 {
        if k == 0 { f64::NEG_INFINITY } else { 0.0 }
    }

    #[inline(always)]
    fn merge<F: Formula, T: Scalar>(into: State<'_, T>, from: State<'_, T>) {
        let lane = |v: T| T::Lane::splat(v);
        let (a, b) = (into.values[0], from.values[0]);
        let m = if b > a { b } else { a };
        let factor = |old: T| (shift(lane(old)) - shift(lane(m))).exp2();
        let (fa, fb) = (factor(a), factor(b));
        let n = Self::sums::<F>();
        let (sums, carries) = into.values[1..].split_at_mut(n);
        let scaled = |v: T, f: T::Lane| super::accumulate::lower(lane(v) * f);
        for c in 0..n {
            (sums[c], carries[c]) = (scaled(sums[c], fa), scaled(carries[c], fa));
            merge(&mut sums[c], &mut carries[c], scaled(from.values[1 + c], fb), scaled(from.values[1 + n + c], fb));
        }
        into.values[0] = m;
    }

    #[inline(always)]
    fn finish<F: Formula, T: Scalar>(state: State<'_, T>, values: &mut [T], _: &mut [u64]) {
        let (m, n) = (state.values[0], Self::sums::<F>());
        let sum = |c: usize| total(state.values[1 + c], state.values[1 + n + c]).to_f64();
        // Once per row, so in f64: with log₂e as the lanes rounded it, the shift is taken back exactly.
        let log2e = T::from_f64(core::f64::consts::LOG2_E).to_f64();
        let shift = super::accumulate::lower(shift(T::Lane::splat(m))).to_f64();
        let unit = Self::unit::<F>();
        if RESULT == Result::Log as u8 {
            for (c, v) in values.iter_mut().enumerate() {
                *v = T::from_f64((shift + sum(c).log2()) / log2e);
            }
        } else if RESULT == Result::Quotient as u8 {
            for (c, v) in values.iter_mut().enumerate() {
                // No term, or none above −∞: the empty mean is defined as 0.
                *v = T::from_f64(if sum(0) == 0.0 { 0.0 } else { sum(unit + c) / sum(0) });
            }
        } else {
            values[0] = m;
            let back = if m.to_f64().is_finite() { (shift - m.to_f64() * log2e).exp2() } else { 1.0 };
            for (c, v) in values[1..].iter_mut().enumerate() {
                *v = T::from_f64(sum(c) * back);
            }
        }
    }

    #[allow(private_bounds, private_interfaces)]
    #[inline(always)]
    fn tile<F: Formula, L: Real, V: Pairs<F, L>, const NR: usize>(pairs: &[V; NR], state: Block<L::Scalar, NR>) {
        let (log2e, _) = base2::<L>();
        for (r, p) in pairs.iter().enumerate() {
            let old: L = state.get(0, r);
            let (mut m, mut offset) = (old, shift(old));
            let mut unit = L::lit(0.0);
            let mut acc = F::Acc::<L>::splat(L::lit(0.0));
            let mut group = |values: &[F::Pair<L>], first: usize| {
                let mut top = m;
                for v in values {
                    top = v.as_slice()[0].max_or(top);
                }
                if m.lt(top).any() {
                    let before = offset;
                    m = top;
                    offset = shift(m);
                    let factor = (before - offset).exp2();
                    unit = unit * factor;
                    for a in acc.as_mut_slice() {
                        *a = *a * factor;
                    }
                }
                for (u, v) in values.iter().enumerate() {
                    let e = v.as_slice()[0].fma(log2e, -offset).exp2();
                    if !weighted::<F>() {
                        let a = acc.as_mut_slice();
                        a[0] = a[0] + e;
                        continue;
                    }
                    if UNIT {
                        unit = unit + e;
                    }
                    for (c, a) in acc.as_mut_slice().iter_mut().enumerate() {
                        *a = e.fma(Self::weight::<F, L, V>(p, first + u, v, c), *a);
                    }
                }
            };
            let steps = p.steps();
            let mut j = 0;
            while j + GROUP <= steps {
                let mut values = [F::Pair::<L>::splat(L::lit(0.0)); GROUP];
                for (u, v) in values.iter_mut().enumerate() {
                    *v = p.values(j + u);
                }
                group(&values, j);
                j += GROUP;
            }
            while j < steps {
                group(&[p.values(j)], j);
                j += 1;
            }
            Self::rescale::<F, L, NR>(state, r, (shift(old) - offset).exp2());
            state.set(0, r, m);
            let first = Self::unit::<F>();
            if first == 1 {
                Self::add::<F, L, NR>(state, 0, r, unit);
            }
            for c in 0..F::ACC {
                Self::add::<F, L, NR>(state, first + c, r, acc.as_slice()[c]);
            }
        }
    }

    #[allow(private_bounds, private_interfaces)]
    #[inline(always)]
    fn buffered<F: Formula, L: Real, Y: Columns<L>, const NR: usize>(
        pairs: &[Buffered<F, L::Scalar, Y>; NR],
        state: Block<L::Scalar, NR>,
        accumulator: Accumulator,
    ) {
        let steps = Pairs::<F, L>::steps(&pairs[0]);
        // The exponents are replaced by e^{F−m} in the buffer; what follows is a sum.
        for (r, p) in pairs.iter().enumerate() {
            let old: L = state.get(0, r);
            let mut m = old;
            for j in 0..steps {
                m = p.first::<L>(j).max_or(m);
            }
            let offset = shift(m);
            for j in 0..steps {
                p.replace(j, p.first::<L>(j).fma(base2::<L>().0, -offset).exp2());
            }
            Self::rescale::<F, L, NR>(state, r, (shift(old) - offset).exp2());
            state.set(0, r, m);
        }
        let first = Self::unit::<F>();
        match accumulator {
            Accumulator::Block if F::OUTER.len >= MATRIX_FROM => {
                if first == 1 {
                    for (r, p) in pairs.iter().enumerate() {
                        let mut sum = L::lit(0.0);
                        for j in 0..steps {
                            sum = sum + p.first::<L>(j);
                        }
                        Self::add::<F, L, NR>(state, 0, r, sum);
                    }
                }
                multiply::<F, L, Y, NR>(pairs, |c, r, v| Self::add::<F, L, NR>(state, first + c, r, v));
            }
            _ => {
                for (r, p) in pairs.iter().enumerate() {
                    let mut wide = F::Acc::<[f64; 16]>::splat([0.0; 16]);
                    let mut wide_unit = [0.0; 16];
                    let mut block = F::Acc::<(L, L)>::splat((L::lit(0.0), L::lit(0.0)));
                    let mut block_unit = (L::lit(0.0), L::lit(0.0));
                    let mut put = |wide: &mut [f64; 16], block: &mut (L, L), v: L| match accumulator {
                        Accumulator::Block => block.0 = block.0 + v,
                        Accumulator::Kahan => {
                            let (s, e) = two_sum(block.0, v);
                            *block = (s, block.1 + e);
                        }
                        Accumulator::F64 => widen(wide, v),
                    };
                    for j in 0..steps {
                        let v = Pairs::<F, L>::values(p, j);
                        let e = v.as_slice()[0];
                        if first == 1 {
                            put(&mut wide_unit, &mut block_unit, e);
                        }
                        for c in 0..F::ACC {
                            let term = if weighted::<F>() { e * Self::weight::<F, L, _>(p, j, &v, c) } else { e };
                            put(&mut wide.as_mut_slice()[c], &mut block.as_mut_slice()[c], term);
                        }
                    }
                    let mut flush = |c: usize, wide: &[f64; 16], block: (L, L)| {
                        let (high, low) = if accumulator == Accumulator::F64 { split::<L>(wide) } else { block };
                        Self::add::<F, L, NR>(state, c, r, high);
                        let carry = 1 + Self::sums::<F>() + c;
                        state.set(carry, r, state.get::<L>(carry, r) + low);
                    };
                    if first == 1 {
                        flush(0, &wide_unit, block_unit);
                    }
                    for c in 0..F::ACC {
                        flush(first + c, &wide.as_slice()[c], block.as_slice()[c]);
                    }
                }
            }
        }
    }
}
