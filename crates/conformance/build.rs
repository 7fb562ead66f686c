//! Writes, for each group of cases and for the random formulas, the formulas and a table of functions that run them.

#[path = "src/case.rs"]
#[allow(dead_code, unreachable_pub)]
mod case;
#[path = "../keops-codegen/tests/formulas/mod.rs"]
#[allow(dead_code)]
mod formulas;
#[path = "src/random.rs"]
#[allow(dead_code)]
mod random;

use case::Case;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

const CASES: &str = "../../tests/oracle/cases.json";

/// Files of `tests` whose formulas run on devices, too.
#[cfg(feature = "cuda")]
const SITUATIONS: [&str; 10] =
    ["accuracy", "batches", "gradients", "language", "layout", "ranges", "sizes", "softmax", "special", "threads"];

fn main() -> Result<(), Box<dyn Error>> {
    for path in [CASES, "src/case.rs", "src/random.rs", "../keops-codegen/tests/formulas/mod.rs"] {
        println!("cargo::rerun-if-changed={path}");
    }
    let cases = case::read(&std::fs::read_to_string(CASES)?)?;
    let mut groups: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
    for case in &cases {
        groups.entry(&case.group).or_default().push(case);
    }
    let mut files = Vec::new();
    let mut write = |name: &str, text: String| -> Result<(), Box<dyn Error>> {
        let path = Path::new(&std::env::var("OUT_DIR")?).join(format!("{name}.rs"));
        std::fs::write(&path, text)?;
        files.push(path);
        Ok(())
    };
    for (group, cases) in groups {
        write(group, text(&cases)?)?;
    }
    write("random", random_text()?)?;
    #[cfg(feature = "cuda")]
    keops_build::compile_with(|build| {
        let build = build.source("../../examples/quickstart/formulas.rs");
        let build = files.iter().fold(build, |build, file| build.plain_source(file));
        SITUATIONS.iter().fold(build, |build, name| build.source(format!("../../tests/cases_{name}.rs")))
    });
    Ok(())
}

/// Modules with the random formulas, and a table of functions that run them.
fn random_text() -> Result<String, Box<dyn Error>> {
    let (mut modules, mut table) = (String::new(), String::new());
    for (k, drawn) in random::drawn().iter().enumerate() {
        writeln!(
            modules,
            "#[allow(unreachable_pub, dead_code)]\nmod r{k} {{\n    keops::keops! {{ {} }}\n}}",
            drawn.items(),
        )?;
        let arguments: String = drawn.used.iter().map(|k| format!("&data[{k}], ")).collect();
        writeln!(
            table,
            "    Entry {{\n        value: |data, _, place| keops_conformance::run_at!(r{k}::formula({arguments}), place),\n        \
             gradient: |data, e, place| keops_conformance::run_at!(r{k}::formula::grad_v{}({arguments}e), place),\n        \
             forward: |data, u, place| keops_conformance::run_at!(r{k}::forward({arguments}u), place),\n    }},",
            drawn.towards,
        )?;
    }
    Ok(format!("{modules}const TABLE: &[Entry] = &[\n{table}];\n"))
}

/// Modules with the formulas, and a macro that makes the table (for any number type).
fn text(cases: &[&Case]) -> Result<String, Box<dyn Error>> {
    let mut modules = String::new();
    let mut table = String::from("macro_rules! table {\n    () => {\n        &[\n");
    for case in cases {
        writeln!(
            modules,
            "#[allow(non_snake_case, unreachable_pub, dead_code)]\nmod {} {{\n    keops::keops! {{ {} }}\n}}",
            case.name,
            case.item(),
        )?;
        let arguments: String = (0..case.variables.len()).map(|k| format!("&data[{k}], ")).collect();
        let run = |function: &str, more: &str| {
            format!(
                "keops_conformance::run_at!({}::formula{function}({arguments}{more}), place).map(keops_conformance::table::Flat::flat)",
                case.name
            )
        };
        let gradient = |v: &str| format!("(\"{v}\", |data, e, place| {}), ", run(&format!("::grad_{v}"), "e"));
        let gradients: String = case.gradients.iter().map(|g| gradient(&g.variable)).collect();
        writeln!(
            table,
            "            keops_conformance::table::Entry {{ name: \"{}\", value: |data, place| {}, gradients: &[{gradients}] }},",
            case.name,
            run("", ""),
        )?;
    }
    table.push_str("        ]\n    };\n}\n");
    Ok(modules + &table)
}
