//! Arithmetic and rounding: operations of one instruction or a few.

use super::{Builder, Dims, Elementwise, LiteralKind, Lower, Operation};
use crate::diff::Seed;
use quote::quote;

/// A cheap operation without jumps.
pub(super) const CHEAP: Elementwise = Elementwise {
    eval: |_, _| f64::NAN,
    emit: |_, _| quote!(),
    mask: None,
    partial: |_, _, _, _| None,
    dear: false,
    jumps: false,
};

/// An operation that broadcasts.
pub(super) const fn map(
    name: &'static str,
    method: &'static str,
    args: &'static [&'static str],
    doc: &'static str,
    e: Elementwise,
) -> Operation {
    Operation {
        name,
        method,
        method_order: &[],
        args,
        lits: &[],
        optional: 0,
        dims: Dims::Broadcast,
        lower: Lower::Map(e),
        doc,
    }
}

/// A broadcasting operation that is written in terms of others.
pub(super) const fn build(
    name: &'static str,
    method: &'static str,
    args: &'static [&'static str],
    doc: &'static str,
    b: Builder,
) -> Operation {
    Operation {
        name,
        method,
        method_order: &[],
        args,
        lits: &[],
        optional: 0,
        dims: Dims::Broadcast,
        lower: Lower::Build(b),
        doc,
    }
}

