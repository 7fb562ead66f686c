//! `cargo xtask bench-gpu`: the tests of devices on the GPU of this machine, and then how fast it is.

use crate::{gpu_tools, peers, shell};
use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::fs;

/// What the kernels are compiled for.
const TARGETS: &str = "sm_80,sm_90";

/// Writes `benches/results/DATE-CARD.md`. Nothing is written if a test fails or if there is no GPU.
pub(crate) fn run() -> Result<()> {
    gpu_tools::install()?;
    // It says that there is no GPU before anything takes long.
    let measure = |points: &str| {
        let program =
            ["run", "--quiet", "--release", "--package=keops-bench", "--features=cuda", "--bin=keops-gpu-bench"];
        let mut command = shell::cargo(program);
        command.args(["--", "--points", points]).env("KEOPS_GPU_TARGETS", TARGETS).env("KEOPS_GPU", "require");
        shell::output(&mut command)
    };
    measure("1000")?;
    let tests = ["test", "--package=keops-conformance", "--features=cuda", "--no-fail-fast", "--", "device"];
    let mut tests = shell::cargo(tests);
    shell::run(tests.env("KEOPS_TEST_DRIVER", "system").env("KEOPS_GPU_TARGETS", TARGETS))?;
    let lines = measure("1000000")?;
    let card: serde_json::Value =
        lines.lines().next().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
    let card = card["device"].as_str().context("the measurement names no device")?;
    let machine = peers::machine::describe(peers::machine::threads());
    let mut text = format!("# {card}, {}\n\n", machine.date);
    writeln!(
        text,
        "Written by `cargo xtask bench-gpu`, after the tests of devices passed on this card. Data and results stay on it.\n"
    )?;
    for detail in &machine.details {
        writeln!(text, "- {detail}")?;
    }
    write!(text, "\n```json\n{lines}```\n")?;
    let path =
        shell::root().join("benches/results").join(format!("{}-{}.md", machine.date, peers::machine::slug(card)));
    fs::write(&path, text).with_context(|| format!("could not write {}", path.display()))?;
    println!("{}", path.display());
    Ok(())
}
