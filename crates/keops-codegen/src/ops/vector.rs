//! Constants, sums, norms, distances, layout and extremal components.

use super::{Builder, Dims, Literal, LiteralKind, Lower, Operation, dims};
use crate::ir::{Axes, Dim, Ir, NodeId};

use LiteralKind::{Int, Number};

/// An operation written in terms of nodes, with literals and a dimension rule of its own.
pub(super) const fn op(
    name: &'static str,
    method: &'static str,
    args: &'static [&'static str],
    lits: &'static [LiteralKind],
    dims: Dims,
    doc: &'static str,
    b: Builder,
) -> Operation {
    Operation { name, method, method_order: &[], args, lits, optional: 0, dims, lower: Lower::Build(b), doc }
}

pub(super) static OPERATIONS: &[Operation] = &[
    op("IntCst", "", &[], &[Number], Dims::ToScalar, "the number n", |ir, _, lits| {
        let v = dims::number(lits, 0)?;
        Ok(ir.constant(v))
    }),
    op("RatCst", "", &[], &[Int, Int], Dims::ToScalar, "the fraction p / q", |ir, _, lits| {
        let (p, q) = (dims::int(lits, 0)?, dims::int(lits, 1)?);
        if q == 0 {
            return Err("the denominator is 0".into());
        }
        Ok(ir.constant(p as f64 / q as f64))
    }),
    op("IntInv", "", &[], &[Int], Dims::ToScalar, "the fraction 1 / n", |ir, _, lits| {
        let n = dims::int(lits, 0)?;
        if n == 0 {
            return Err("the denominator is 0".into());
        }
        Ok(ir.constant(1.0 / n as f64))
    }),
    op(
        "Zero",
        "",
        &[],
        &[Int],
        Dims::Custom(|_, lits| positive(lits, 0, "the dimension").map(Dim::Lit)),
        "n zeros",
        |ir, _, lits| {
            let n = positive(lits, 0, "the dimension")?;
            Ok(ir.constant_vector(0.0, Dim::Lit(n)))
        },
    ),
    op("Sum", "sum", &["f"], &[], Dims::ToScalar, "Σ_k f_k", |ir, x, _| Ok(ir.sum(x[0]))),
    op(
        "SumT",
        "",
        &["f"],
        &[Int],
        Dims::Custom(|d, lits| {
            one_number(&d[0])?;
            positive(lits, 0, "the dimension").map(Dim::Lit)
        }),
        "f in each of n components",
        |ir, x, lits| {
            let n = positive(lits, 0, "the dimension")?;
            Ok(ir.broadcast(x[0], Dim::Lit(n)))
        },
    ),
    op("Scalprod", "", &["f", "g"], &[], Dims::Pairing, "Σ_k f_k g_k", |ir, x, _| {
        let p = ir.mul(x[0], x[1]);
        Ok(ir.sum(p))
    }),
    op("SqNorm2", "sqnorm2", &["f"], &[], Dims::ToScalar, "Σ_k f_k²", |ir, x, _| Ok(sqnorm2(ir, x[0]))),
    op("Norm2", "norm2", &["f"], &[], Dims::ToScalar, "√Σ_k f_k²; derivative 0 at 0", |ir, x, _| {
        let s = sqnorm2(ir, x[0]);
        Ok(ir.map("Sqrt", &[s]))
    }),
    op("Normalize", "normalize", &["f"], &[], Dims::Same, "f / √Σ_k f_k²; 0 with derivative 0 at 0", |ir, x, _| {
        let s = sqnorm2(ir, x[0]);
        let r = ir.map("Rsqrt", &[s]);
        Ok(ir.mul(r, x[0]))
    }),
    op("SqDist", "sqdist", &["f", "g"], &[], Dims::Pairing, "Σ_k (f_k − g_k)²", |ir, x, _| {
        let t = ir.sub(x[0], x[1]);
        Ok(sqnorm2(ir, t))
    }),
    op(
        "SqNormIso",
        "",
        &["s", "f"],
        &[],
        Dims::Custom(|d, _| one_number(&d[0]).map(|()| Dim::ONE)),
        "s Σ_k f_k²",
        |ir, x, _| {
            let n = sqnorm2(ir, x[1]);
            Ok(ir.mul(x[0], n))
        },
    ),
    op("SqNormDiag", "", &["s", "f"], &[], Dims::Pairing, "Σ_k s_k f_k²", |ir, x, _| Ok(diagonal(ir, x[0], x[1]))),
    op(
        "SymSqNorm",
        "",
        &["a", "f"],
        &[],
        Dims::Custom(|d, _| square_matrix(&d[0], &d[1]).map(|()| Dim::ONE)),
        "Σ_kl a_kl f_k f_l, a row by row",
        full,
    ),
    Operation {
        method_order: &[1, 0],
        ..op(
            "WeightedSqNorm",
            "weightedsqnorm",
            &["s", "f"],
            &[],
            Dims::Custom(|d, _| weights(&d[0], &d[1])),
            "s Σ f_k², Σ s_k f_k² or Σ s_kl f_k f_l, by the dimension of s",
            |ir, x, _| weighted(ir, x[0], x[1]),
        )
    },
    Operation {
        method_order: &[1, 2, 0],
        ..op(
            "WeightedSqDist",
            "weightedsqdist",
            &["s", "f", "g"],
            &[],
            Dims::Free,
            "WeightedSqNorm(s, f − g)",
            |ir, x, _| {
                let pair = [ir.dim(x[1]).clone(), ir.dim(x[2]).clone()];
                Dims::Broadcast.check(&["f", "g"], &pair, &[])?;
                let t = ir.sub(x[1], x[2]);
                weights(&ir.dim(x[0]).clone(), &ir.dim(t).clone())?;
                weighted(ir, x[0], t)
            },
        )
    },
    op(
        "Elem",
        "elem",
        &["f"],
        &[Int],
        Dims::Custom(|d, lits| span(&d[0], dims::count(lits, 0, "the position")?, 1).map(|()| Dim::ONE)),
        "f_k (k from 0)",
        |ir, x, lits| {
            let k = dims::count(lits, 0, "the position")?;
            Ok(ir.slice(x[0], k, 1, 1))
        },
    ),
    op(
        "ElemT",
        "",
        &["f"],
        &[Int, Int],
        Dims::Custom(|d, lits| {
            one_number(&d[0])?;
            let n = Dim::Lit(dims::count(lits, 0, "the dimension")?);
            span(&n, dims::count(lits, 1, "the position")?, 1).map(|()| n)
        }),
        "f at position k among n − 1 zeros (n, then k)",
        |ir, x, lits| {
            let (n, k) = (dims::count(lits, 0, "the dimension")?, dims::count(lits, 1, "the position")?);
            Ok(ir.pad(x[0], k, 1, Dim::Lit(n)))
        },
    ),
    op(
        "Extract",
        "extract",
        &["f"],
        &[Int, Int],
        Dims::Custom(|d, lits| {
            let (s, n) = (dims::count(lits, 0, "the start")?, positive(lits, 1, "the length")?);
            span(&d[0], s, n).map(|()| Dim::Lit(n))
        }),
        "f_s, …, f_(s+d−1) (s, then d)",
        |ir, x, lits| {
            let (s, n) = (dims::count(lits, 0, "the start")?, positive(lits, 1, "the length")?);
            Ok(ir.slice(x[0], s, 1, n))
        },
    ),
    op(
        "ExtractT",
        "",
        &["f"],
        &[Int, Int],
        Dims::Custom(|d, lits| {
            let (s, n) = (dims::count(lits, 0, "the start")?, Dim::Lit(positive(lits, 1, "the dimension")?));
            span(&n, s, d[0].known("it is placed in a longer vector")?).map(|()| n)
        }),
        "f from position s on among zeros, n numbers in all (s, then n)",
        |ir, x, lits| {
            let (s, n) = (dims::count(lits, 0, "the start")?, positive(lits, 1, "the dimension")?);
            Ok(ir.pad(x[0], s, 1, Dim::Lit(n)))
        },
    ),
    op("Concat", "concat", &["f", "g"], &[], Dims::Free, "f_0, …, g_0, …", |ir, x, _| ir.concat(x[0], x[1])),
    op(
        "Max",
        "max",
        &["f"],
        &[],
        Dims::ToScalar,
        "largest component; the first one takes the gradient; NaN is ignored",
        |ir, x, _| Ok(ir.extreme(x[0], true, false)),
    ),
    op(
        "Min",
        "min",
        &["f"],
        &[],
        Dims::ToScalar,
        "smallest component; the first one takes the gradient; NaN is ignored",
        |ir, x, _| Ok(ir.extreme(x[0], false, false)),
    ),
    op(
        "ArgMax",
        "argmax",
        &["f"],
        &[],
        Dims::ToScalar,
        "position of the first largest component; derivative 0",
        |ir, x, _| Ok(ir.extreme(x[0], true, true)),
    ),
    op(
        "ArgMin",
        "argmin",
        &["f"],
        &[],
        Dims::ToScalar,
        "position of the first smallest component; derivative 0",
        |ir, x, _| Ok(ir.extreme(x[0], false, true)),
    ),
    op(
        "OneHot",
        "one_hot",
        &["f"],
        &[Int],
        Dims::Custom(|d, lits| {
            one_number(&d[0])?;
            positive(lits, 0, "the dimension").map(Dim::Lit)
        }),
        "1 at position ⌊f + ½⌋, zeros elsewhere (all zeros if it is out of range); derivative 0",
        |ir, x, lits| {
            let n = positive(lits, 0, "the dimension")?;
            let half = ir.constant(0.5);
            let at = ir.add(x[0], half);
            let at = ir.map("Floor", &[at]);
            let places = ir.iota(Dim::Lit(n));
            Ok(ir.map("Equal", &[places, at]))
        },
    ),
];

