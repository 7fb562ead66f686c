//! Simplification and the stage schedule do not change values: random formulas with and without them.

mod formulas;

use formulas::{Draw, Random, VARIABLES, close, formula, values};
use keops_codegen::eval::{Inputs, eval};
use keops_codegen::ir::{Category, Ir, Space};
use keops_codegen::schedule::{Keep, Kind, Schedule, Task, schedule};

const FORMULAS: u64 = 1200;

#[test]
fn simplification_keeps_values() {
    let mut compared = 0;
    for seed in 0..FORMULAS {
        let mut r = Random::new(seed);
        let n = [1, 3, 6][r.below(3)];
        let recipe = formula(&mut r, n, 4, Draw::Anything, &mut Vec::new());
        let inputs = Inputs { variables: values(&mut r), ..Inputs::default() };
        let value = |mut ir: Ir| {
            let f = recipe.build(&mut ir);
            eval(&ir, &[f], &inputs).remove(0)
        };
        let (simple, plain) = (value(Ir::new()), value(Ir::without_simplification()));
        for (a, b) in simple.iter().zip(&plain) {
            assert_eq!(a.is_nan(), b.is_nan(), "seed {seed}: {a} and {b} of {recipe:?}");
        }
        let finite = plain.iter().all(|x| x.is_finite());
        compared += u32::from(finite);
        let scale = plain.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        assert!(!finite || close(&simple, &plain, scale, 1e-11), "seed {seed}: {simple:?} and {plain:?} of {recipe:?}");
    }
    assert!(compared > 600, "only {compared} were finite");
}

/// Values of the variables for some rows and columns.
struct Data {
    rows: Vec<Vec<Vec<f64>>>,
    cols: Vec<Vec<Vec<f64>>>,
    params: Vec<Vec<f64>>,
}

impl Data {
    fn new(r: &mut Random) -> Self {
        let mut several = |n: usize| (0..n).map(|_| values(r)).collect();
        Data { rows: several(2), cols: several(3), params: values(r) }
    }

    fn inputs(&self, row: usize, col: usize, keep: Keep) -> Inputs {
        let row_category = if keep == Keep::J { Category::Vj } else { Category::Vi };
        let pick = |k: usize| match VARIABLES[k].0 {
            Category::Pm => self.params[k].clone(),
            c if c == row_category => self.rows[row][k].clone(),
            _ => self.cols[col][k].clone(),
        };
        let (row_number, col_number) = (row as u64, col as u64);
        let rows = if keep == Keep::J { (col_number, row_number) } else { (row_number, col_number) };
        Inputs { variables: (0..VARIABLES.len()).map(pick).collect(), rows, ..Inputs::default() }
    }
}

/// What an engine does with a schedule: pair values (with the outer vector multiplied) for each column, and the result.
struct Interpreted {
    pairs: Vec<Vec<f64>>,
    weights: Vec<Vec<f64>>,
    sum: Vec<f64>,
}

fn interpret(ir: &Ir, s: &Schedule, data: &Data, row: usize, keep: Keep) -> Interpreted {
    let staged = |space: Space, values: Vec<Vec<f64>>, inputs: &mut Inputs| {
        for (slot, v) in values.into_iter().enumerate() {
            inputs.staged.insert((space, slot), v);
        }
    };
    let mut inputs = data.inputs(row, 0, keep);
    staged(Space::Param, eval(ir, &s.param, &inputs), &mut inputs);
    let before_row = inputs.clone();
    staged(Space::Row, eval(ir, &s.row, &before_row), &mut inputs);
    let mut sum: Vec<f64> = Vec::new();
    let (mut pairs, mut weights) = (Vec::new(), Vec::new());
    for col in 0..data.cols.len() {
        let mut here = inputs.clone();
        let pair_inputs = data.inputs(row, col, keep);
        (here.variables, here.rows) = (pair_inputs.variables, pair_inputs.rows);
        let mut for_col = Inputs { variables: here.variables.clone(), rows: here.rows, ..before_row.clone() };
        staged(Space::Param, eval(ir, &s.param, &here), &mut for_col);
        staged(Space::Col, eval(ir, &s.col, &for_col), &mut here);
        let mut pair = Vec::new();
        for d in &s.pair {
            assert_eq!(d.at, pair.len());
            let nodes: Vec<_> = [Some(d.left), d.right].into_iter().flatten().collect();
            let parts = eval(ir, &nodes, &here);
            let len = parts.iter().map(Vec::len).max().unwrap_or(0);
            pair.extend((0..len).map(|k| parts.iter().map(|p| p[if p.len() == 1 { 0 } else { k }]).product::<f64>()));
        }
        assert_eq!(pair.len(), s.dim.lit().unwrap());
        let outer = s.outer.map(|slot| here.staged[&(Space::Col, slot)].clone());
        let terms: Vec<f64> = match &outer {
            Some(o) => o.iter().map(|o| o * pair[0]).collect(),
            None => pair.clone(),
        };
        sum.resize(terms.len(), 0.0);
        for (a, t) in sum.iter_mut().zip(&terms) {
            *a += t;
        }
        weights.push(outer.unwrap_or_default());
        pairs.push(pair);
    }
    inputs.staged.insert((Space::Acc, 0), sum);
    Interpreted { pairs, weights, sum: eval(ir, &[s.finish], &inputs).remove(0) }
}

