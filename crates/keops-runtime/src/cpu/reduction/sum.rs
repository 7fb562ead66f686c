//! `Sum`: Σ over columns.
//!
//! The default scheme adds the terms of a tile in the type of the data and the sums of the tiles with compensation, so
//! that the error grows with the length of a tile, not with the number of columns. `Kahan` compensates every addition
//! (Neumaier's variant, whose carry is added when states merge), `F64` adds in `f64`.

use super::accumulate::{add, merge, total};
use super::matrix::{MATRIX_FROM, multiply};
use super::{Block, Reduction, State};
use crate::cpu::pairs::{Buffered, Columns, Pairs, Tiling};
use crate::options::Accumulator;
use core::marker::PhantomData;
use keops_core::lanes::Twin;
use keops_core::{Formula, Real, Scalar, Sink, Staged, Values};

/// `Sum_Reduction`.
#[derive(Debug, Clone, Copy)]
pub struct Sum;

impl Reduction for Sum {
    const NAME: &'static str = "Sum";
    const LINEAR: bool = true;
    const ACCUMULATES: bool = true;

    fn state<F: Formula>() -> usize {
        2 * F::ACC
    }
    fn state_indices<F: Formula>() -> usize {
        0
    }
    fn values<F: Formula>() -> usize {
        F::OUT
    }
    fn indices<F: Formula>() -> usize {
        0
    }
    fn start<F: Formula>(_: usize) -> f64 {
        0.0
    }
    #[inline(always)]
    fn merge<F: Formula, T: Scalar>(into: State<'_, T>, from: State<'_, T>) {
        let (sums, carries) = into.values.split_at_mut(F::ACC);
        for e in 0..F::ACC {
            merge(&mut sums[e], &mut carries[e], from.values[e], from.values[F::ACC + e]);
        }
    }
    #[inline(always)]
    fn finish<F: Formula, T: Scalar>(state: State<'_, T>, values: &mut [T], _: &mut [u64]) {
        for e in 0..F::ACC {
            values[e] = total(state.values[e], state.values[F::ACC + e]);
        }
    }

    #[allow(private_bounds, private_interfaces)]
    #[inline(always)]
    fn tile<F: Formula, L: Real, V: Pairs<F, L>, const NR: usize>(pairs: &[V; NR], state: Block<L::Scalar, NR>) {
        let mut acc = [F::Acc::<L>::splat(L::lit(0.0)); NR];
        for j in 0..pairs[0].steps() {
            for r in 0..NR {
                pairs[r].deliver(
                    j,
                    &mut Accumulate { acc: &mut acc[r], pairs: &pairs[r], step: j, formula: PhantomData::<F> },
                );
            }
        }
        for r in 0..NR {
            for e in 0..F::ACC {
                add(state, e, F::ACC + e, r, acc[r].as_slice()[e]);
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
        match accumulator {
            Accumulator::Block if F::OUTER.len >= MATRIX_FROM => {
                multiply::<F, L, Y, NR>(pairs, |e, r, v| add(state, e, F::ACC + e, r, v));
            }
            Accumulator::Block => Self::tile(pairs, state),
            Accumulator::Kahan => each_term(pairs, |r, e, v| add(state, e, F::ACC + e, r, v)),
            Accumulator::F64 => {
                let mut acc = [F::Acc::<[f64; 16]>::splat([0.0; 16]); NR];
                each_term::<F, L, Y, NR>(pairs, |r, e, v| widen(&mut acc[r].as_mut_slice()[e], v));
                for r in 0..NR {
                    for e in 0..F::ACC {
                        let (high, low) = split::<L>(&acc[r].as_slice()[e]);
                        add(state, e, F::ACC + e, r, high);
                        state.set(F::ACC + e, r, state.get::<L>(F::ACC + e, r) + low);
                    }
                }
            }
        }
    }
}

/// Calls `f(register, component, term)` for every term of a buffered tile.
#[inline(always)]
pub(super) fn each_term<F: Formula, L: Real, Y: Columns<L>, const NR: usize>(
    pairs: &[Buffered<F, L::Scalar, Y>; NR],
    mut f: impl FnMut(usize, usize, L),
) {
    for j in 0..Pairs::<F, L>::steps(&pairs[0]) {
        for (r, p) in pairs.iter().enumerate() {
            let v = Pairs::<F, L>::values(p, j);
            if F::OUTER.len > 0 {
                for e in 0..F::OUTER.len {
                    f(r, e, v.as_slice()[0] * Pairs::<F, L>::outer(p, j, e));
                }
            } else {
                for e in 0..F::DIM {
                    f(r, e, v.as_slice()[e]);
                }
            }
        }
    }
}

/// Adds the lanes of `v` to `acc` in `f64`.
#[inline(always)]
pub(super) fn widen<L: Real>(acc: &mut [f64; 16], v: L) {
    let mut lanes = [L::Scalar::default(); 16];
    // SAFETY: no register has more than 16 lanes.
    unsafe { v.store(lanes.as_mut_ptr()) };
    for l in 0..L::LANES {
        acc[l] += lanes[l].to_f64();
    }
}

/// `f64` lanes as a leading and a remaining part of the lane type.
#[inline(always)]
pub(super) fn split<L: Real>(acc: &[f64; 16]) -> (L, L) {
    let (mut high, mut low) = ([L::Scalar::default(); 16], [L::Scalar::default(); 16]);
    for l in 0..L::LANES {
        high[l] = L::Scalar::from_f64(acc[l]);
        let rest = acc[l] - high[l].to_f64();
        low[l] = L::Scalar::from_f64(if rest.is_finite() { rest } else { 0.0 });
    }
    // SAFETY: no register has more than 16 lanes.
    unsafe { (L::load(high.as_ptr()), L::load(low.as_ptr())) }
}

/// Adds what a pair delivers, with the product fused into the addition.
struct Accumulate<'a, A, V, F> {
    acc: &'a mut A,
    pairs: &'a V,
    step: usize,
    formula: PhantomData<F>,
}

impl<F: Formula, L: Real, A: Values<L>, V: Pairs<F, L>> Sink<L> for Accumulate<'_, A, V, F> {
    #[inline(always)]
    fn put(&mut self, e: usize, v: L) {
        let acc = self.acc.as_mut_slice();
        if F::OUTER.len > 0 {
            for (k, a) in acc.iter_mut().enumerate() {
                *a = v.fma(self.pairs.outer(self.step, k), *a);
            }
        } else {
            // SAFETY: formulas deliver values `0..DIM` only.
            let a = unsafe { acc.get_unchecked_mut(e) };
            *a = *a + v;
        }
    }
    #[inline(always)]
    fn put_product(&mut self, e: usize, a: L, b: L) {
        if F::OUTER.len > 0 {
            self.put(e, a * b);
        } else {
            // SAFETY: as above.
            let c = unsafe { self.acc.as_mut_slice().get_unchecked_mut(e) };
            *c = a.fma(b, *c);
        }
    }
}

