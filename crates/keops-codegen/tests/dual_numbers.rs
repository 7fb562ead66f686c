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

/// A kernel of the group `second_order` of the conformance cases: its formula, and the same in dual numbers.
struct Kernel {
    variables: &'static str,
    formula: &'static str,
    dual: fn(&[Vec<Dual3_64>]) -> Vec<Dual3_64>,
}

fn sqdist(x: &[Dual3_64], y: &[Dual3_64]) -> Dual3_64 {
    x.iter().zip(y).map(|(x, y)| (*x - *y) * (*x - *y)).sum()
}

fn dot(x: &[Dual3_64], y: &[Dual3_64]) -> Dual3_64 {
    x.iter().zip(y).map(|(x, y)| *x * *y).sum()
}

const ROOT_3: f64 = 1.732_050_807_568_877_2;

const KERNELS: &[Kernel] = &[
    Kernel {
        variables: "x_i: Vi<3>, y_j: Vj<3>",
        formula: "Exp(-SqDist(x_i, y_j))",
        dual: |v| vec![(-sqdist(&v[0], &v[1])).exp()],
    },
    Kernel {
        variables: "s: Pm<1>, x_i: Vi<3>, m_i: Vi<3>, x_j: Vj<3>, m_j: Vj<3>",
        formula: "0.5 * (m_i | m_j) * Exp(-s * SqDist(x_i, x_j))",
        dual: |v| vec![dot(&v[2], &v[4]) * (-v[0][0] * sqdist(&v[1], &v[3])).exp() * 0.5],
    },
    Kernel {
        variables: "x_i: Vi<3>, y_j: Vj<3>",
        formula: "(1 + 1.7320508075688772 * Norm2(x_i - y_j)) * Exp(-1.7320508075688772 * Norm2(x_i - y_j))",
        dual: |v| {
            let r = sqdist(&v[0], &v[1]).sqrt() * ROOT_3;
            vec![(r + 1.0) * (-r).exp()]
        },
    },
    Kernel {
        variables: "x_i: Vi<3>, h_j: Vj<3>",
        formula: "Powf(Exp(x_i), h_j)",
        dual: |v| v[0].iter().zip(&v[1]).map(|(x, h)| (*x * *h).exp()).collect(),
    },
    Kernel {
        variables: "A_i: Vi<6>, y_j: Vj<3>",
        formula: "MatVecMult(A_i, y_j)",
        dual: |v| v[0].chunks(3).map(|row| dot(row, &v[1])).collect(),
    },
    Kernel {
        variables: "x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<3>",
        formula: "x_i * y_j + b_j",
        dual: |v| (0..3).map(|k| v[0][k] * v[1][k] + v[2][k]).collect(),
    },
    Kernel {
        // Δ e^(−r²) = (4 r² − 2 n) e^(−r²)
        variables: "x_i: Vi<3>, y_j: Vj<3>",
        formula: "Laplacian(Exp(-SqDist(x_i, y_j)), x_i)",
        dual: |v| {
            let q = sqdist(&v[0], &v[1]);
            vec![(q * 4.0 - 6.0) * (-q).exp()]
        },
    },
    Kernel {
        // |z e^w|² = |z|² e^(2 Re w)
        variables: "z_i: Vi<4>, w_j: Vj<4>",
        formula: "ComplexSquareAbs(ComplexMult(z_i, ComplexExp(w_j)))",
        dual: |v| {
            let square = |k: usize| v[0][2 * k] * v[0][2 * k] + v[0][2 * k + 1] * v[0][2 * k + 1];
            (0..2).map(|k| square(k) * (v[1][2 * k] * 2.0).exp()).collect()
        },
    },
];

/// Value and three derivatives of e·F along a direction in all variables at once, by nested `Diff` and by nested `Grad`.
fn along(kernel: &Kernel, point: &[Vec<f64>], direction: &[Vec<f64>], e: &[f64]) -> [[f64; 4]; 2] {
    ["Diff", "Grad"].map(|mode| {
        let item = format!("fn f({}) = Sum_Reduction({}, 0);", kernel.variables, kernel.formula);
        let mut checked = keops_codegen::compile(item.parse().unwrap()).unwrap().remove(0);
        let (ir, body, n) = (&mut checked.ir, &checked.task.body, point.len());
        let covector = ir.var(2 * n, Category::Pm, Dim::Lit(e.len()));
        let product = ir.mul(covector, body.value);
        let mut roots = vec![ir.sum(product)];
        for k in 0..3 {
            let one = ir.constant(1.0);
            let mut sum = ir.constant(0.0);
            for (position, v) in body.variables.iter().enumerate() {
                let node = ir.var(position, v.category, v.dim.clone());
                let u = ir.var(n + position, Category::Pm, v.dim.clone());
                let part = if mode == "Diff" {
                    apply(ir, "Diff", &[roots[k], node, u], &[])
                } else {
                    let gradient = apply(ir, "Grad", &[roots[k], node, one], &[]);
                    apply(ir, "Scalprod", &[gradient, u], &[])
                };
                sum = ir.add(sum, part);
            }
            roots.push(sum);
        }
        let variables = point.iter().chain(direction).cloned().chain([e.to_vec()]).collect();
        let out = eval(ir, &roots, &Inputs { variables, ..Inputs::default() });
        [0, 1, 2, 3].map(|k| out[k][0])
    })
}

#[test]
fn kernels_in_several_variables() {
    let number = |k: usize, s: f64| (s + 1.7 * k as f64).sin() * 0.8;
    for kernel in KERNELS {
        let dims: Vec<usize> =
            kernel.variables.split('<').skip(1).map(|v| v.split('>').next().unwrap().parse().unwrap()).collect();
        for s in [0.3, 1.1, 2.4] {
            let vector = |s: f64| move |(k, &n): (usize, &usize)| (0..n).map(|c| number(5 * k + c, s)).collect();
            let point: Vec<Vec<f64>> = dims.iter().enumerate().map(vector(s)).collect();
            let direction: Vec<Vec<f64>> = dims.iter().enumerate().map(vector(s + 0.4)).collect();
            let on_the_line = |t: Dual3_64| -> Vec<Dual3_64> {
                let moved = |(x, u): (&Vec<f64>, &Vec<f64>)| x.iter().zip(u).map(|(x, u)| t * *u + *x).collect();
                (kernel.dual)(&point.iter().zip(&direction).map(moved).collect::<Vec<_>>())
            };
            let width = on_the_line(Dual3_64::from(0.0)).len();
            let e: Vec<f64> = (0..width).map(|c| number(c, 0.9)).collect();
            let (f0, f1, f2, f3) = third_derivative(|t| on_the_line(t).iter().zip(&e).map(|(f, e)| *f * *e).sum(), 0.0);
            for got in along(kernel, &point, &direction, &e) {
                for (order, (g, w)) in got.into_iter().zip([f0, f1, f2, f3]).enumerate() {
                    let near = (g - w).abs() <= 1e-10 * w.abs().max(1.0);
                    assert!(near, "{}, order {order}: {g}, not {w}", kernel.formula);
                }
            }
        }
    }
}
