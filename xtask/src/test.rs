//! `cargo xtask test`: everything the project checks, in an order in which the quick checks come first.

use crate::{build_ptx, gpu_tools, shell};
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader};
use std::ops::AddAssign;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Numbers of tests.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    passed: usize,
    failed: usize,
    ignored: usize,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
    }
}

/// The packages that have an engine of CUDA devices.
const WITH_CUDA: &str = "--features=keops/cuda,keops-runtime/cuda,keops-conformance/cuda,keops-bench/cuda";

/// Packages outside the workspace, which use keops as others do.
const USERS: &str = "tests/external-user";

/// Checks and tests. All tests run, even if some fail. Tests of devices run on the simulator, or on the GPU of this machine.
pub(crate) fn run(gpu: bool) -> Result<()> {
    gpu_tools::install()?;
    step("format", &mut shell::cargo(["fmt", "--all", "--check"]))?;
    for features in ["--features=", WITH_CUDA] {
        let lints = ["clippy", "--workspace", "--all-targets", features, "--", "--deny=warnings"];
        // Lints look at no kernel.
        step("lints", shell::cargo(lints).env("KEOPS_GPU", "off"))?;
    }
    step(
        "documentation",
        shell::cargo(["doc", "--workspace", "--no-deps", "--document-private-items", WITH_CUDA])
            .env("KEOPS_GPU", "off")
            .env("RUSTDOCFLAGS", "--deny=warnings"),
    )?;

    build_ptx::run_check(&shell::root().join(USERS).join("with-kernel-files"))?;

    // Examples are built with the tests; documentation tests run after them. Situations with many pairs need an
    // optimised build.
    let start = Instant::now();
    let (mut counts, mut success) = (Counts::default(), true);
    let mut users = shell::cargo(["test", "--no-fail-fast"]);
    users.current_dir(shell::root().join(USERS));
    for mut command in [
        shell::cargo(["test", "--workspace", "--no-fail-fast", WITH_CUDA]),
        shell::cargo(["test", "--release", "--test", "cases_large", "--no-fail-fast"]),
        users,
    ] {
        if gpu {
            command.env("KEOPS_TEST_DRIVER", "system");
        }
        let (more, passed) = count(&mut command)?;
        counts += more;
        success &= passed;
    }
    eprintln!("[xtask] tests: {:.0} s", start.elapsed().as_secs_f64());
    let Counts { passed, failed, ignored } = counts;
    println!("tests: {passed} passed, {failed} failed, {ignored} ignored");
    if !success {
        bail!("the tests failed");
    }
    if passed == 0 {
        bail!("there were no tests");
    }
    Ok(())
}

/// Runs one step and says how long it took.
fn step(name: &str, command: &mut Command) -> Result<()> {
    let start = Instant::now();
    eprintln!("[xtask] {name}: {}", shell::show(command));
    shell::run(command)?;
    eprintln!("[xtask] {name}: {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// Runs tests, shows what they print, and adds up their summaries.
fn count(command: &mut Command) -> Result<(Counts, bool)> {
    eprintln!("[xtask] tests: {}", shell::show(command));
    let mut child = command.stdout(Stdio::piped()).spawn().context("could not start the tests")?;
    let mut counts = Counts::default();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            let line = line?;
            println!("{line}");
            counts += summary(&line);
        }
    }
    Ok((counts, child.wait()?.success()))
}

/// The numbers of a line like `test result: ok. 12 passed; 0 failed; 1 ignored; …`.
fn summary(line: &str) -> Counts {
    let Some(rest) = line.strip_prefix("test result: ") else { return Counts::default() };
    let number = |what: &str| {
        let before = rest.split(what).next().filter(|before| before.len() < rest.len());
        before.and_then(|before| before.split_whitespace().last()).and_then(|word| word.parse().ok()).unwrap_or(0)
    };
    Counts { passed: number(" passed"), failed: number(" failed"), ignored: number(" ignored") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_read() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s";
        let Counts { passed, failed, ignored } = summary(line);
        assert_eq!((passed, failed, ignored), (12, 3, 1));
        assert_eq!(summary("test a::b ... ok").passed, 0);
    }
}
