//! Compiles the formulas, and then damages the files of two of them as a bad copy would.

use keops_build::{Build, KernelFile};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=src");
    let output = Path::new(&std::env::var("OUT_DIR")?).join("keops");
    // What an earlier run has damaged is to be compiled again.
    let _ = std::fs::remove_dir_all(&output);
    let outcome = Build::new(std::env::var("CARGO_MANIFEST_DIR")?).output(&output).run()?;
    let damage = |name: &str, change: &dyn Fn(&str) -> String| -> Result<(), Box<dyn Error>> {
        let is_it = |file: &&KernelFile| file.name == name;
        let file = outcome.files.iter().find(is_it).ok_or("a formula has no kernel file")?;
        let text = std::fs::read_to_string(&file.path)?;
        Ok(std::fs::write(&file.path, change(&text))?)
    };
    damage("cut_off", &|text| text[..text.len() / 2].to_string())?;
    damage("renamed", &|text| text.replace("keops_Sum", "keops_Product"))
}
