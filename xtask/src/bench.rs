//! `cargo xtask bench`: one job of the benchmark table.

use crate::shell;
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::Command;

const PACKAGE: &str = "keops-bench";

/// Jobs of `keops-scale`.
const SCALE: [&str; 3] = ["batches", "ragged", "ranges"];

/// Builds the program that measures, in release, and says where it is.
pub(crate) fn build() -> Result<PathBuf> {
    shell::run(&mut shell::cargo(["build", "--quiet", "--release", "--package", PACKAGE]))?;
    let metadata = shell::output(&mut shell::cargo(["metadata", "--format-version=1", "--no-deps"]))?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata)?;
    let target = metadata["target_directory"].as_str().context("cargo metadata names no target directory")?;
    Ok(PathBuf::from(target).join("release").join(PACKAGE).with_extension(std::env::consts::EXE_EXTENSION))
}

/// Runs one job. The exit status is that of the job.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let program = build()?;
    let program = match arguments.first() {
        Some(job) if SCALE.contains(&job.as_str()) => {
            program.with_file_name("keops-scale").with_extension(std::env::consts::EXE_EXTENSION)
        }
        _ => program,
    };
    let status =
        Command::new(&program).args(arguments).status().with_context(|| format!("could not start {program:?}"))?;
    std::process::exit(status.code().unwrap_or(1))
}
