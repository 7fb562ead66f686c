//! [`Case`]: a conformance case, as `tests/oracle/README.md` describes it. Also compiled into the build script.

use serde_json::Value;

/// A variable of a case.
#[derive(Debug, Clone)]
pub struct Variable {
    /// Its name in the formula.
    pub name: String,
    /// `Vi`, `Vj` or `Pm`.
    pub category: String,
    /// Numbers per row.
    pub dim: usize,
    /// Its rows.
    pub data: Table,
}

/// Rows of numbers, all of the same length.
pub type Table = Vec<Vec<f64>>;

/// What is expected of a gradient.
#[derive(Debug, Clone)]
pub struct Gradient {
    /// The variable it is taken towards.
    pub variable: String,
    /// The covector that is pulled back.
    pub seed: Table,
    /// The expected rows.
    pub value: Table,
    /// Tolerances are relative to this.
    pub scale: f64,
}

/// A conformance case.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its name, which is a Rust identifier.
    pub name: String,
    /// The group it belongs to.
    pub group: String,
    /// The variables, in the order of the call.
    pub variables: Vec<Variable>,
    /// The whole reduction.
    pub formula: String,
    /// The expected rows.
    pub value: Table,
    /// Tolerances are relative to this.
    pub scale: f64,
    /// The expected gradients.
    pub gradients: Vec<Gradient>,
    /// Relative tolerance in `f64`.
    pub rtol_f64: f64,
    /// Relative tolerance in `f32`.
    pub rtol_f32: f64,
    /// Why a deviation is acceptable, if it is.
    pub optional: Option<String>,
}

impl Case {
    /// Names that are called in the formula.
    pub fn calls(&self) -> Vec<&str> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        self.formula
            .match_indices('(')
            .map(|(at, _)| {
                let before = self.formula[..at].trim_end();
                &before[before.rfind(|c| !is_name(c)).map_or(0, |k| k + 1)..]
            })
            .filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
            .collect()
    }

    /// The case as an item of `keops!`, with all its gradients.
    pub fn item(&self) -> String {
        let variables: Vec<String> =
            self.variables.iter().map(|v| format!("{}: {}<{}>", v.name, v.category, v.dim)).collect();
        let towards: Vec<&str> = self.gradients.iter().map(|g| g.variable.as_str()).collect();
        let grad = if towards.is_empty() { String::new() } else { format!("#[grad({})] ", towards.join(", ")) };
        format!("{grad}pub fn formula({}) = {};", variables.join(", "), self.formula)
    }
}

/// All cases.
///
/// # Errors
/// If the text is not a list of cases.
pub fn read(text: &str) -> Result<Vec<Case>, String> {
    let json: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let cases = json.as_array().ok_or("the file is not a list")?;
    cases.iter().map(|case| one(case).ok_or_else(|| format!("not a case: {}", case["name"]))).collect()
}

fn one(json: &Value) -> Option<Case> {
    let variable = |v: &Value| {
        Some(Variable {
            name: text(&v["name"])?,
            category: text(&v["cat"])?,
            dim: v["dim"].as_u64()? as usize,
            data: table(&v["data"])?,
        })
    };
    let gradient = |(name, g): (&String, &Value)| {
        Some(Gradient {
            variable: name.clone(),
            seed: table(&g["seed"])?,
            value: table(&g["value"])?,
            scale: g["scale"].as_f64()?,
        })
    };
    let gradients = match &json["grads"] {
        Value::Object(gradients) => gradients.iter().map(gradient).collect::<Option<_>>()?,
        _ => Vec::new(),
    };
    let mut variables: Vec<Variable> = json["vars"].as_array()?.iter().map(variable).collect::<Option<_>>()?;
    // An index that no variable follows has one row in the cases; `keops!` wants to be told.
    for (category, count) in [("Vi", &json["M"]), ("Vj", &json["N"])] {
        if count.as_u64()? == 1 && !variables.iter().any(|v| v.category == category) {
            let name = format!("unused_{}", category.to_lowercase());
            variables.push(Variable { name, category: category.to_string(), dim: 1, data: vec![vec![0.0]] });
        }
    }
    Some(Case {
        name: text(&json["name"])?,
        group: text(&json["group"])?,
        variables,
        formula: text(&json["formula"])?,
        value: table(&json["value"])?,
        scale: json["scale"].as_f64()?,
        gradients,
        rtol_f64: json["rtol_f64"].as_f64()?,
        rtol_f32: json["rtol_f32"].as_f64()?,
        optional: text(&json["optional"]),
    })
}

fn text(json: &Value) -> Option<String> {
    json.as_str().map(str::to_string)
}

fn table(json: &Value) -> Option<Table> {
    json.as_array()?.iter().map(|row| row.as_array()?.iter().map(number).collect()).collect()
}

/// A number; those that JSON has no number for are strings.
fn number(json: &Value) -> Option<f64> {
    match json.as_str() {
        Some("nan") => Some(f64::NAN),
        Some("inf") => Some(f64::INFINITY),
        Some("-inf") => Some(f64::NEG_INFINITY),
        _ => json.as_f64(),
    }
}