pub(super) static OPERATIONS: &[Operation] = &[
    map(
        "Add",
        "",
        &["f", "g"],
        "f + g",
        Elementwise {
            eval: |x, _| x[0] + x[1],
            emit: |x, _| {
                let (a, b) = (&x[0], &x[1]);
                quote!((#a + #b))
            },
            partial: |_, _, _, t| Some(t),
            ..CHEAP
        },
    ),
    map(
        "Subtract",
        "",
        &["f", "g"],
        "f − g",
        Elementwise {
            eval: |x, _| x[0] - x[1],
            emit: |x, _| {
                let (a, b) = (&x[0], &x[1]);
                quote!((#a - #b))
            },
            partial: |d, _, k, t| Some(if k == 0 { t } else { d.negate(t) }),
            ..CHEAP
        },
    ),
    map(
        "Mult",
        "",
        &["f", "g"],
        "f · g",
        Elementwise {
            eval: |x, _| x[0] * x[1],
            emit: |x, _| {
                let (a, b) = (&x[0], &x[1]);
                quote!((#a * #b))
            },
            partial: |d, at, k, t| Some(d.times(t, at.x[1 - k])),
            ..CHEAP
        },
    ),
    map(
        "Divide",
        "",
        &["f", "g"],
        "f / g",
        Elementwise {
            eval: |x, _| x[0] / x[1],
            emit: |x, _| {
                let (a, b) = (&x[0], &x[1]);
                quote!((#a / #b))
            },
            partial: |d, at, k, t| {
                if k == 0 {
                    return Some(d.over(t, at.x[1]));
                }
                let q = d.ir.div(at.y, at.x[1]);
                let t = d.times(t, q);
                Some(d.negate(t))
            },
            dear: true,
            ..CHEAP
        },
    ),
    map(
        "Minus",
        "",
        &["f"],
        "−f",
        Elementwise {
            eval: |x, _| -x[0],
            emit: |x, _| {
                let a = &x[0];
                quote!((-#a))
            },
            partial: |d, _, _, t| Some(d.negate(t)),
            ..CHEAP
        },
    ),
    map(
        "Square",
        "square",
        &["f"],
        "f²",
        Elementwise {
            eval: |x, _| x[0] * x[0],
            emit: |x, _| {
                let a = &x[0];
                quote!({ let t = #a; t * t })
            },
            partial: |d, at, _, t| {
                let p = d.ir.scale(2.0, at.x[0]);
                Some(d.times(t, p))
            },
            ..CHEAP
        },
    ),
    map(
        "Abs",
        "abs",
        &["f"],
        "|f|, derivative 0 at 0",
        Elementwise {
            eval: |x, _| x[0].abs(),
            emit: |x, _| {
                let a = &x[0];
                quote!(#a.abs())
            },
            partial: |d, at, _, t| {
                let p = d.ir.map("Sign", &[at.x[0]]);
                Some(d.times(t, p))
            },
            ..CHEAP
        },
    ),
    map(
        "Sign",
        "sign",
        &["f"],
        "−1, 0 or 1; 0 for NaN; derivative 0",
        Elementwise {
            eval: |x, _| {
                if x[0] > 0.0 {
                    1.0
                } else if x[0] < 0.0 {
                    -1.0
                } else {
                    0.0
                }
            },
            emit: |x, _| {
                let a = &x[0];
                quote!(#a.sign())
            },
            jumps: true,
            ..CHEAP
        },
    ),
    map(
        "Step",
        "step",
        &["f"],
        "0 where f < 0, else 1 (also for NaN); derivative 0",
        Elementwise {
            eval: |x, _| if x[0] < 0.0 { 0.0 } else { 1.0 },
            emit: |x, _| {
                let a = &x[0];
                quote!(#a.step())
            },
            jumps: true,
            ..CHEAP
        },
    ),
    map(
        "ReLU",
        "relu",
        &["f"],
        "0 where f < 0, else f; derivative 1 at 0",
        Elementwise {
            eval: |x, _| if x[0] < 0.0 { 0.0 } else { x[0] },
            emit: |x, _| {
                let a = &x[0];
                quote!(#a.relu())
            },
            partial: |d, at, _, t| {
                let zero = d.ir.constant(0.0);
                let below = d.ir.map("LessThan", &[at.x[0], zero]);
                Some(d.keep_if(below, false, t))
            },
            ..CHEAP
        },
    ),
    map(
        "Floor",
        "floor",
        &["f"],
        "⌊f⌋, derivative 0",
        Elementwise {
            eval: |x, _| x[0].floor(),
            emit: |x, _| {
                let a = &x[0];
                quote!(#a.floor())
            },
            jumps: true,
            ..CHEAP
        },
    ),
    // The quotient is computed exactly as written, so that exact multiples stay exact.
    map(
        "FloorDivide",
        "",
        &["f", "g"],
        "",
        Elementwise {
            eval: |x, _| (x[0] / x[1]).floor(),
            emit: |x, _| {
                let (a, b) = (&x[0], &x[1]);
                quote!((#a / #b).floor())
            },
            jumps: true,
            dear: true,
            ..CHEAP
        },
    ),
    Operation {
        lits: &[LiteralKind::Int],
        optional: 1,
        ..map(
            "Round",
            "round",
            &["f"],
            "f rounded to d digits, halves away from zero; derivative 0",
            Elementwise {
                eval: |x, d| {
                    let p = 10f64.powi(d.unsigned_abs() as i32);
                    if d >= 0 { (x[0] * p).round() / p } else { (x[0] / p).round() * p }
                },
                emit: |x, d| {
                    let (a, p) = (&x[0], 10f64.powi(d.unsigned_abs() as i32));
                    match d {
                        0 => quote!(#a.round()),
                        1.. => quote!((#a * R::lit(#p)).round() / R::lit(#p)),
                        _ => quote!((#a / R::lit(#p)).round() * R::lit(#p)),
                    }
                },
                jumps: true,
                dear: true,
                ..CHEAP
            },
        )
    },
    build(
        "Mod",
        "mod",
        &["f", "m", "o"],
        "f − m ⌊(f − o) / m⌋; derivative 1, −⌊(f − o) / m⌋, 0",
        |ir, x, _| {
            let shifted = ir.sub(x[0], x[2]);
            let turns = ir.map("FloorDivide", &[shifted, x[1]]);
            let whole = ir.mul(x[1], turns);
            Ok(ir.sub(x[0], whole))
        },
    ),
];

/// A number times a seed.
pub(super) fn scaled(d: &mut crate::diff::Tape<'_>, c: f64, t: Seed) -> Seed {
    let c = d.ir.constant(c);
    d.times(t, c)
}