fn sqnorm2(ir: &mut Ir, f: NodeId) -> NodeId {
    let s = ir.square(f);
    ir.sum(s)
}

fn diagonal(ir: &mut Ir, s: NodeId, f: NodeId) -> NodeId {
    let sq = ir.square(f);
    let p = ir.mul(s, sq);
    ir.sum(p)
}

fn full(ir: &mut Ir, x: &[NodeId], _: &[Literal]) -> Result<NodeId, String> {
    let n = ir.dim(x[1]).known("a matrix of that size follows from it")?;
    let axes = Axes { sizes: vec![n, n], left: vec![0, 1], right: vec![1], out: vec![0] };
    let af = ir.contract(x[0], x[1], axes);
    let p = ir.mul(x[1], af);
    Ok(ir.sum(p))
}

/// The quadratic form that the dimension of `s` selects.
fn weighted(ir: &mut Ir, s: NodeId, f: NodeId) -> Result<NodeId, String> {
    if ir.dim(s).is_one() {
        let n = sqnorm2(ir, f);
        Ok(ir.mul(s, n))
    } else if ir.dim(s) == ir.dim(f) {
        Ok(diagonal(ir, s, f))
    } else {
        full(ir, &[s, f], &[])
    }
}

fn weights(s: &Dim, f: &Dim) -> Result<Dim, String> {
    if s.is_one() || s == f || square_matrix(s, f).is_ok() {
        return Ok(Dim::ONE);
    }
    Err(format!("for a vector of dimension {f} the weights must have dimension 1, {f} or {f} · {f}, but they have {s}"))
}

