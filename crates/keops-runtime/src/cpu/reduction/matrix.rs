//! Σ_j p_j v_j with p_j a scalar of the pair and v_j a vector of the column: a matrix product.
//!
//! The buffered scalars of a tile are one factor, the staged column vectors the other. Eight sums per register of rows
//! (four where registers are few) stay in registers while the columns of the tile pass.

use crate::cpu::pairs::{Buffered, Columns, Pairs, register_file};
use keops_core::{Formula, Real};

/// From this length of the vector on the buffered product is used.
pub(in crate::cpu) const MATRIX_FROM: usize = 5;

/// Calls `put(component, register, Σ_j p_j v_j[component])` for the tile.
#[inline(always)]
pub(super) fn multiply<F: Formula, L: Real, Y: Columns<L>, const NR: usize>(
    pairs: &[Buffered<F, L::Scalar, Y>; NR],
    mut put: impl FnMut(usize, usize, L),
) {
    let mut e = 0;
    if const { register_file::<L>() >= 32 } {
        while e + 8 <= F::OUTER.len {
            strip::<F, L, Y, NR, 8>(pairs, e, &mut put);
            e += 8;
        }
    }
    while e + 4 <= F::OUTER.len {
        strip::<F, L, Y, NR, 4>(pairs, e, &mut put);
        e += 4;
    }
    while e < F::OUTER.len {
        strip::<F, L, Y, NR, 1>(pairs, e, &mut put);
        e += 1;
    }
}

#[inline(always)]
fn strip<F: Formula, L: Real, Y: Columns<L>, const NR: usize, const W: usize>(
    pairs: &[Buffered<F, L::Scalar, Y>; NR],
    first: usize,
    put: &mut impl FnMut(usize, usize, L),
) {
    let mut acc = [[L::lit(0.0); W]; NR];
    for j in 0..Pairs::<F, L>::steps(&pairs[0]) {
        let mut p = [L::lit(0.0); NR];
        for r in 0..NR {
            p[r] = pairs[r].first(j);
        }
        for w in 0..W {
            let v = Pairs::<F, L>::outer(&pairs[0], j, first + w);
            for r in 0..NR {
                acc[r][w] = p[r].fma(v, acc[r][w]);
            }
        }
    }
    for r in 0..NR {
        for w in 0..W {
            put(first + w, r, acc[r][w]);
        }
    }
}
