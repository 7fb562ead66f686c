//! `cargo xtask build-ptx`: kernel files beside a package's `Cargo.toml`, and what is in them.

use crate::shell;
use anyhow::{Result, bail};
use keops_build::report::{self, Tools};
use keops_build::{Build, KernelFile, Outcome, Target};
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// What to compile for; each becomes a file of its own
    #[arg(long = "arch", value_name = "LIST", default_value = "sm_80")]
    targets: String,
    /// The folder of the package
    #[arg(long, value_name = "FOLDER", default_value_os_t = shell::root())]
    package: PathBuf,
    /// Where to put the kernel files [default: keops-ptx in the package]
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Approximate elementary functions of the hardware
    #[arg(long)]
    fast_math: bool,
    /// Only say whether the kernel files are current
    #[arg(long)]
    check: bool,
    /// Say what the kernels cost: registers, memory, instructions per pair
    #[arg(long)]
    report: bool,
    /// Report on formulas only whose name contains this
    #[arg(long, value_name = "NAME", default_value = "")]
    only: String,
    /// Report in JSON, one line a kernel
    #[arg(long)]
    json: bool,
    /// Fetch the tools that the report needs, if they are not there
    #[arg(long)]
    install: bool,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let start = Instant::now();
    let targets = Target::list(&options.targets).map_err(anyhow::Error::msg)?;
    let mut build = Build::new(&options.package).targets(targets).fast_math(options.fast_math);
    if let Some(output) = &options.output {
        build = build.output(output);
    }
    if options.check {
        return check(&build.check()?);
    }
    let outcome = build.run()?;
    notes(&outcome);
    let compiled = outcome.files.iter().filter(|file| file.is_new).count();
    eprintln!(
        "{} kernel files, {compiled} of them compiled, {} removed: {:.1} s",
        outcome.files.len(),
        outcome.removed.len(),
        start.elapsed().as_secs_f64()
    );
    if options.report { report(options, outcome.files) } else { Ok(()) }
}

/// An error if the kernel files of a package are not current.
pub(crate) fn run_check(package: &Path) -> Result<()> {
    check(&Build::new(package).check()?)
}

fn report(options: &Options, mut files: Vec<KernelFile>) -> Result<()> {
    let tools = if options.install { Tools::install()? } else { Tools::find()? };
    files.retain(|file| file.name.contains(&options.only));
    let mut formula = String::new();
    for kernel in report::report(&tools, &files)? {
        if options.json {
            println!("{}", kernel.json());
            continue;
        }
        let heading = format!("{} {}", kernel.at, kernel.formula);
        if heading != formula {
            println!("{heading}");
            formula = heading;
        }
        println!("  {kernel}");
    }
    Ok(())
}

fn notes(outcome: &Outcome) {
    for note in &outcome.notes {
        eprintln!("{note}");
    }
}

fn check(outcome: &Outcome) -> Result<()> {
    notes(outcome);
    let missing: Vec<_> = outcome.files.iter().filter(|file| file.is_new).collect();
    for file in &missing {
        println!("{}: `{}` has no current kernels for {}", file.at, file.name, file.target);
    }
    for path in &outcome.removed {
        println!("{}: no formula has these kernels", path.display());
    }
    if missing.is_empty() && outcome.removed.is_empty() {
        println!("{} kernel files, all current", outcome.files.len());
        return Ok(());
    }
    bail!("the kernel files are not current; write them anew with `cargo xtask build-ptx --package …`");
}
