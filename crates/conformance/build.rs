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

fn main() -> Result<(), Box<dyn Error>> {
    for path in [CASES, "src/case.rs", "src/random.rs", "../keops-codegen/tests/formulas/mod.rs"] {
        println!("cargo::rerun-if-changed={path}");
    }
    let cases = case::read(&std::fs::read_to_string(CASES)?)?;
    let mut groups: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
    for case in &cases {
        groups.entry(&case.group).or_default().push(case);
    }
    for (group, cases) in groups {
        let path = Path::new(&std::env::var("OUT_DIR")?).join(format!("{group}.rs"));
        std::fs::write(path, text(&cases)?)?;
    }
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("random.rs"), random_text()?)?;
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
            "    Entry {{\n        value: |data, _, level| r{k}::formula({arguments}).level(level).run(),\n        \
             gradient: |data, e, level| r{k}::formula::grad_v{}({arguments}e).level(level).run(),\n        \
             forward: |data, u, level| r{k}::forward({arguments}u).level(level).run(),\n    }},",
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
                "{}::formula{function}({arguments}{more}).level(level).run().map(keops_conformance::table::Flat::flat)",
                case.name
            )
        };
        let gradient = |v: &str| format!("(\"{v}\", |data, e, level| {}), ", run(&format!("::grad_{v}"), "e"));
        let gradients: String = case.gradients.iter().map(|g| gradient(&g.variable)).collect();
        writeln!(
            table,
            "            keops_conformance::table::Entry {{ name: \"{}\", value: |data, level| {}, gradients: &[{gradients}] }},",
            case.name,
            run("", ""),
        )?;
    }
    table.push_str("        ]\n    };\n}\n");
    Ok(modules + &table)
}
