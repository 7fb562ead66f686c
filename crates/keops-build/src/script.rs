//! [`compile`]: the door for build scripts.

use crate::build::Build;
use crate::error::Error;
use crate::sources;
use crate::target::Target;
use std::path::PathBuf;

/// Variables of the environment that a build depends on.
const VARIABLES: [&str; 4] = ["KEOPS_GPU", "KEOPS_GPU_TARGETS", "KEOPS_NVPTX_RUSTC", "KEOPS_CACHE"];

/// To be called by the build script of a package: compiles its formulas, so that `keops!` finds their kernels.
///
/// `KEOPS_GPU_TARGETS` says what for (`sm_80,sm_90`; `sm_80` if it is not set); `KEOPS_GPU=off` makes it do nothing. Without a
/// compiler for GPUs there is a warning, and formulas run on the processor only; with `KEOPS_GPU=require` it is an error. So
/// are kernels that do not compile.
pub fn compile() {
    run(&|build| build);
}

/// The same, after changes to the [`Build`], such as further sources.
pub fn compile_with(change: impl Fn(Build) -> Build) {
    run(&change);
}

fn run(change: &dyn Fn(Build) -> Build) {
    for variable in VARIABLES {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    println!("cargo::rerun-if-changed=build.rs");
    let mode = std::env::var("KEOPS_GPU").unwrap_or_default();
    if let Err(error) = attempt(&mode, change) {
        let missing = matches!(error, Error::NoToolchain { .. }) && mode != "require";
        let (directive, consequence) = match missing {
            true => ("warning", "formulas will run on the processor only: "),
            false => ("error", ""),
        };
        // A directive is one line.
        let text = format!("keops: {consequence}{error}");
        for line in text.lines() {
            println!("cargo::{directive}={line}");
        }
    }
}

fn attempt(mode: &str, change: &dyn Fn(Build) -> Build) -> Result<(), Error> {
    match mode {
        "" | "require" => {}
        "off" => return Ok(()),
        other => {
            let reason = format!("is `{other}`; expected `require`, `off` or nothing");
            return Err(Error::Environment { name: "KEOPS_GPU", reason });
        }
    }
    let package = folder("CARGO_MANIFEST_DIR")?;
    for name in sources::FOLDERS.iter().filter(|name| package.join(name).is_dir()) {
        println!("cargo::rerun-if-changed={name}");
    }
    let targets = match std::env::var("KEOPS_GPU_TARGETS") {
        Ok(list) if !list.is_empty() => Target::list(&list).map_err(|reason| Error::Environment {
            name: "KEOPS_GPU_TARGETS",
            reason: format!("is wrong: {reason}"),
        })?,
        _ => vec![Target::SM_80],
    };
    let build = Build::new(package).output(folder("OUT_DIR")?.join("keops")).targets(targets);
    change(build).run()?;
    Ok(())
}

fn folder(name: &'static str) -> Result<PathBuf, Error> {
    let reason = || "is not set; this function is for build scripts, which cargo starts".to_string();
    std::env::var_os(name).map(PathBuf::from).ok_or_else(|| Error::Environment { name, reason: reason() })
}
