//! What tests of the GPU path need beyond rustup: a compiler for GPUs, and NVIDIA's assembler.

use crate::shell;
use anyhow::{Context, Result};
use keops_build::Toolchain;
use keops_build::report::Tools;
use std::process::{Command, Stdio};

/// Debian's packages with a compiler and the sources of its standard library.
const PACKAGES: [&str; 2] = ["rustc-web", "rust-web-src"];

/// Installs what is missing. Neither needs a GPU, and nothing is put into the repository.
///
/// # Errors
/// What is missing and cannot be installed here, and what to do.
pub(crate) fn install() -> Result<()> {
    if let Err(missing) = Toolchain::find() {
        eprintln!("[xtask] there is no compiler for GPUs yet; installing {}", PACKAGES.join(" "));
        apt_get(&["update", "--quiet"])
            .and_then(|()| apt_get(&[&["install", "--quiet", "--yes"], &PACKAGES[..]].concat()))
            .with_context(|| format!("it could not be installed; {missing}"))?;
        Toolchain::find()?;
    }
    Tools::install().context("NVIDIA's assembler could not be installed")?;
    Ok(())
}

/// Runs Debian's package manager, as root.
fn apt_get(arguments: &[&str]) -> Result<()> {
    let id = shell::output(Command::new("id").arg("-u")).unwrap_or_default();
    let mut command = match id.trim() {
        "0" => Command::new("apt-get"),
        _ => {
            let mut sudo = Command::new("sudo");
            // Asks for no password: where nobody answers this would wait for ever.
            sudo.args(["--non-interactive", "apt-get"]);
            sudo
        }
    };
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
    shell::run(&mut command)
}
