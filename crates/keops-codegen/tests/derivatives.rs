//! Both derivative modes on random formulas: against each other and against finite differences.

mod formulas;

use formulas::{Draw, Formula, Random, VARIABLES, apply, close, formula, values, variable};
use keops_codegen::eval::{Inputs, eval};
use keops_codegen::ir::{Ir, NodeId};
use std::collections::BTreeSet;

const FORMULAS: u64 = 1200;

/// A formula, a variable in it, a tangent and a covector.
struct Case {
    formula: Formula,
    n: usize,
    towards: usize,
    variables: Vec<Vec<f64>>,
    tangent: Vec<f64>,
    covector: Vec<f64>,
}

fn case(seed: u64, draw: Draw, used: &mut Vec<&'static str>) -> Case {
    let mut r = Random::new(seed);
    let n = [1, 1, 2, 3, 6][r.below(5)];
    let depth = 2 + r.below(3);
    let formula = formula(&mut r, n, depth, draw, used);
    let towards = r.below(VARIABLES.len());
    let (tangent, covector) = (r.vector(VARIABLES[towards].1), r.vector(n));
    Case { formula, n, towards, variables: values(&mut r), tangent, covector }
}

fn inputs(case: &Case) -> Inputs {
    let mut variables = case.variables.clone();
    variables.push(case.tangent.clone());
    variables.push(case.covector.clone());
    Inputs { variables, ..Inputs::default() }
}

/// Nodes for the tangent and the covector of a case.
fn directions(ir: &mut Ir, case: &Case) -> (NodeId, NodeId) {
    use keops_codegen::ir::{Category, Dim};
    let k = VARIABLES.len();
    let u = ir.var(k, Category::Pm, Dim::Lit(VARIABLES[case.towards].1));
    (u, ir.var(k + 1, Category::Pm, Dim::Lit(case.n)))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn size(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x * y).abs()).sum()
}

#[test]
fn modes_are_transposes_of_each_other() {
    let mut used = Vec::new();
    let mut compared = 0;
    for seed in 0..FORMULAS {
        let case = case(seed, Draw::Anything, &mut used);
        for simplify in [true, false] {
            let mut ir = if simplify { Ir::new() } else { Ir::without_simplification() };
            let f = case.formula.build(&mut ir);
            let v = variable(&mut ir, case.towards);
            let (u, e) = directions(&mut ir, &case);
            let roots = [apply(&mut ir, "Diff", &[f, v, u], &[]), apply(&mut ir, "Grad", &[f, v, e], &[])];
            let out = eval(&ir, &roots, &inputs(&case));
            let (left, right) = (dot(&out[0], &case.covector), dot(&out[1], &case.tangent));
            if !left.is_finite() || !right.is_finite() {
                continue;
            }
            compared += 1;
            let scale = size(&out[0], &case.covector).max(size(&out[1], &case.tangent));
            assert!(close(&[left], &[right], scale, 1e-9), "seed {seed}: {left} and {right} of {:?}", case.formula);
        }
    }
    assert!(compared > FORMULAS, "only {compared} were finite");
    let used: BTreeSet<_> = used.into_iter().collect();
    for op in keops_codegen::ops::all().filter(|op| op.is_public()) {
        let drawn = used.contains(op.name) || formulas::arguments(&mut Random::new(1), op.name, 1).is_none();
        assert!(drawn, "{} was never drawn", op.name);
    }
}

#[test]
fn derivatives_agree_with_finite_differences() {
    let mut compared = 0;
    for seed in 0..FORMULAS {
        let case = case(seed, Draw::Smooth, &mut Vec::new());
        let mut ir = Ir::new();
        let f = case.formula.build(&mut ir);
        let v = variable(&mut ir, case.towards);
        let (u, _) = directions(&mut ir, &case);
        let df = apply(&mut ir, "Diff", &[f, v, u], &[]);
        let at = |h: f64, root: NodeId| {
            let mut inputs = inputs(&case);
            for (x, t) in inputs.variables[case.towards].iter_mut().zip(&case.tangent) {
                *x += h * t;
            }
            eval(&ir, &[root], &inputs).remove(0)
        };
        let slope = |h: f64| -> Vec<f64> { at(h, f).iter().zip(at(-h, f)).map(|(a, b)| (a - b) / (2.0 * h)).collect() };
        let (coarse, fine, exact) = (slope(1e-4), slope(5e-5), at(0.0, df));
        // Formulas that bend or jump nearby tell nothing.
        let scale = exact.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        if !close(&coarse, &fine, scale, 1e-6) || !scale.is_finite() {
            continue;
        }
        compared += 1;
        assert!(close(&fine, &exact, scale, 1e-5), "seed {seed}: {fine:?} and {exact:?} of {:?}", case.formula);
    }
    assert!(compared > FORMULAS as usize * 8 / 10, "only {compared} were smooth");
}

#[test]
fn second_derivatives_are_symmetric_and_agree_with_finite_differences() {
    let mut compared = 0;
    for seed in 0..FORMULAS / 2 {
        let case = case(seed, Draw::Smooth, &mut Vec::new());
        let mut ir = Ir::new();
        let f = case.formula.build(&mut ir);
        let v = variable(&mut ir, case.towards);
        let (u, e) = directions(&mut ir, &case);
        let gradient = apply(&mut ir, "Grad", &[f, v, e], &[]);
        let forward = apply(&mut ir, "Diff", &[gradient, v, u], &[]);
        let reverse = apply(&mut ir, "Grad", &[gradient, v, u], &[]);
        let out = eval(&ir, &[forward, reverse], &inputs(&case));
        let scale = out[0].iter().chain(&out[1]).fold(0.0f64, |m, x| m.max(x.abs()));
        if !scale.is_finite() {
            continue;
        }
        assert!(
            close(&out[0], &out[1], scale, 1e-8),
            "seed {seed}: {:?} and {:?} of {:?}",
            out[0],
            out[1],
            case.formula
        );
        let at = |h: f64| {
            let mut inputs = inputs(&case);
            for (x, t) in inputs.variables[case.towards].iter_mut().zip(&case.tangent) {
                *x += h * t;
            }
            eval(&ir, &[gradient], &inputs).remove(0)
        };
        let slope = |h: f64| -> Vec<f64> { at(h).iter().zip(at(-h)).map(|(a, b)| (a - b) / (2.0 * h)).collect() };
        let (coarse, fine) = (slope(1e-4), slope(5e-5));
        if close(&coarse, &fine, scale, 1e-6) {
            compared += 1;
            assert!(close(&fine, &out[0], scale, 1e-5), "seed {seed}: {fine:?} and {:?} of {:?}", out[0], case.formula);
        }
    }
    assert!(compared > FORMULAS as usize * 3 / 10, "only {compared} were smooth");
}
