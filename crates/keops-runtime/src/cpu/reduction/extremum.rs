//! `Min`, `Max`, `ArgMin`, `ArgMax`, `Min_ArgMin`, `Max_ArgMax`: the extreme value of each component and where it is.
//!
//! The first index wins ties and a NaN never wins: a value replaces the present one only if it is strictly better, or if there is
//! none yet.

use super::{Block, NONE, Reduction, State, open};
use crate::cpu::pairs::Pairs;
use keops_core::{Formula, Int, Mask, Real, Scalar, Values};

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

impl<const MAX: bool, const VALUES: bool, const INDICES: bool> Reduction for Extremum<MAX, VALUES, INDICES> {
    const NAME: &'static str = match (MAX, VALUES, INDICES) {
        (false, true, false) => "Min",
        (true, true, false) => "Max",
        (false, false, _) => "ArgMin",
        (true, false, _) => "ArgMax",
        (false, true, true) => "Min_ArgMin",
        (true, true, true) => "Max_ArgMax",
    };

    fn state<F: Formula>() -> usize {
        F::DIM + Self::state_indices::<F>()
    }
    fn state_indices<F: Formula>() -> usize {
        if INDICES { F::DIM } else { 0 }
    }
    fn values<F: Formula>() -> usize {
        if VALUES { F::DIM } else { 0 }
    }
    fn indices<F: Formula>() -> usize {
        Self::state_indices::<F>()
    }
    fn start<F: Formula>(_: usize) -> f64 {
        if MAX { f64::NEG_INFINITY } else { f64::INFINITY }
    }
    #[inline(always)]
    fn merge<F: Formula, T: Scalar>(into: State<'_, T>, from: State<'_, T>) {
        for e in 0..F::DIM {
            let (a, b) = (into.values[e], from.values[e]);
            let better = if MAX { b > a } else { b < a };
            // Columns in lanes merge out of order: on a tie the smaller index must win.
            let earlier = INDICES && a == b && from.indices[e] < into.indices[e];
            if better || earlier {
                into.values[e] = b;
                if INDICES {
                    into.indices[e] = from.indices[e];
                }
            }
        }
    }
    #[inline(always)]
    fn finish<F: Formula, T: Scalar>(state: State<'_, T>, values: &mut [T], indices: &mut [u64]) {
        if VALUES {
            values.copy_from_slice(&state.values[..F::DIM]);
        }
        if INDICES {
            indices.copy_from_slice(&state.indices[..F::DIM]);
        }
    }

    #[allow(private_bounds, private_interfaces)]
    #[inline(always)]
    fn tile<F: Formula, L: Real, V: Pairs<F, L>, const NR: usize>(pairs: &[V; NR], state: Block<L::Scalar, NR>) {
        let mut best = [F::Pair::<L>::splat(L::lit(0.0)); NR];
        let mut at = [F::Pair::<L::Int>::splat(L::Int::splat(NONE as i64)); NR];
        for r in 0..NR {
            for e in 0..F::DIM {
                best[r].as_mut_slice()[e] = state.get(e, r);
                if INDICES {
                    at[r].as_mut_slice()[e] = state.get::<L>(F::DIM + e, r).to_bits();
                }
            }
        }
        let mut first = 0;
        if INDICES {
            // The first value that is not NaN has its index, also if it is infinite and no better than the start.
            let is_open =
                |at: &[F::Pair<L::Int>; NR]| at.iter().any(|at| at.as_slice().iter().any(|&i| open::<L>(i).any()));
            while first < pairs[0].steps() && is_open(&at) {
                let index = pairs[0].index(first);
                for r in 0..NR {
                    let v = pairs[r].values(first);
                    let (best, at) = (best[r].as_mut_slice(), at[r].as_mut_slice());
                    for e in 0..F::DIM {
                        let v = v.as_slice()[e];
                        let better = if MAX { best[e].lt(v) } else { v.lt(best[e]) } | (open::<L>(at[e]) & v.eq(v));
                        best[e] = L::select(better, v, best[e]);
                        at[e] = L::select_int(better, index, at[e]);
                    }
                }
                first += 1;
            }
        }
        for j in first..pairs[0].steps() {
            let index = pairs[0].index(j);
            for r in 0..NR {
                let v = pairs[r].values(j);
                let (best, at) = (best[r].as_mut_slice(), at[r].as_mut_slice());
                for e in 0..F::DIM {
                    let v = v.as_slice()[e];
                    if INDICES {
                        let better = if MAX { best[e].lt(v) } else { v.lt(best[e]) };
                        best[e] = L::select(better, v, best[e]);
                        at[e] = L::select_int(better, index, at[e]);
                    } else {
                        best[e] = if MAX { v.max_or(best[e]) } else { v.min_or(best[e]) };
                    }
                }
            }
        }
        for r in 0..NR {
            for e in 0..F::DIM {
                state.set(e, r, best[r].as_slice()[e]);
                if INDICES {
                    state.set(F::DIM + e, r, L::from_bits(at[r].as_slice()[e]));
                }
            }
        }
    }
}
