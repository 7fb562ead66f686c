//! SoftDTW_SqDist: the cost of the best alignment of two series, with a soft minimum.
//!
//! With local costs c_ij = (x_i − y_j)² the table r_ij = c_ij + softmin(r_(i−1)(j−1), r_(i−1)j, r_i(j−1)) is filled row by
//! row, where softmin(a) = −γ ln Σ e^(−a/γ) runs over what exists, and is 0 at the first place. Its derivative is a linear
//! recurrence with the weights e^((softmin − a)/γ) ([`Op::Recurrence`](crate::ir::Op::Recurrence)), which has itself a
//! derivative of that kind: so derivatives of any order exist, also by γ, and the code is always a few loops over the table.

use super::scalar::{CHEAP, map};
use super::vector::{one_number, op};
use super::{Dims, Elementwise, Operation};
use crate::ir::{Axes, Dim, Ir, NodeId};
use proc_macro2::TokenStream;
use quote::quote;
use std::rc::Rc;

/// Most entries of a table: each pair has a few tables of that size on the stack.
const MOST: usize = 256;

const DEAR: Elementwise = Elementwise { dear: true, ..CHEAP };

pub(super) static OPERATIONS: &[Operation] = &[
    op(
        "SoftDTW_SqDist",
        "softdtw_sqdist",
        &["x", "y", "g"],
        &[],
        Dims::Custom(|d, _| {
            let n = d[0].known("there is a table of alignments")?;
            let m = d[1].known("there is a table of alignments")?;
            if n.saturating_mul(m) > MOST {
                return Err(format!("the table of alignments of {n} and {m} numbers has more than {MOST} entries"));
            }
            one_number(&d[2]).map(|()| Dim::ONE)
        }),
        "r_(n−1)(m−1) where r_ij = (x_i − y_j)² + softmin(r_(i−1)(j−1), r_(i−1)j, r_i(j−1)), softmin(a) = −g ln Σ e^(−a/g) over what exists, for g > 0",
        |ir, x, _| {
            let n = ir.dim(x[0]).known("there is a table of alignments")?;
            let m = ir.dim(x[1]).known("there is a table of alignments")?;
            let (f, g) = (spread(ir, x[0], [n, m], 0), spread(ir, x[1], [n, m], 1));
            let difference = ir.sub(f, g);
            let costs = ir.square(difference);
            let table = ir.alignment(costs, x[2], m);
            Ok(ir.slice(table, n * m - 1, 1, 1))
        },
    ),
    // softmin of three numbers; those that do not exist are +∞.
    map(
        "SoftLeast",
        "",
        &["a", "b", "c", "g"],
        "",
        Elementwise {
            eval: |x, _| soft_least(&[x[0], x[1], x[2]], x[3]),
            emit: |x, _| {
                let (terms, g) = (terms(x), &x[3]);
                quote!({ #terms least - #g * (ea + eb + ec).ln() })
            },
            partial: |d, at, k, t| {
                let p = if k < 3 { d.ir.map_with("SoftShare", at.x, k as i64) } else { entropy(d.ir, at.x) };
                Some(d.times(t, p))
            },
            ..DEAR
        },
    ),
    // The derivative of SoftLeast by one of its numbers: e^((softmin − a) / g).
    Operation {
        lits: &[super::LiteralKind::Int],
        ..map(
            "SoftShare",
            "",
            &["a", "b", "c", "g"],
            "",
            Elementwise {
                eval: |x, which| {
                    let least = x[0].min(x[1]).min(x[2]);
                    let e = |k: usize| ((least - x[k]) / x[3]).exp();
                    e(which.clamp(0, 2) as usize) / (e(0) + e(1) + e(2))
                },
                emit: |x, which| {
                    let terms = terms(x);
                    let own = [quote!(ea), quote!(eb), quote!(ec)][which.clamp(0, 2) as usize].clone();
                    quote!({ #terms #own / (ea + eb + ec) })
                },
                // By its own number y (y − 1) / g, by another y z / g with its share z, by g: y (Σ z ln z − ln y) / g.
                partial: |d, at, k, t| {
                    let g = at.x[3];
                    let p = if k < 3 {
                        let z = d.ir.map_with("SoftShare", at.x, k as i64);
                        let one = d.ir.constant(1.0);
                        let z = if k as i64 == at.int { d.ir.sub(z, one) } else { z };
                        d.ir.mul(at.y, z)
                    } else {
                        let (own, all) = (x_log_x(d.ir, at.y), entropy(d.ir, at.x));
                        let all = d.ir.mul(at.y, all);
                        d.ir.sub(all, own)
                    };
                    let t = d.times(t, p);
                    Some(d.over(t, g))
                },
                ..DEAR
            },
        )
    },
];

/// −γ ln Σ e^(−a/γ)
pub(crate) fn soft_least(a: &[f64; 3], temperature: f64) -> f64 {
    let least = a[0].min(a[1]).min(a[2]);
    let sum: f64 = a.iter().map(|a| ((least - a) / temperature).exp()).sum();
    least - temperature * sum.ln()
}

/// Places before place `k` of the table: diagonally, above, to the left.
pub(crate) fn before(k: usize, width: usize) -> [Option<usize>; 3] {
    let (above, left) = (k.checked_sub(width), if k.is_multiple_of(width) { None } else { Some(k - 1) });
    [above.filter(|_| left.is_some()).map(|a| a - 1), above, left]
}

/// How far before a place the three are.
pub(crate) fn lags(width: usize) -> Rc<[usize]> {
    [width + 1, width, 1].into()
}

/// The exponentials of three numbers, after subtracting the least.
fn terms(x: &[TokenStream]) -> TokenStream {
    let (a, b, c, g) = (&x[0], &x[1], &x[2], &x[3]);
    quote! {
        let least = #a.min_or(#b).min_or(#c);
        let (ea, eb, ec) = (((least - #a) / #g).exp(), ((least - #b) / #g).exp(), ((least - #c) / #g).exp());
    }
}

/// f ln f, with derivative 0 at 0: shares of what is far from the least are 0 and stay so.
fn x_log_x(ir: &mut Ir, f: NodeId) -> NodeId {
    let (zero, value) = (ir.constant(0.0), ir.map("XLogX", &[f]));
    let vanished = ir.map("Equal", &[f, zero]);
    ir.choose(vanished, zero, value)
}

/// Σ z ln z over the three shares: the derivative of softmin by the temperature.
fn entropy(ir: &mut Ir, x: &[NodeId]) -> NodeId {
    let parts = [0, 1, 2].map(|k| {
        let share = ir.map_with("SoftShare", x, k);
        x_log_x(ir, share)
    });
    let sum = ir.add(parts[0], parts[1]);
    ir.add(sum, parts[2])
}

/// A series along one axis of the table.
fn spread(ir: &mut Ir, f: NodeId, sizes: [usize; 2], axis: usize) -> NodeId {
    let ones = ir.constant_vector(1.0, Dim::Lit(sizes[1 - axis]));
    ir.contract(f, ones, Axes { sizes: sizes.to_vec(), left: vec![axis], right: vec![1 - axis], out: vec![0, 1] })
}

/// What the derivative of a table of alignments is made of.
pub(crate) struct Slopes {
    /// Shares of the three places before each place.
    pub(crate) shares: [NodeId; 3],
    /// Derivative of each softmin by the temperature, its arguments kept.
    pub(crate) by_temperature: NodeId,
}

/// The slopes of the table `r`.
pub(crate) fn slopes(ir: &mut Ir, r: NodeId, temperature: NodeId, width: usize) -> Result<Slopes, String> {
    let n = ir.dim(r).known("there is a table of alignments")?;
    let infinity = ir.constant(f64::INFINITY);
    let numbers = ir.iota(Dim::Lit(n));
    let (zero, w) = (ir.constant(0.0), ir.constant(width as f64));
    // Rows after the first, columns after the first.
    let below = ir.map("LessOrEqual", &[w, numbers]);
    let row = ir.map("FloorDivide", &[numbers, w]);
    let start = ir.mul(w, row);
    let right = ir.map("NotEqual", &[numbers, start]);
    let origin = ir.map("Equal", &[numbers, zero]);
    let [diagonal, above, left] = [width + 1, width, 1].map(|lag| ir.shifted(r, lag, n, false));
    // The first place has nothing before it; a 0 on the diagonal stands for that.
    let inner = ir.choose(right, diagonal, infinity);
    let inner = ir.choose(below, inner, infinity);
    let diagonal = ir.choose(origin, zero, inner);
    let (above, left) = (ir.choose(below, above, infinity), ir.choose(right, left, infinity));
    let x = [diagonal, above, left, temperature];
    let shares = [0, 1, 2].map(|k| ir.map_with("SoftShare", &x, k));
    Ok(Slopes { shares, by_temperature: entropy(ir, &x) })
}

#[cfg(test)]
mod tests {
    use crate::eval::{Inputs, eval};
    use crate::ir::{Category, Dim, Ir};
    use crate::ops::find;

    /// The cost and its gradients by x, y and g.
    fn at(x: &[f64], y: &[f64], g: f64) -> Vec<Vec<f64>> {
        let mut ir = Ir::new();
        let v = [x.len(), y.len(), 1].map(Dim::Lit);
        let v: Vec<_> = v.into_iter().enumerate().map(|(k, n)| ir.var(k, Category::Vi, n)).collect();
        let cost = find("SoftDTW_SqDist").unwrap().apply(&mut ir, &v, &[]).unwrap();
        let one = ir.constant(1.0);
        let mut roots = vec![cost];
        roots.extend(v.iter().map(|&v| find("Grad").unwrap().apply(&mut ir, &[cost, v, one], &[]).unwrap()));
        eval(&ir, &roots, &Inputs { variables: vec![x.to_vec(), y.to_vec(), vec![g]], ..Inputs::default() })
    }

    #[test]
    fn one_way_has_the_sum_of_its_costs() {
        assert_eq!(at(&[3.0], &[1.0], 0.5), [vec![4.0], vec![4.0], vec![-4.0], vec![0.0]]);
        // Along one row: 1 + 4 + 9.
        let out = at(&[0.0], &[1.0, 2.0, 3.0], 0.5);
        assert_eq!(out, [vec![14.0], vec![-12.0], vec![2.0, 4.0, 6.0], vec![0.0]]);
    }

    /// Two by two there are three ways: c11 + softmin(c00, c00 + c01, c00 + c10).
    #[test]
    fn three_ways_in_closed_form() {
        let (x, y, g) = ([0.5, -0.25], [0.125, 1.0], 0.75f64);
        let c = |i: usize, j: usize| (x[i] - y[j]) * (x[i] - y[j]);
        let soft = |g: f64| -g * (1.0 + (-c(0, 1) / g).exp() + (-c(1, 0) / g).exp()).ln();
        let out = at(&x, &y, g);
        assert!((out[0][0] - (c(0, 0) + c(1, 1) + soft(g))).abs() < 1e-15);
        let slope = (soft(g + 1e-6) - soft(g - 1e-6)) / 2e-6;
        assert!((out[3][0] - slope).abs() < 1e-9);
    }

    /// A low temperature takes the best way only.
    #[test]
    fn far_shares_vanish() {
        let out = at(&[0.0, 100.0], &[0.0, 100.0], 1e-3);
        assert_eq!(out, [vec![0.0], vec![0.0, 0.0], vec![0.0, 0.0], vec![0.0]]);
    }
}
