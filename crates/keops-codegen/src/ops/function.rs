//! Elementary functions: operations of many instructions.

use super::scalar::{CHEAP, build, map, scaled};
use super::{Elementwise, LiteralKind, Operation};
use quote::quote;

const DEAR: Elementwise = Elementwise { dear: true, ..CHEAP };

/// `(#x).method()` for functions that `Real` has.
macro_rules! call {
    ($method:ident) => {
        |x, _| {
            let a = &x[0];
            quote!(#a.$method())
        }
    };
    ($method:ident, 2) => {
        |x, _| {
            let (a, b) = (&x[0], &x[1]);
            quote!(#a.$method(#b))
        }
    };
}

pub(super) static OPERATIONS: &[Operation] = &[
    map(
        "Exp",
        "exp",
        &["f"],
        "e^f",
        Elementwise {
            eval: |x, _| x[0].exp(),
            emit: call!(exp),
            partial: |d, at, _, t| Some(d.times(t, at.y)),
            ..DEAR
        },
    ),
    // 2^(f · c): what the schedule makes of an exponential whose exponent has a factor that is known beforehand.
    map(
        "Exp2Mul",
        "",
        &["f", "c"],
        "",
        Elementwise { eval: |x, _| (x[0] * x[1]).exp2(), emit: call!(exp2_mul, 2), ..DEAR },
    ),
    map(
        "Log",
        "log",
        &["f"],
        "ln f",
        Elementwise {
            eval: |x, _| x[0].ln(),
            emit: call!(ln),
            partial: |d, at, _, t| Some(d.over(t, at.x[0])),
            ..DEAR
        },
    ),
    map(
        "XLogX",
        "xlogx",
        &["f"],
        "f ln f, 0 at 0; derivative −∞ at 0",
        Elementwise {
            eval: |x, _| if x[0] == 0.0 { 0.0 } else { x[0] * x[0].ln() },
            emit: call!(xlogx),
            partial: |d, at, _, t| {
                let (ln, one) = (d.ir.map("Log", &[at.x[0]]), d.ir.constant(1.0));
                let p = d.ir.add(ln, one);
                Some(d.times(t, p))
            },
            ..DEAR
        },
    ),
    map(
        "Sin",
        "sin",
        &["f"],
        "sin f",
        Elementwise {
            eval: |x, _| x[0].sin(),
            emit: call!(sin),
            partial: |d, at, _, t| {
                let p = d.ir.map("Cos", &[at.x[0]]);
                Some(d.times(t, p))
            },
            ..DEAR
        },
    ),
    map(
        "Cos",
        "cos",
        &["f"],
        "cos f",
        Elementwise {
            eval: |x, _| x[0].cos(),
            emit: call!(cos),
            partial: |d, at, _, t| {
                let p = d.ir.map("Sin", &[at.x[0]]);
                let t = d.times(t, p);
                Some(d.negate(t))
            },
            ..DEAR
        },
    ),
    map(
        "SinXDivX",
        "sinxdivx",
        &["f"],
        "sin f / f, 1 at 0",
        Elementwise {
            eval: |x, _| if x[0] == 0.0 { 1.0 } else { x[0].sin() / x[0] },
            emit: call!(sinxdivx),
            partial: |d, at, _, t| {
                let p = d.ir.map("SinXDivXPrime", &[at.x[0]]);
                Some(d.times(t, p))
            },
            ..DEAR
        },
    ),
    map(
        "SinXDivXPrime",
        "",
        &["f"],
        "",
        Elementwise {
            eval: |x, _| sinxdivx_prime(x[0]),
            emit: call!(sinxdivx_prime),
            // s″ = −s − 2 s′/x, which tends to −1/3 at 0.
            partial: |d, at, _, t| {
                let x = at.x[0];
                let (zero, third) = (d.ir.constant(0.0), d.ir.constant(-1.0 / 3.0));
                let (s, slope) = (d.ir.map("SinXDivX", &[x]), d.ir.div(at.y, x));
                let twice = d.ir.scale(2.0, slope);
                let (minus, origin) = (d.ir.neg(s), d.ir.map("Equal", &[x, zero]));
                let p = d.ir.sub(minus, twice);
                let p = d.ir.choose(origin, third, p);
                Some(d.times(t, p))
            },
            ..DEAR
        },
    ),
    map(
        "Asin",
        "asin",
        &["f"],
        "arcsin f; derivative 0 at ±1",
        Elementwise {
            eval: |x, _| x[0].asin(),
            emit: call!(asin),
            partial: |d, at, _, t| {
                let p = unit_circle(d, at.x[0]);
                Some(d.times(t, p))
            },
            ..DEAR
        },
    ),
    map(
        "Acos",
        "acos",
        &["f"],
        "arccos f; derivative 0 at ±1",
        Elementwise {
            eval: |x, _| x[0].acos(),
            emit: call!(acos),
            partial: |d, at, _, t| {
                let p = unit_circle(d, at.x[0]);
                let t = d.times(t, p);
                Some(d.negate(t))
            },
            ..DEAR
        },
    ),
    map(
        "Atan",
        "atan",
        &["f"],
        "arctan f",
        Elementwise {
            eval: |x, _| x[0].atan(),
            emit: call!(atan),
            partial: |d, at, _, t| {
                let (one, sq) = (d.ir.constant(1.0), d.ir.square(at.x[0]));
                let q = d.ir.add(one, sq);
                Some(d.over(t, q))
            },
            ..DEAR
        },
    ),
    map(
        "Atan2",
        "atan2",
        &["f", "g"],
        "angle of the point (g, f)",
        Elementwise {
            eval: |x, _| x[0].atan2(x[1]),
            emit: call!(atan2, 2),
            partial: |d, at, k, t| {
                let (f2, g2) = (d.ir.square(at.x[0]), d.ir.square(at.x[1]));
                let r2 = d.ir.add(f2, g2);
                let p = d.ir.div(at.x[1 - k], r2);
                let t = d.times(t, p);
                Some(if k == 0 { t } else { d.negate(t) })
            },
            ..DEAR
        },
    ),
    map(
        "Sqrt",
        "sqrt",
        &["f"],
        "√f; derivative 0 at 0",
        Elementwise {
            eval: |x, _| x[0].sqrt(),
            emit: call!(sqrt),
            partial: |d, at, _, t| {
                let p = d.ir.map("Rsqrt", &[at.x[0]]);
                let t = d.times(t, p);
                Some(scaled(d, 0.5, t))
            },
            ..DEAR
        },
    ),
    map(
        "Rsqrt",
        "rsqrt",
        &["f"],
        "1 / √f, 0 at 0",
        Elementwise {
            eval: |x, _| if x[0] == 0.0 { 0.0 } else { 1.0 / x[0].sqrt() },
            emit: call!(rsqrt),
            partial: |d, at, _, t| {
                let p = d.ir.map_with("Pow", &[at.y], 3);
                let t = d.times(t, p);
                Some(scaled(d, -0.5, t))
            },
            ..DEAR
        },
    ),
    map(
        "Inv",
        "",
        &["f"],
        "1 / f",
        Elementwise {
            eval: |x, _| 1.0 / x[0],
            emit: |x, _| {
                let a = &x[0];
                quote!((R::lit(1.0) / #a))
            },
            partial: |d, at, _, t| {
                let p = d.ir.square(at.y);
                let t = d.times(t, p);
                Some(d.negate(t))
            },
            ..DEAR
        },
    ),
    Operation {
        lits: &[LiteralKind::Int],
        ..map(
            "Pow",
            "",
            &["f"],
            "f multiplied by itself m times (m < 0: its inverse)",
            Elementwise {
                eval: |x, m| power(x[0], m),
                emit: |x, m| {
                    let a = &x[0];
                    let p = product_of_powers(m.unsigned_abs());
                    let p = if m < 0 { quote!(R::lit(1.0) / #p) } else { p };
                    quote!({ let t = #a; #p })
                },
                partial: |d, at, _, t| {
                    if at.int == 0 {
                        return None;
                    }
                    let p = d.ir.map_with("Pow", &[at.x[0]], at.int - 1);
                    let t = d.times(t, p);
                    Some(scaled(d, at.int as f64, t))
                },
                ..DEAR
            },
        )
    },
    map(
        "Powf",
        "power",
        &["f", "h"],
        "f^h as C's pow",
        Elementwise {
            eval: |x, _| x[0].powf(x[1]),
            emit: call!(powf, 2),
            partial: |d, at, k, t| {
                let (f, h) = (at.x[0], at.x[1]);
                if k == 0 {
                    let one = d.ir.constant(1.0);
                    let less = d.ir.sub(h, one);
                    let p = d.ir.map("Powf", &[f, less]);
                    let t = d.times(t, p);
                    return Some(d.times(t, h));
                }
                // f^h ln f tends to 0 with f^h.
                let (zero, ln) = (d.ir.constant(0.0), d.ir.map("Log", &[f]));
                let (p, vanished) = (d.ir.mul(at.y, ln), d.ir.map("Equal", &[at.y, zero]));
                let p = d.ir.choose(vanished, zero, p);
                Some(d.times(t, p))
            },
            ..DEAR
        },
    ),
    map(
        "Log1p",
        "log1p",
        &["f"],
        "ln(1 + f), also for small f",
        Elementwise {
            eval: |x, _| x[0].ln_1p(),
            emit: call!(log1p),
            partial: |d, at, _, t| {
                let one = d.ir.constant(1.0);
                let q = d.ir.add(one, at.x[0]);
                Some(d.over(t, q))
            },
            ..DEAR
        },
    ),
    map(
        "Expm1",
        "expm1",
        &["f"],
        "e^f − 1, also for small f",
        Elementwise {
            eval: |x, _| x[0].exp_m1(),
            emit: call!(expm1),
            partial: |d, at, _, t| {
                let p = d.ir.map("Exp", &[at.x[0]]);
                Some(d.times(t, p))
            },
            ..DEAR
        },
    ),
    map(
        "Tanh",
        "tanh",
        &["f"],
        "hyperbolic tangent of f",
        Elementwise {
            eval: |x, _| x[0].tanh(),
            emit: call!(tanh),
            // 1 − y² as 4 s(2x) s(−2x) with the logistic function s, which keeps its precision where y is near ±1.
            partial: |d, at, _, t| {
                let twice = d.ir.scale(2.0, at.x[0]);
                let p = logistic_slope(d, twice);
                let t = d.times(t, p);
                Some(scaled(d, 4.0, t))
            },
            ..DEAR
        },
    ),
    map(
        "Sigmoid",
        "sigmoid",
        &["f"],
        "1 / (1 + e^(−f))",
        Elementwise {
            eval: |x, _| {
                let e = (-x[0].abs()).exp();
                (if x[0] < 0.0 { e } else { 1.0 }) / (1.0 + e)
            },
            emit: call!(sigmoid),
            partial: |d, at, _, t| {
                let p = logistic_slope(d, at.x[0]);
                Some(d.times(t, p))
            },
            ..DEAR
        },
    ),
    map(
        "Softplus",
        "softplus",
        &["f"],
        "ln(1 + e^f)",
        Elementwise {
            eval: |x, _| (if x[0] < 0.0 { 0.0 } else { x[0] }) + (-x[0].abs()).exp().ln_1p(),
            emit: call!(softplus),
            partial: |d, at, _, t| {
                let p = d.ir.map("Sigmoid", &[at.x[0]]);
                Some(d.times(t, p))
            },
            ..DEAR
        },
    ),
    map(
        "Erf",
        "erf",
        &["f"],
        "2/√π ∫_0^f e^(−t²) dt",
        Elementwise {
            eval: |x, _| libm::erf(x[0]),
            emit: call!(erf),
            partial: |d, at, _, t| {
                let sq = d.ir.square(at.x[0]);
                let minus = d.ir.neg(sq);
                let p = d.ir.map("Exp", &[minus]);
                let t = d.times(t, p);
                Some(scaled(d, std::f64::consts::FRAC_2_SQRT_PI, t))
            },
            ..DEAR
        },
    ),
    build("Sinc", "sinc", &["f"], "sin(πf) / (πf), 1 at 0", |ir, x, _| {
        let turned = ir.scale(std::f64::consts::PI, x[0]);
        Ok(ir.map("SinXDivX", &[turned]))
    }),
];

/// 1 / √(1 − x²), 0 at ±1, without cancellation near the ends.
fn unit_circle(d: &mut crate::diff::Tape<'_>, x: crate::ir::NodeId) -> crate::ir::NodeId {
    let one = d.ir.constant(1.0);
    let (a, b) = (d.ir.sub(one, x), d.ir.add(one, x));
    let p = d.ir.mul(a, b);
    d.ir.map("Rsqrt", &[p])
}

/// s(x) s(−x), the derivative of the logistic function s.
fn logistic_slope(d: &mut crate::diff::Tape<'_>, x: crate::ir::NodeId) -> crate::ir::NodeId {
    let minus = d.ir.neg(x);
    let (up, down) = (d.ir.map("Sigmoid", &[x]), d.ir.map("Sigmoid", &[minus]));
    d.ir.mul(up, down)
}

/// Derivative of sin(x)/x: a series where the two terms would cancel.
fn sinxdivx_prime(x: f64) -> f64 {
    if x.abs() > 1.0 {
        return (x.cos() - x.sin() / x) / x;
    }
    // Σ_{k ≥ 1} (−1)^k 2k x^(2k−1) / (2k+1)!
    let (mut term, mut sum) = (x, 0.0);
    for k in 1..12 {
        let k = f64::from(k);
        term *= -1.0 / ((2.0 * k) * (2.0 * k + 1.0));
        sum += 2.0 * k * term;
        term *= x * x;
    }
    sum
}

/// x multiplied by itself.
fn power(x: f64, m: i64) -> f64 {
    let (mut base, mut out, mut n) = (x, 1.0, m.unsigned_abs());
    while n > 0 {
        if n & 1 == 1 {
            out *= base;
        }
        base *= base;
        n >>= 1;
    }
    if m < 0 { 1.0 / out } else { out }
}

/// The expression t · t · … by repeated squaring.
fn product_of_powers(n: u64) -> proc_macro2::TokenStream {
    match n {
        0 => quote!(R::lit(1.0)),
        1 => quote!(t),
        _ if n.is_multiple_of(2) => {
            let half = product_of_powers(n / 2);
            quote!({ let t = #half; t * t })
        }
        _ => {
            let rest = product_of_powers(n - 1);
            quote!((t * #rest))
        }
    }
}
