//! The conformance cases through the compiler alone: formulas and their gradients, evaluated pair by pair in `f64`.
//!
//! The engines have the same cases; what fails there but not here is the engine's.

use keops_codegen::ast::ReductionKind;
use keops_codegen::check::{Body, Checked, Operation};
use keops_codegen::eval::{Inputs, eval};
use keops_codegen::ir::{Category, Ir, NodeId};
use keops_codegen::schedule::Keep;
use serde_json::Value;

/// Rows of numbers.
type Table = Vec<Vec<f64>>;

fn table(v: &Value) -> Table {
    let number = |v: &Value| match v.as_str() {
        Some("inf") => f64::INFINITY,
        Some("-inf") => f64::NEG_INFINITY,
        Some(_) => f64::NAN,
        None => v.as_f64().unwrap(),
    };
    v.as_array().unwrap().iter().map(|row| row.as_array().unwrap().iter().map(number).collect()).collect()
}

/// Values of some nodes for every row and column of a body.
struct Pairs<'a> {
    ir: &'a Ir,
    body: &'a Body,
    data: &'a [Table],
    rows: usize,
    cols: usize,
}

impl Pairs<'_> {
    fn at(&self, roots: &[NodeId], row: usize, col: usize) -> Vec<Vec<f64>> {
        let (i, j) = if self.body.keep == Keep::J { (col, row) } else { (row, col) };
        let variables = self.body.variables.iter().zip(self.data).map(|(v, t)| match v.category {
            Category::Vi => t[i].clone(),
            Category::Vj => t[j].clone(),
            Category::Pm => t[0].clone(),
        });
        eval(self.ir, roots, &Inputs { variables: variables.collect(), ..Inputs::default() })
    }

    fn sum(&self) -> Table {
        let width = self.ir.dim(self.body.value).lit().unwrap();
        let mut out: Table = Vec::new();
        for row in 0..self.rows {
            let mut sum = vec![0.0; width];
            for col in 0..self.cols {
                for (s, v) in sum.iter_mut().zip(&self.at(&[self.body.value], row, col)[0]) {
                    *s += v;
                }
            }
            out.push(sum);
        }
        if self.body.keep == Keep::None {
            let total = (0..width).map(|k| out.iter().map(|row| row[k]).sum()).collect();
            out = vec![total];
        }
        out
    }

    /// For each row the largest exponent and the shifted sums of the weighted exponentials and of the plain ones.
    fn exponentials(&self) -> Vec<(f64, Vec<f64>, f64)> {
        (0..self.rows)
            .map(|row| {
                let roots: Vec<NodeId> = [Some(self.body.value), self.body.weight].into_iter().flatten().collect();
                let terms: Vec<_> = (0..self.cols).map(|col| self.at(&roots, row, col)).collect();
                let m = terms.iter().map(|t| t[0][0]).fold(f64::NEG_INFINITY, f64::max);
                let shift = if m.is_finite() { m } else { 0.0 };
                let width = self.body.weight.map_or(1, |w| self.ir.dim(w).lit().unwrap());
                let (mut sums, mut plain) = (vec![0.0; width], 0.0);
                for t in &terms {
                    let p = (t[0][0] - shift).exp();
                    plain += p;
                    for (k, s) in sums.iter_mut().enumerate() {
                        *s += p * t.get(1).map_or(1.0, |w| w[k]);
                    }
                }
                (shift, sums, plain)
            })
            .collect()
    }

    fn least(&self, sign: f64) -> Table {
        let width = self.ir.dim(self.body.value).lit().unwrap();
        (0..self.rows)
            .map(|row| {
                let mut best = vec![f64::INFINITY; width];
                for col in 0..self.cols {
                    for (b, v) in best.iter_mut().zip(&self.at(&[self.body.value], row, col)[0]) {
                        *b = b.min(sign * v);
                    }
                }
                best.into_iter().map(|b| sign * b).collect()
            })
            .collect()
    }
}

struct Case {
    name: String,
    data: Vec<Table>,
    m: usize,
    n: usize,
    checked: Checked,
    json: Value,
}