fn keep_of(r: &mut Random) -> Keep {
    [Keep::I, Keep::J, Keep::None][r.below(3)]
}

/// Sums hoist factors; the sum of the values must stay.
#[test]
fn scheduled_sums_keep_values() {
    let (mut compared, mut hoisted) = (0, 0);
    for seed in 0..FORMULAS {
        let mut r = Random::new(seed);
        let n = [1, 1, 3][r.below(3)];
        let mut recipe = formula(&mut r, n, 3, Draw::Smooth, &mut Vec::new());
        // Products at the top, as in kernels.
        for _ in 0..r.below(3) {
            let m = if r.below(2) == 0 { 1 } else { n };
            let other = formula(&mut r, m, 2, Draw::Smooth, &mut Vec::new());
            recipe = formulas::Formula::Apply("Mult", vec![recipe, other], vec![]);
        }
        let keep = keep_of(&mut r);
        let mut ir = Ir::new();
        let root = recipe.build(&mut ir);
        let data = Data::new(&mut r);
        let mut want = vec![0.0; n];
        let mut scale = 0.0f64;
        for col in 0..data.cols.len() {
            for (w, v) in want.iter_mut().zip(&eval(&ir, &[root], &data.inputs(1, col, keep))[0]) {
                *w += v;
                scale = scale.max(v.abs());
            }
        }
        for hoist in [true, false] {
            let task = Task { root, weights: None, kind: Kind::Sum, keep, hoist };
            let s = schedule(&mut ir, task).unwrap();
            hoisted += usize::from(s.outer.is_some());
            let got = interpret(&ir, &s, &data, 1, keep).sum;
            if scale.is_finite() && got.iter().all(|x| x.is_finite()) {
                compared += 1;
                assert!(
                    close(&got, &want, scale, 1e-9),
                    "seed {seed} hoist {hoist}: {got:?}, not {want:?} of {recipe:?}"
                );
            }
        }
    }
    assert!(compared > 2000 && hoisted > 200, "{compared} compared, {hoisted} with an outer vector");
}

/// Exponents and selected values are delivered as they are.
#[test]
fn scheduled_values_keep_values() {
    for seed in 0..FORMULAS {
        let mut r = Random::new(seed);
        let (e, n) = ([1, 3][r.below(2)], [1, 3][r.below(2)]);
        let exponent = formula(&mut r, 1, 3, Draw::Anything, &mut Vec::new());
        let weights = formula(&mut r, e, 2, Draw::Anything, &mut Vec::new());
        let value = formula(&mut r, n, 4, Draw::Anything, &mut Vec::new());
        let keep = keep_of(&mut r);
        let data = Data::new(&mut r);
        let mut ir = Ir::new();
        let roots = [&exponent, &weights, &value].map(|f| f.build(&mut ir));
        let tasks = [
            Task { root: roots[0], weights: Some(roots[1]), kind: Kind::Exponential, keep, hoist: true },
            Task { root: roots[2], weights: None, kind: Kind::Select, keep, hoist: true },
        ];
        for task in tasks {
            let s = schedule(&mut ir, task).unwrap();
            let got = interpret(&ir, &s, &data, 0, keep);
            for col in 0..data.cols.len() {
                let want = eval(&ir, &roots, &data.inputs(0, col, keep));
                let want = match task.kind {
                    Kind::Exponential => [want[0].clone(), want[1].clone()].concat(),
                    _ => want[2].clone(),
                };
                let got = [got.pairs[col].clone(), got.weights[col].clone()].concat();
                let scale = want.iter().fold(0.0f64, |m, x| m.max(x.abs()));
                let comparable = scale.is_finite() && want.iter().all(|x| x.is_finite()) && scale < 1e9;
                // Large intermediate values magnify the rounding of regrouped products.
                assert!(
                    !comparable || close(&got, &want, scale, 1e-6),
                    "seed {seed}: {got:?}, not {want:?} of {value:?} {exponent:?} {weights:?}"
                );
            }
        }
    }
}