/// Adds the columns of a tile to sums in memory: for wide vectors of pair values, whose sums do not fit in registers, so
/// that a sum is read and written once per tile.
pub(in crate::cpu) struct AccumulateTile<L: Real, C> {
    /// Value `e` of both registers of rows lies at `e · 2 · LANES`.
    pub(in crate::cpu) base: *mut L::Scalar,
    /// The tile.
    pub(in crate::cpu) of: PhantomData<C>,
}

impl<L: Real, C: Tiling<L>> Sink<C::Tile> for AccumulateTile<L, C> {
    #[inline(always)]
    fn put(&mut self, e: usize, v: C::Tile) {
        // SAFETY: the scheme made room for all sums.
        unsafe {
            let at = self.base.add(e * 2 * L::LANES);
            let mut sum = Twin::<L>::load(at);
            C::each(v, |_, v| sum = sum + v);
            sum.store(at);
        }
    }
    #[inline(always)]
    fn put_product(&mut self, e: usize, a: C::Tile, b: C::Tile) {
        // SAFETY: as above.
        unsafe {
            let at = self.base.add(e * 2 * L::LANES);
            let mut sum = Twin::<L>::load(at);
            let mut factors = [sum; 4];
            C::each(b, |c, v| factors[c] = v);
            C::each(a, |c, v| sum = v.fma(factors[c], sum));
            sum.store(at);
        }
    }
}

/// The same for one column and one register, `2 · LANES` apart.
pub(in crate::cpu) struct AccumulateOne<T> {
    /// First sum of this register.
    pub(in crate::cpu) base: *mut T,
}

impl<T: Scalar, L: Real<Scalar = T>> Sink<L> for AccumulateOne<T> {
    #[inline(always)]
    fn put(&mut self, e: usize, v: L) {
        // SAFETY: the scheme made room for all sums.
        unsafe {
            let at = self.base.add(e * 2 * L::LANES);
            (L::load(at) + v).store(at);
        }
    }
}

/// The values of the sums of register `r`, each as [`total`] gives it for one row.
pub(in crate::cpu) struct Totals<F, T, const NR: usize> {
    pub(in crate::cpu) state: Block<T, NR>,
    pub(in crate::cpu) r: usize,
    pub(in crate::cpu) formula: PhantomData<F>,
}

impl<F: Formula, L: Real, const NR: usize> Staged<L> for Totals<F, L::Scalar, NR> {
    #[inline(always)]
    fn at(&self, e: usize) -> L {
        let (sum, carry): (L, L) = (self.state.get(e, self.r), self.state.get(F::ACC + e, self.r));
        let zero = L::lit(0.0);
        // Not so where the sum is infinite or NaN: its error means nothing then.
        L::select((sum * zero).eq(zero), sum + carry, sum)
    }
}

/// Adds the sums of a tile, laid out as in [`AccumulateTile`], to the state.
#[inline(always)]
pub(in crate::cpu) fn flush<F: Formula, L: Real, const NR: usize>(sums: *const L::Scalar, state: Block<L::Scalar, NR>) {
    for e in 0..F::ACC {
        for r in 0..NR {
            // SAFETY: the scheme made room for all sums.
            add(state, e, F::ACC + e, r, unsafe { L::load(sums.add((e * NR + r) * L::LANES)) });
        }
    }
}
