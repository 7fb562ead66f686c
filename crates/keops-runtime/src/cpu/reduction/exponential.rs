//! The exponential reductions: `LogSumExp`, `SumSoftMaxWeight` and the raw sums both are made of.
//!
//! With a running maximum m of the exponents, the sums s_c = Σ w_c e^{F−m} are kept; when m grows they are scaled down
//! (Milakov & Gimelshein, *Online normalizer calculation for softmax*, 2018). The maximum is looked at once per group of
//! eight columns.
//!
//! m starts from −∞ and is clamped to finite numbers where it is subtracted, hence terms −∞ contribute exactly 0, no
//! or only such terms give −∞, a term +∞ gives +∞, and a NaN gives NaN.

use super::accumulate::{add, merge, total, two_sum};
use super::matrix::{MATRIX_FROM, multiply};
use super::sum::{split, widen};
use super::{Block, Reduction, State};
use crate::cpu::pairs::{Buffered, Columns, Pairs};
use crate::options::Accumulator;
use keops_core::lanes::F64x1;
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
pub(crate) type SoftMaxRaw = Exponential<{ Result::Raw as u8 }, true>;

/// Are weights given?
const fn weighted<F: Formula>() -> bool {
    F::OUTER.len > 0 || F::DIM > 1
}

/// The number that is subtracted for the running maximum m.
#[inline(always)]
fn finite<L: Real>(m: L) -> L {
    let limit = L::lit(if L::Scalar::BITS == 32 { f64::from(f32::MAX) } else { f64::MAX });
    limit.min_or((-limit).max_or(m))
}

/// e^(f − m).
#[inline(always)]
fn exp_of_difference<L: Real>(f: L, m: L) -> L {
    (f - m).exp2_mul(L::lit(core::f64::consts::LOG2_E))
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
}

/// Weight `c` of step `j`.
#[inline(always)]
fn weight<F: Formula, L: Real, V: Pairs<F, L>>(pairs: &V, j: usize, values: &F::Pair<L>, c: usize) -> L {
    if F::OUTER.len > 0 { pairs.outer(j, c) } else { values.as_slice()[1 + c] }
}

/// Sums of one register of rows within a tile.
struct Running<F: Formula, L: Real> {
    m: L,
    /// [`finite`] of `m`.
    offset: L,
    unit: L,
    sums: F::Acc<L>,
}

impl<F: Formula, L: Real> Running<F, L> {
    /// Takes in the `N` columns from `first` on.
    #[inline(always)]
    fn take<V: Pairs<F, L>, const UNIT: bool, const N: usize>(
        &mut self,
        pairs: &V,
        first: usize,
        values: &[F::Pair<L>; N],
    ) {
        let mut top = self.m;
        for u in 0..N {
            top = values[u].as_slice()[0].max_or(top);
        }
        if self.m.lt(top).any() {
            let before = self.offset;
            self.m = top;
            self.offset = finite(top);
            let factor = exp_of_difference(before, self.offset);
            self.unit = self.unit * factor;
            for c in 0..F::ACC {
                let sum = &mut self.sums.as_mut_slice()[c];
                *sum = *sum * factor;
            }
        }
        for u in 0..N {
            let e = exp_of_difference(values[u].as_slice()[0], self.offset);
            if UNIT {
                self.unit = self.unit + e;
            }
            for c in 0..F::ACC {
                let sum = &mut self.sums.as_mut_slice()[c];
                *sum = if weighted::<F>() {
                    e.fma(weight::<F, L, V>(pairs, first + u, &values[u], c), *sum)
                } else {
                    *sum + e
                };
            }
        }
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
        let factor = |old: T| exp_of_difference(finite(lane(old)), finite(lane(m)));
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
        let unit = Self::unit::<F>();
        if RESULT == Result::Log as u8 {
            for (c, v) in values.iter_mut().enumerate() {
                *v = T::from_f64(finite(F64x1(m.to_f64())).0 + sum(c).ln());
            }
        } else if RESULT == Result::Quotient as u8 {
            for (c, v) in values.iter_mut().enumerate() {
                // No term, or none above −∞: the empty mean is defined as 0.
                *v = T::from_f64(if sum(0) == 0.0 { 0.0 } else { sum(unit + c) / sum(0) });
            }
        } else {
            values[0] = m;
            for (c, v) in values[1..].iter_mut().enumerate() {
                *v = T::from_f64(sum(c));
            }
        }
    }

    #[allow(private_bounds, private_interfaces)]
    #[inline(always)]
    fn tile<F: Formula, L: Real, V: Pairs<F, L>, const NR: usize>(pairs: &[V; NR], state: Block<L::Scalar, NR>) {
        for (r, p) in pairs.iter().enumerate() {
            let old: L = state.get(0, r);
            let zero = L::lit(0.0);
            let mut run = Running::<F, L> { m: old, offset: finite(old), unit: zero, sums: F::Acc::<L>::splat(zero) };
            let steps = p.steps();
            let mut j = 0;
            while j + GROUP <= steps {
                let mut values = [F::Pair::<L>::splat(zero); GROUP];
                for u in 0..GROUP {
                    values[u] = p.values(j + u);
                }
                run.take::<_, UNIT, GROUP>(p, j, &values);
                j += GROUP;
            }
            while j < steps {
                run.take::<_, UNIT, 1>(p, j, &[p.values(j)]);
                j += 1;
            }
            let Running { m, offset, unit, sums: acc } = run;
            Self::rescale::<F, L, NR>(state, r, exp_of_difference(finite(old), offset));
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
            let offset = finite(m);
            for j in 0..steps {
                p.replace(j, exp_of_difference(p.first::<L>(j), offset));
            }
            Self::rescale::<F, L, NR>(state, r, exp_of_difference(finite(old), offset));
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
                    let put = |wide: &mut [f64; 16], block: &mut (L, L), v: L| match accumulator {
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
                            let term = if weighted::<F>() { e * weight::<F, L, _>(p, j, &v, c) } else { e };
                            put(&mut wide.as_mut_slice()[c], &mut block.as_mut_slice()[c], term);
                        }
                    }
                    let flush = |c: usize, wide: &[f64; 16], block: (L, L)| {
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
