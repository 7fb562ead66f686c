//! `f64`: values computed with many digits (`data/reference.csv`, see `data/reference.py`).

use crate::functions::Function;
use crate::levels;
use crate::ulp::unit_f64;
use std::collections::BTreeMap;

struct Row {
    x: f64,
    y: f64,
    /// The nearest double …
    value: f64,
    /// … and how far the true value lies above it, in ulp.
    rest: f64,
}

fn rows() -> BTreeMap<String, Vec<Row>> {
    let mut out = BTreeMap::<String, Vec<Row>>::new();
    for line in include_str!("../data/reference.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let bits = |s: &str| f64::from_bits(u64::from_str_radix(s, 16).expect("hexadecimal digits"));
        let y = if fields[2].is_empty() { 0.0 } else { bits(fields[2]) };
        let row = Row { x: bits(fields[1]), y, value: bits(fields[3]), rest: fields[4].parse().expect("a number") };
        out.entry(fields[0].to_string()).or_default().push(row);
    }
    out
}

fn error(f: Function, row: &Row, got: f64) -> f64 {
    let measure = f.measure(row.x, row.value);
    if !row.value.is_finite() || row.value == 0.0 || got.is_nan() {
        let same = got.to_bits() == row.value.to_bits();
        return if same { 0.0 } else { f64::INFINITY };
    }
    let rest = row.rest * (unit_f64(row.value) / unit_f64(measure));
    ((got - row.value) / unit_f64(measure) - rest).abs()
}

#[test]
fn values_with_many_digits() {
    let mut failures = Vec::new();
    for (name, rows) in rows() {
        let f = Function::from_name(&name);
        let x: Vec<f64> = rows.iter().map(|r| r.x).collect();
        let y: Vec<f64> = rows.iter().map(|r| r.y).collect();
        for level in levels::double() {
            let got = (level.evaluate)(f, &x, &y);
            let errors = rows.iter().zip(&got).map(|(row, &got)| error(f, row, got));
            let (k, worst) = errors.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).expect("some rows");
            println!("{f:?} {}: {worst:.3} ulp at {:e}, {:e}: {:e}", level.name, x[k], y[k], got[k]);
            if worst > f.bounds().1 {
                failures.push(format!("{f:?} {}: {worst} ulp at {:?}", level.name, (x[k], y[k])));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