fn square_matrix(a: &Dim, f: &Dim) -> Result<(), String> {
    let n = f.known("a matrix of that size follows from it")?;
    match a.lit() {
        Some(m) if m == n * n => Ok(()),
        _ => Err(format!("for a vector of dimension {n} the matrix must have dimension {}, but it has {a}", n * n)),
    }
}

/// The literal `k` as a count of at least 1.
pub(super) fn positive(lits: &[Literal], k: usize, what: &str) -> Result<usize, String> {
    match dims::count(lits, k, what)? {
        0 => Err(format!("{what} must be at least 1, but it is 0")),
        n => Ok(n),
    }
}

pub(super) fn one_number(f: &Dim) -> Result<(), String> {
    if f.is_one() { Ok(()) } else { Err(format!("one number (dimension 1) is needed, but the dimension is {f}")) }
}

/// Do `len` components from `start` on exist in a vector of dimension `f`?
fn span(f: &Dim, start: usize, len: usize) -> Result<(), String> {
    let n = f.known("components are taken by position")?;
    if start.checked_add(len).is_some_and(|end| end <= n) {
        return Ok(());
    }
    let last = start.saturating_add(len) - 1;
    let which =
        if len == 1 { format!("is no component {start}") } else { format!("are no components {start} to {last}") };
    Err(format!("there {which} in a vector of dimension {n}, whose components are numbered from 0 to {}", n - 1))
}
