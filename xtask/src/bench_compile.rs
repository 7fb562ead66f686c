//! `cargo xtask bench-compile`: how long a formula takes to compile, in release.
//!
//! A package outside the workspace depends on keops and has one program per formula. The time of a formula is that of its program
//! less that of an empty one: expansion of the macro, generated code for every level of the processor, and nothing of the library.

use crate::shell;
use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Each program is built so often; the median counts.
const REPETITIONS: usize = 5;

/// A formula, its name, and how its function is called on `x`, `y` and `b` of as many components as the dimension says.
struct Formula {
    name: &'static str,
    dimension: usize,
    weights: usize,
    text: &'static str,
    call: &'static str,
}

const FORMULAS: [Formula; 9] = [
    Formula { name: "gauss-3", dimension: 3, weights: 1, text: GAUSS, call: "f(&x, &y, &b)" },
    Formula { name: "gauss-64", dimension: 64, weights: 1, text: GAUSS, call: "f(&x, &y, &b)" },
    Formula { name: "gauss-1000", dimension: 1000, weights: 1, text: GAUSS, call: "f(&x, &y, &b)" },
    Formula { name: "gauss-3-rhs-64", dimension: 3, weights: 64, text: GAUSS, call: "f(&x, &y, &b)" },
    Formula { name: "gauss-3-gradient", dimension: 3, weights: 1, text: GRADIENT, call: "f::grad_x_i(&x, &y, &b, &b)" },
    Formula { name: "lse-3", dimension: 3, weights: 1, text: LOG_SUM_EXP, call: "f(&x, &y)" },
    Formula { name: "attention-64", dimension: 64, weights: 64, text: ATTENTION, call: "f(&x, &y, &b)" },
    Formula { name: "argkmin-3", dimension: 3, weights: 1, text: NEAREST, call: "f(&x, &y)" },
    Formula { name: "hessian-3", dimension: 3, weights: 1, text: HESSIAN, call: "f(&x, &y, &b)" },
];

const GAUSS: &str = "fn f(x_i: Vi<D>, y_j: Vj<D>, b_j: Vj<B>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)) * b_j, 0);";
const GRADIENT: &str =
    "#[grad(x_i)] fn f(x_i: Vi<D>, y_j: Vj<D>, b_j: Vj<B>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)) * b_j, 0);";
const LOG_SUM_EXP: &str = "fn f(x_i: Vi<D>, y_j: Vj<D>) = LogSumExp_Reduction(-SqDist(x_i, y_j), 0);";
const ATTENTION: &str =
    "fn f(x_i: Vi<D>, y_j: Vj<D>, b_j: Vj<B>) = SumSoftMaxWeight_Reduction((x_i | y_j) * 0.125, 0, b_j);";
const NEAREST: &str = "fn f(x_i: Vi<D>, y_j: Vj<D>) = ArgKMin_Reduction(SqDist(x_i, y_j), 10, 0);";
const HESSIAN: &str = "fn f(x_i: Vi<D>, y_j: Vj<D>, b_j: Vj<B>) =
    Sum_Reduction(Grad(Grad(Exp(-SqDist(x_i, y_j)), x_i, b_j) | x_i, x_i, b_j), 0);";

/// Builds every program, prints one line for each.
pub(crate) fn run() -> Result<()> {
    let folder = shell::root().join("target").join("bench-compile");
    write_package(&folder)?;
    build(&folder, "empty").context("the library could not be built")?;
    let empty = median(&folder, "empty")?;
    println!("{:<18} {:>8}   per level", "formula", "seconds");
    let levels = if cfg!(target_arch = "x86_64") { 3 } else { 2 };
    for formula in &FORMULAS {
        let seconds = median(&folder, formula.name)? - empty;
        println!("{:<18} {seconds:>8.2}   {:.2}", formula.name, seconds / f64::from(levels));
    }
    println!("an empty program, linked: {empty:.2} s, not counted above; {levels} levels");
    Ok(())
}

fn write_package(folder: &Path) -> Result<()> {
    let root = shell::root();
    let mut manifest = format!(
        "[package]\nname = \"bench-compile\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\nkeops = {{ path = {root:?} }}\n"
    );
    fs::create_dir_all(folder)?;
    fs::write(folder.join("empty.rs"), "fn main() {}\n")?;
    for name in std::iter::once("empty").chain(FORMULAS.iter().map(|formula| formula.name)) {
        write!(manifest, "\n[[bin]]\nname = \"{name}\"\npath = \"{name}.rs\"\n")?;
    }
    fs::write(folder.join("Cargo.toml"), manifest)?;
    for formula in &FORMULAS {
        let Formula { name, dimension, weights, text, call } = formula;
        let text = text.replace("<D>", &format!("<{dimension}>")).replace("<B>", &format!("<{weights}>"));
        let program = format!(
            "#![allow(unused_variables)]\nkeops::keops! {{ {text} }}\n\
             fn rows<const D: usize>() -> Vec<[f32; D]> {{ vec![[1.0; D]; std::env::args().count()] }}\n\
             fn main() {{\n    let (x, y, b) = (rows::<{dimension}>(), rows::<{dimension}>(), rows::<{weights}>());\n    \
             println!(\"{{:?}}\", {call}.run());\n}}\n"
        );
        fs::write(folder.join(format!("{name}.rs")), program)?;
    }
    Ok(())
}

/// Median of the seconds that building one program takes, everything before it being built.
fn median(folder: &Path, name: &str) -> Result<f64> {
    let source = folder.join(format!("{name}.rs"));
    let text = fs::read_to_string(&source)?;
    let mut seconds = [0.0; REPETITIONS];
    for (repetition, time) in seconds.iter_mut().enumerate() {
        fs::write(&source, format!("{text}// {repetition}\n"))?;
        let start = Instant::now();
        build(folder, name)?;
        *time = start.elapsed().as_secs_f64();
    }
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[REPETITIONS / 2])
}

fn build(folder: &Path, name: &str) -> Result<()> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(folder).env("CARGO_INCREMENTAL", "0");
    shell::run(command.args(["build", "--quiet", "--release", "--bin", name]))
}
