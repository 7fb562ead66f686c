//! Random formulas from the whole table, compiled: value, gradient and directional derivative against the evaluator of the
//! compiler, and against each other, in `f64` on every level and on a device.

#[path = "../../keops-codegen/tests/formulas/mod.rs"]
#[allow(dead_code)]
mod formulas;
#[path = "../src/random.rs"]
mod random;

use keops::Error;
use keops_conformance::place::{self, Place};
use ndarray::Array2;
use random::{Drawn, FORMULAS, Sums, Table, drawn};
use std::collections::BTreeSet;

/// Runs a formula, or a derivative with its covector or direction.
type Run = fn(&[Array2<f64>], &Array2<f64>, Place) -> Result<Array2<f64>, Error>;

/// A formula as compiled functions.
struct Entry {
    value: Run,
    gradient: Run,
    forward: Run,
}

include!(concat!(env!("OUT_DIR"), "/random.rs"));

fn array(rows: &Table) -> Array2<f64> {
    Array2::from_shape_fn((rows.len(), rows[0].len()), |(row, k)| rows[row][k])
}

fn assert_near(got: &Array2<f64>, want: &Sums, what: &str, drawn: &Drawn) {
    let wanted = array(&want.rows);
    assert_eq!(got.dim(), wanted.dim(), "{what} of {}", drawn.items());
    let near = got.iter().zip(&wanted).all(|(g, w)| (g - w).abs() <= 1e-9 * want.scale.max(1.0));
    assert!(near, "{what}: {got:?}, not {wanted:?}: {}", drawn.items());
}

#[test]
fn compiled_formulas_agree_with_the_evaluator() {
    compare(&place::processor());
}

#[cfg(feature = "cuda")]
#[test]
fn formulas_on_a_device_agree_with_the_evaluator() {
    compare(&place::device());
}

fn compare(places: &[Place]) {
    let formulas = drawn();
    assert_eq!(formulas.len(), FORMULAS);
    for (drawn, compiled) in formulas.iter().zip(TABLE) {
        let data: Vec<Array2<f64>> = drawn.data.iter().map(array).collect();
        let (e, u) = (array(&drawn.covector), array(&drawn.direction));
        let expected = drawn.expected();
        for &place in places {
            let run = |f: Run, more| f(&data, more, place).unwrap();
            let (value, gradient, forward) =
                (run(compiled.value, &e), run(compiled.gradient, &e), run(compiled.forward, &u));
            assert_near(&value, &expected.value, &format!("value ({place:?})"), drawn);
            assert_near(&gradient, &expected.gradient, &format!("gradient ({place:?})"), drawn);
            assert_near(&forward, &expected.forward, &format!("directional derivative ({place:?})"), drawn);
            let (left, right) = ((&forward * &e).sum(), (&gradient * &u).sum());
            let scale = (&forward * &e).mapv(f64::abs).sum().max((&gradient * &u).mapv(f64::abs).sum());
            let near = (left - right).abs() <= 1e-9 * scale.max(expected.forward.scale).max(1.0);
            assert!(near, "<Diff u, e> = {left}, <u, Grad e> = {right}: {}", drawn.items());
        }
    }
}

#[test]
fn every_operation_is_in_some_formula() {
    let formulas = drawn();
    let used: BTreeSet<&str> = formulas.iter().flat_map(|drawn| &drawn.operations).copied().collect();
    let drawable = |name: &str| {
        [1, 2, 3, 6].into_iter().any(|n| formulas::arguments(&mut formulas::Random::new(1), name, n).is_some())
    };
    for op in keops_codegen::ops::all().filter(|op| op.is_public() && drawable(op.name)) {
        assert!(used.contains(op.name), "{} is in none of the {FORMULAS} formulas", op.name);
    }
}