impl Case {
    fn pairs<'a>(&'a self, body: &'a Body, data: &'a [Table]) -> Pairs<'a> {
        let (rows, cols) = if body.keep == Keep::J { (self.n, self.m) } else { (self.m, self.n) };
        Pairs { ir: &self.checked.ir, body, data, rows, cols }
    }

    /// The value, for the reductions that are evaluated here.
    fn value(&self) -> Option<Table> {
        let pairs = self.pairs(&self.checked.task.body, &self.data);
        let Operation::Reduce(kind, _) = &self.checked.task.operation else { return None };
        match kind {
            ReductionKind::Sum => Some(pairs.sum()),
            ReductionKind::LogSumExp => {
                let log = |(m, s, _): (f64, Vec<f64>, f64)| s.into_iter().map(|s| m + s.ln()).collect();
                Some(pairs.exponentials().into_iter().map(log).collect())
            }
            ReductionKind::SumSoftMaxWeight => {
                let mean = |(_, s, p): (f64, Vec<f64>, f64)| s.into_iter().map(|s| s / p).collect();
                Some(pairs.exponentials().into_iter().map(mean).collect())
            }
            ReductionKind::Min => Some(pairs.least(1.0)),
            ReductionKind::Max => Some(pairs.least(-1.0)),
            _ => None,
        }
    }

    /// The gradient towards a variable, for the reductions that are evaluated here.
    fn gradient(&self, k: usize, seed: &Table) -> Option<Table> {
        let gradient = &self.checked.gradients[k];
        let mut data = self.data.clone();
        match &gradient.task.operation {
            Operation::Reduce(ReductionKind::Sum, _) => data.push(seed.clone()),
            Operation::GradExponential(kind) => {
                let soft_max = *kind == ReductionKind::SumSoftMaxWeight;
                let sums = self.pairs(&self.checked.task.body, &self.data).exponentials();
                let scaled = |(row, e): (&(f64, Vec<f64>, f64), &Vec<f64>)| -> Vec<f64> {
                    let by = |k: usize| if soft_max { row.2 } else { row.1[k] };
                    e.iter().enumerate().map(|(k, e)| if by(k) == 0.0 { 0.0 } else { e / by(k) }).collect()
                };
                data.push(sums.iter().map(|row| vec![row.0]).collect());
                data.push(sums.iter().zip(seed).map(scaled).collect());
                if soft_max {
                    data.push(self.value()?);
                }
            }
            _ => return None,
        }
        Some(self.pairs(&gradient.task.body, &data).sum())
    }
}

fn agree(got: &Table, want: &Table, tolerance: f64) -> bool {
    got.len() == want.len()
        && got.iter().flatten().count() == want.iter().flatten().count()
        && got
            .iter()
            .flatten()
            .zip(want.iter().flatten())
            .all(|(g, w)| g == w || (g.is_nan() && w.is_nan()) || (w.is_finite() && (g - w).abs() <= tolerance))
}

#[test]
fn cases_agree() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/oracle/cases.json");
    let cases: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let (mut values, mut gradients, mut missing, mut wrong) = (0, 0, Vec::new(), Vec::new());
    for json in cases {
        let text = |v: &Value| v.as_str().unwrap().to_string();
        let vars = json["vars"].as_array().unwrap();
        let variables: Vec<String> =
            vars.iter().map(|v| format!("{}: {}<{}>", text(&v["name"]), text(&v["cat"]), v["dim"])).collect();
        let towards: Vec<String> = json["grads"].as_object().map_or(vec![], |g| g.keys().cloned().collect());
        let grad = if towards.is_empty() { String::new() } else { format!("#[grad({})]", towards.join(", ")) };
        let item = format!("#[allow(unused)] {grad} pub fn f({}) = {};", variables.join(", "), text(&json["formula"]));
        let name = text(&json["name"]);
        let checked = match keops_codegen::compile(item.parse().unwrap()) {
            Ok(mut checked) => checked.remove(0),
            Err(mistakes) => {
                missing.push(format!("{name}: {mistakes:?}"));
                continue;
            }
        };
        let (m, n) = (json["M"].as_u64().unwrap() as usize, json["N"].as_u64().unwrap() as usize);
        let data = vars.iter().map(|v| table(&v["data"])).collect();
        let case = Case { name, data, m, n, checked, json };
        let tolerance = case.json["rtol_f64"].as_f64().unwrap();
        if let Some(got) = case.value() {
            values += 1;
            let want = table(&case.json["value"]);
            if !agree(&got, &want, tolerance * case.json["scale"].as_f64().unwrap()) {
                wrong.push(format!("{}: value {got:?}, not {want:?}", case.name));
            }
        }
        for (k, towards) in towards.iter().enumerate() {
            let expected = &case.json["grads"][towards];
            if let Some(got) = case.gradient(k, &table(&expected["seed"])) {
                gradients += 1;
                let want = table(&expected["value"]);
                if !agree(&got, &want, tolerance * expected["scale"].as_f64().unwrap()) {
                    wrong.push(format!("{} by {towards}: {got:?}, not {want:?}", case.name));
                }
            }
        }
    }
    println!("{values} values, {gradients} gradients; operations to come: {missing:#?}");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(values > 150 && gradients > 250, "only {values} values and {gradients} gradients were compared");
}
