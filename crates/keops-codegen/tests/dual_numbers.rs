//! First, second and third derivatives of the elementary functions against dual numbers.

use keops_codegen::eval::{Inputs, eval};
use keops_codegen::ir::{Category, Dim, Ir, NodeId};
use keops_codegen::ops::{self, Literal};
use num_dual::{Dual3_64, DualNum, third_derivative};

/// A function of dual numbers.
type Dual = fn(Dual3_64) -> Dual3_64;

fn apply(ir: &mut Ir, name: &str, args: &[NodeId], lits: &[Literal]) -> NodeId {
    ops::find(name).unwrap().apply(ir, args, lits).unwrap()
}

/// Value and three derivatives of a function of one variable by nested `Grad` and by nested `Diff`.
fn derivatives(x: f64, build: &dyn Fn(&mut Ir, NodeId) -> NodeId) -> [[f64; 4]; 2] {
    ["Grad", "Diff"].map(|mode| {
        let mut ir = Ir::new();
        let (v, one) = (ir.var(0, Category::Vi, Dim::ONE), ir.constant(1.0));
        let mut roots = vec![build(&mut ir, v)];
        for k in 0..3 {
            let next = apply(&mut ir, mode, &[roots[k], v, one], &[]);
            roots.push(next);
        }
        let out = eval(&ir, &roots, &Inputs { variables: vec![vec![x]], ..Inputs::default() });
        [0, 1, 2, 3].map(|k| out[k][0])
    })
}

fn check(name: &str, points: &[f64], build: &dyn Fn(&mut Ir, NodeId) -> NodeId, dual: Dual) {
    for &x in points {
        let (f0, f1, f2, f3) = third_derivative(dual, x);
        for got in derivatives(x, build) {
            for (order, (g, w)) in got.into_iter().zip([f0, f1, f2, f3]).enumerate() {
                assert!((g - w).abs() <= 1e-10 * w.abs().max(1.0), "{name}, order {order} at {x}: {g}, not {w}");
            }
        }
    }
}

fn magnitude(x: Dual3_64) -> Dual3_64 {
    if x.re < 0.0 { -x } else { x }
}

#[test]
fn elementary_functions() {
    let all = &[-2.3, -0.7, 0.4, 1.9];
    let positive = &[0.3, 1.0, 2.6];
    let within_one = &[-0.8, -0.1, 0.5];
    let unary: &[(&'static str, &[f64], Dual)] = &[
        ("Exp", all, |x| x.exp()),
        ("Log", positive, |x| x.ln()),
        ("XLogX", positive, |x| x * x.ln()),
        ("Sin", all, |x| x.sin()),
        ("Cos", all, |x| x.cos()),
        ("SinXDivX", all, |x| x.sin() / x),
        ("Asin", within_one, |x| x.asin()),
        ("Acos", within_one, |x| x.acos()),
        ("Atan", all, |x| x.atan()),
        ("Sqrt", positive, |x| x.sqrt()),
        ("Rsqrt", positive, |x| x.sqrt().recip()),
        ("Inv", all, |x| x.recip()),
        ("Square", all, |x| x * x),
        ("Expm1", all, |x| x.exp_m1()),
        ("Log1p", positive, |x| x.ln_1p()),
        ("Tanh", all, |x| x.tanh()),
        ("Sigmoid", all, |x| ((-x).exp() + 1.0).recip()),
        ("Softplus", all, |x| x.exp().ln_1p()),
        ("Abs", all, magnitude),
        ("Minus", all, |x| -x),
    ];
    for &(name, points, dual) in unary {
        check(name, points, &|ir, x| apply(ir, name, &[x], &[]), dual);
    }
}

#[test]
fn powers() {
    for m in [-3, -1, 0, 1, 2, 5] {
        let build = move |ir: &mut Ir, x: NodeId| apply(ir, "Pow", &[x], &[Literal::Int(m)]);
        let dual: Dual = match m {
            -3 => |x| x.powi(-3),
            -1 => |x| x.powi(-1),
            0 => |x| x.powi(0),
            1 => |x| x.powi(1),
            2 => |x| x.powi(2),
            _ => |x| x.powi(5),
        };
        check("Pow", &[-1.4, 0.6, 2.0], &build, dual);
    }
    check(
        "Powf by the base",
        &[0.6, 2.0],
        &|ir, x| {
            let h = ir.constant(2.5);
            apply(ir, "Powf", &[x, h], &[])
        },
        |x| x.powf(2.5),
    );
    check(
        "Powf by the exponent",
        &[-0.6, 2.0],
        &|ir, x| {
            let f = ir.constant(1.7);
            apply(ir, "Powf", &[f, x], &[])
        },
        |x| (x * 1.7f64.ln()).exp(),
    );
}

#[test]
fn quotients_and_angles() {
    // A curve, so that both arguments vary.
    let curve = |name: &'static str| {
        move |ir: &mut Ir, x: NodeId| {
            let (f, g) = (apply(ir, "Sin", &[x], &[]), apply(ir, "Exp", &[x], &[]));
            apply(ir, name, &[f, g], &[])
        }
    };
    let points = &[-1.1, 0.2, 0.9];
    check("Divide", points, &curve("Divide"), |x| x.sin() / x.exp());
    check("Mult", points, &curve("Mult"), |x| x.sin() * x.exp());
    check("Subtract", points, &curve("Subtract"), |x| x.sin() - x.exp());
    check("Atan2", points, &curve("Atan2"), |x| (x.sin() / x.exp()).atan());
}

/// The derivatives of sin(x)/x at 0 are 0, −1/3, 0.
#[test]
fn sinxdivx_at_the_origin() {
    let [grad, diff] = derivatives(0.0, &|ir, x| apply(ir, "SinXDivX", &[x], &[]));
    assert_eq!(grad, [1.0, 0.0, -1.0 / 3.0, 0.0]);
    assert_eq!(diff, [1.0, 0.0, -1.0 / 3.0, 0.0]);
}

/// The derivatives of erf are 2/√π e^(−x²) times 1, −2x, 4x² − 2.
#[test]
fn error_function() {
    let half: f64 = 0.5;
    let slope = std::f64::consts::FRAC_2_SQRT_PI * (-half * half).exp();
    // erf(1/2) from tables.
    let want = [0.520_499_877_813_046_5, slope, -slope, -slope];
    for got in derivatives(half, &|ir, x| apply(ir, "Erf", &[x], &[])) {
        assert!(got.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-15), "{got:?}, not {want:?}");
    }
}

#[test]
fn kernels() {
    let points = &[-0.9, 0.3, 1.4];
    check(
        "Gauss",
        points,
        &|ir, x| {
            let s = apply(ir, "Square", &[x], &[]);
            let minus = apply(ir, "Minus", &[s], &[]);
            apply(ir, "Exp", &[minus], &[])
        },
        |x| (-(x * x)).exp(),
    );
    check(
        "Matérn 3/2",
        points,
        &|ir, x| {
            let (r, one) = (apply(ir, "Norm2", &[x], &[]), ir.constant(1.0));
            let minus = apply(ir, "Minus", &[r], &[]);
            let (e, f) = (apply(ir, "Exp", &[minus], &[]), apply(ir, "Add", &[one, r], &[]));
            apply(ir, "Mult", &[f, e], &[])
        },
        |x| (magnitude(x) + 1.0) * (-magnitude(x)).exp(),
    );
}
