//! Comparisons, and choices by them.

use super::scalar::{CHEAP, build, map};
use super::{Dims, Elementwise, LiteralKind, Operation, dims};
use crate::ir::{Ir, NodeId};
use quote::quote;

macro_rules! comparison {
    ($name:literal, $doc:literal, $eval:expr, $mask:expr) => {
        map(
            $name,
            "",
            &["f", "g"],
            $doc,
            Elementwise {
                eval: |x, _| f64::from(u8::from({
                    let f: fn(f64, f64) -> bool = $eval;
                    f(x[0], x[1])
                })),
                emit: |x, _| {
                    let f: fn(&[proc_macro2::TokenStream]) -> proc_macro2::TokenStream = $mask;
                    let m = f(x);
                    quote!(R::from_mask(#m))
                },
                mask: Some($mask),
                jumps: true,
                ..CHEAP
            },
        )
    };
}

pub(super) static OPERATIONS: &[Operation] = &[
    comparison!("Equal", "1 where f = g, else 0", |a, b| a == b, |x| {
        let (a, b) = (&x[0], &x[1]);
        quote!(#a.eq(#b))
    }),
    comparison!("NotEqual", "1 where f ≠ g or either is NaN, else 0", |a, b| a != b, |x| {
        let (a, b) = (&x[0], &x[1]);
        quote!(!#a.eq(#b))
    }),
    comparison!("LessThan", "1 where f < g, else 0", |a, b| a < b, |x| {
        let (a, b) = (&x[0], &x[1]);
        quote!(#a.lt(#b))
    }),
    comparison!("LessOrEqual", "1 where f ≤ g, else 0", |a, b| a <= b, |x| {
        let (a, b) = (&x[0], &x[1]);
        quote!(#a.le(#b))
    }),
    // The first argument is 0 or 1.
    map(
        "Where",
        "",
        &["m", "f", "g"],
        "",
        Elementwise {
            eval: |x, _| if x[0] != 0.0 { x[1] } else { x[2] },
            emit: |x, _| {
                let (m, a, b) = (&x[0], &x[1], &x[2]);
                quote!(R::select(!#m.eq(R::lit(0.0)), #a, #b))
            },
            partial: |d, at, k, t| if k == 0 { None } else { Some(d.keep_if(at.x[0], k == 1, t)) },
            ..CHEAP
        },
    ),
    build(
        "IfElse",
        "ifelse",
        &["c", "a", "b"],
        "a where c ≥ 0, else b (also for NaN); only the branch taken gets a gradient",
        |ir, x, _| {
            let zero = ir.constant(0.0);
            let mask = ir.map("LessOrEqual", &[zero, x[0]]);
            Ok(ir.choose(mask, x[1], x[2]))
        },
    ),
    build(
        "Clamp",
        "clamp",
        &["f", "a", "b"],
        "a where f < a, else b where f > b, else f; at a bound f has the gradient",
        |ir, x, _| Ok(clamp(ir, x[0], x[1], x[2])),
    ),
    Operation {
        lits: &[LiteralKind::Number, LiteralKind::Number],
        dims: Dims::Same,
        ..build("ClampInt", "", &["f"], "Clamp(f, a, b) for numbers a and b", |ir, x, lits| {
            let (a, b) = (ir.constant(dims::number(lits, 0)?), ir.constant(dims::number(lits, 1)?));
            Ok(clamp(ir, x[0], a, b))
        })
    },
    Operation {
        lits: &[LiteralKind::Number, LiteralKind::Number],
        dims: Dims::Same,
        ..build("DiffClampInt", "", &["f"], "0 where f < a or f > b, else 1; derivative 0", |ir, x, lits| {
            let (a, b) = (ir.constant(dims::number(lits, 0)?), ir.constant(dims::number(lits, 1)?));
            let (zero, one) = (ir.constant(0.0), ir.constant(1.0));
            let (below, above) = (ir.map("LessThan", &[x[0], a]), ir.map("LessThan", &[b, x[0]]));
            let inner = ir.choose(above, zero, one);
            Ok(ir.choose(below, zero, inner))
        })
    },
];

fn clamp(ir: &mut Ir, f: NodeId, a: NodeId, b: NodeId) -> NodeId {
    let (below, above) = (ir.map("LessThan", &[f, a]), ir.map("LessThan", &[b, f]));
    let inner = ir.choose(above, b, f);
    ir.choose(below, a, inner)
}
