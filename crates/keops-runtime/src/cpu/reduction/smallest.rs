//! `KMin`, `ArgKMin`, `KMin_ArgKMin`: the K smallest values of each component, in increasing order, and where they are.
//!
//! The state is a sorted list per row and component. A column is compared with the last entry only; when some lane beats
//! it, the value is inserted in all lanes at once, each lane at its own place. Equal values keep the order of their
//! indices, and a NaN is never inserted. Entries that are not there yet are +∞ with an index of [`NONE`](super::NONE): everything but
//! NaN is inserted before them.

use super::{Block, Reduction, State, open};
use crate::cpu::pairs::Pairs;
use keops_core::{Formula, Int, Mask, Real, Scalar, Values};

/// K smallest values per component; which results it delivers is part of the type.
#[derive(Debug, Clone, Copy)]
pub struct Smallest<const K: usize, const VALUES: bool, const INDICES: bool>;

/// `KMin_Reduction`.
pub type KMin<const K: usize> = Smallest<K, true, false>;
/// `ArgKMin_Reduction`.
pub type ArgKMin<const K: usize> = Smallest<K, false, true>;
/// `KMin_ArgKMin_Reduction`.
pub type KMinArgKMin<const K: usize> = Smallest<K, true, true>;

impl<const K: usize, const VALUES: bool, const INDICES: bool> Reduction for Smallest<K, VALUES, INDICES> {
    const NAME: &'static str = match (VALUES, INDICES) {
        (true, false) => "KMin",
        (false, _) => "ArgKMin",
        (true, true) => "KMin_ArgKMin",
    };
    const K: usize = {
        assert!(K > 0, "a reduction to the K smallest values needs K of at least 1");
        K
    };

    fn state<F: Formula>() -> usize {
        K * F::DIM + Self::state_indices::<F>()
    }
    fn state_indices<F: Formula>() -> usize {
        if INDICES { K * F::DIM } else { 0 }
    }
    fn values<F: Formula>() -> usize {
        if VALUES { K * F::DIM } else { 0 }
    }
    fn indices<F: Formula>() -> usize {
        Self::state_indices::<F>()
    }
    fn start<F: Formula>(_: usize) -> f64 {
        f64::INFINITY
    }
    #[inline(always)]
    fn merge<F: Formula, T: Scalar>(into: State<'_, T>, from: State<'_, T>) {
        for d in 0..F::DIM {
            for k in 0..K {
                let (mut v, mut i) =
                    (from.values[k * F::DIM + d], if INDICES { from.indices[k * F::DIM + d] } else { 0 });
                let mut inserted = false;
                for q in 0..K {
                    let p = q * F::DIM + d;
                    // Columns in lanes merge out of order: on a tie the smaller index comes first.
                    inserted |= v < into.values[p] || (INDICES && v == into.values[p] && i < into.indices[p]);
                    if inserted {
                        core::mem::swap(&mut v, &mut into.values[p]);
                        if INDICES {
                            core::mem::swap(&mut i, &mut into.indices[p]);
                        }
                    }
                }
                if !inserted {
                    break;
                }
            }
        }
    }
    #[inline(always)]
    fn finish<F: Formula, T: Scalar>(state: State<'_, T>, values: &mut [T], indices: &mut [u64]) {
        if VALUES {
            values.copy_from_slice(&state.values[..K * F::DIM]);
        }
        if INDICES {
            indices.copy_from_slice(&state.indices[..K * F::DIM]);
        }
    }

    #[allow(private_bounds, private_interfaces)]
    #[inline(always)]
    fn tile<F: Formula, L: Real, V: Pairs<F, L>, const NR: usize>(pairs: &[V; NR], state: Block<L::Scalar, NR>) {
        if K * F::DIM > LONGEST_LIST {
            return in_place::<F, L, V, K, INDICES, NR>(pairs, state);
        }
        for r in 0..NR {
            let mut list = List::<F, L, K>::load::<INDICES, NR>(state, r);
            let mut first = 0;
            if INDICES {
                // Lists that are not full yet take everything but NaN.
                while first < pairs[r].steps() && list.is_open() {
                    let v = pairs[r].values(first);
                    for d in 0..F::DIM {
                        list.insert::<INDICES, true>(d, v.as_slice()[d], pairs[r].index(first));
                    }
                    first += 1;
                }
            }
            for j in first..pairs[r].steps() {
                let v = pairs[r].values(j);
                for d in 0..F::DIM {
                    let v = v.as_slice()[d];
                    if v.lt(list.values[K - 1].as_slice()[d]).any() {
                        list.insert::<INDICES, false>(d, v, pairs[r].index(j));
                    }
                }
            }
            list.store::<INDICES, NR>(state, r);
        }
    }
}

/// Entries of the lists that are copied out of the state while a tile passes. Longer ones would not fit the stack.
const LONGEST_LIST: usize = 64;

/// Takes in a tile where lists are long: entries stay in the state, and only those that move are touched.
#[inline(always)]
fn in_place<F: Formula, L: Real, V: Pairs<F, L>, const K: usize, const INDICES: bool, const NR: usize>(
    pairs: &[V; NR],
    state: Block<L::Scalar, NR>,
) {
    for r in 0..NR {
        for j in 0..pairs[r].steps() {
            let values = pairs[r].values(j);
            for d in 0..F::DIM {
                let (v, index) = (values.as_slice()[d], pairs[r].index(j));
                let place = |k: usize| k * F::DIM + d;
                // Does entry k make room for `v`? One that is not there yet does for everything but NaN.
                let room = |k: usize| {
                    let moves = v.lt(state.get(place(k), r));
                    if !INDICES {
                        return moves;
                    }
                    moves | (open::<L>(state.get::<L>(place(K + k), r).to_bits()) & v.eq(v))
                };
                let mut moves = room(K - 1);
                for k in (0..K).rev() {
                    if !moves.any() {
                        break;
                    }
                    let old: L = state.get(place(k), r);
                    // In a lane where the entry before this one moves too, it comes here; otherwise `v` does.
                    let before = if k > 0 { state.get(place(k - 1), r) } else { v };
                    let comes = if k > 0 { room(k - 1) } else { v.lt(v) };
                    state.set(place(k), r, L::select(moves, L::select(comes, before, v), old));
                    if INDICES {
                        let place = |k: usize| (K + k) * F::DIM + d;
                        let old = state.get::<L>(place(k), r).to_bits();
                        let before = if k > 0 { state.get::<L>(place(k - 1), r).to_bits() } else { index };
                        let new = L::select_int(comes, before, index);
                        state.set(place(k), r, L::from_bits(L::select_int(moves, new, old)));
                    }
                    moves = comes;
                }
            }
        }
    }
}

/// The lists of one register of rows while a tile passes: for small K, registers.
struct List<F: Formula, L: Real, const K: usize> {
    values: [F::Pair<L>; K],
    indices: [F::Pair<L::Int>; K],
}

impl<F: Formula, L: Real, const K: usize> List<F, L, K> {
    #[inline(always)]
    fn load<const INDICES: bool, const NR: usize>(state: Block<L::Scalar, NR>, r: usize) -> Self {
        let mut list = List::<F, L, K> {
            values: [F::Pair::<L>::splat(L::lit(0.0)); K],
            indices: [F::Pair::<L::Int>::splat(L::Int::splat(0)); K],
        };
        for k in 0..K {
            for d in 0..F::DIM {
                list.values[k].as_mut_slice()[d] = state.get(k * F::DIM + d, r);
                if INDICES {
                    list.indices[k].as_mut_slice()[d] = state.get::<L>((K + k) * F::DIM + d, r).to_bits();
                }
            }
        }
        list
    }

    #[inline(always)]
    fn store<const INDICES: bool, const NR: usize>(&self, state: Block<L::Scalar, NR>, r: usize) {
        for k in 0..K {
            for d in 0..F::DIM {
                state.set(k * F::DIM + d, r, self.values[k].as_slice()[d]);
                if INDICES {
                    state.set((K + k) * F::DIM + d, r, L::from_bits(self.indices[k].as_slice()[d]));
                }
            }
        }
    }

    /// Is some list not full yet?
    #[inline(always)]
    fn is_open(&self) -> bool {
        self.indices[K - 1].as_slice().iter().any(|&i| open::<L>(i).any())
    }

    /// Inserts `v` into the list of component `d`, in every lane where it belongs. `OPEN`: lists may not be full yet.
    ///
    /// The list is sorted, so "`v` is less than entry k" says by itself whether entry k moves on: no step waits for
    /// another.
    #[inline(always)]
    fn insert<const INDICES: bool, const OPEN: bool>(&mut self, d: usize, v: L, i: L::Int) {
        // What entry k becomes if it moves on: the entry before it if that moves on too, `v` otherwise.
        let (mut before, mut before_index) = (v, i);
        for k in 0..K {
            let old = &mut self.values[k].as_mut_slice()[d];
            let mut moves = v.lt(*old);
            if OPEN {
                moves = moves | (open::<L>(self.indices[k].as_slice()[d]) & v.eq(v));
            }
            let next = L::select(moves, *old, v);
            *old = L::select(moves, before, *old);
            before = next;
            if INDICES {
                let old = &mut self.indices[k].as_mut_slice()[d];
                let next = L::select_int(moves, *old, i);
                *old = L::select_int(moves, before_index, *old);
                before_index = next;
            }
        }
    }
}
