//! What the other tools need: a virtual environment of Python and the compiled limit program, in the user's cache.

use crate::shell;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What pip is asked for. A user's own settings of pip hold, for instance an index with smaller builds of PyTorch.
const PACKAGES: [&str; 3] = ["numpy", "pykeops", "torch"];

/// The cache, and what is in it.
pub(crate) struct Environment {
    cache: PathBuf,
    python: Result<PathBuf, String>,
    limit: Result<PathBuf, String>,
    /// Packages that could not be installed, and why.
    failures: Vec<String>,
}

impl Environment {
    /// Makes what is not there yet. What cannot be made is remembered with the reason.
    pub(crate) fn prepare() -> Result<Environment> {
        let cache = cache_folder()?;
        fs::create_dir_all(&cache).with_context(|| format!("could not make {}", cache.display()))?;
        let python = virtual_environment(&cache.join("venv"));
        let failures = python.as_ref().map_or_else(|_| Vec::new(), |python| install(python));
        let limit = compile_limit(&cache);
        let environment = Environment { cache, python, limit, failures };
        for remark in environment.remarks() {
            eprintln!("[xtask] {remark}");
        }
        Ok(environment)
    }

    /// Where everything lies.
    pub(crate) fn cache(&self) -> &Path {
        &self.cache
    }

    /// The Python of the virtual environment, or why there is none.
    pub(crate) fn python(&self) -> Result<&Path, String> {
        self.python.as_deref().map_err(Clone::clone)
    }

    /// The library of the limit program, or why there is none.
    pub(crate) fn limit(&self) -> Result<&Path, String> {
        self.limit.as_deref().map_err(Clone::clone)
    }

    /// What could not be made.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let missing = [&self.python, &self.limit].into_iter().filter_map(|part| part.as_ref().err());
        missing.chain(&self.failures).cloned().collect()
    }
}

/// `keops-peers` in the user's cache folder.
fn cache_folder() -> Result<PathBuf> {
    let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")));
    Ok(cache.context("neither XDG_CACHE_HOME nor HOME is set, so there is no cache folder")?.join("keops-peers"))
}

/// Makes a virtual environment, if it is not there, and says where its Python is.
fn virtual_environment(folder: &Path) -> Result<PathBuf, String> {
    let python = folder.join("bin/python");
    if quietly(Command::new(&python).args(["-m", "pip", "--version"])) {
        return Ok(python);
    }
    eprintln!("[xtask] making a virtual environment in {}", folder.display());
    if !quietly(Command::new("python3").arg("--version")) {
        return Err("there is no python3, so no other tool can be measured".to_owned());
    }
    if !quietly(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder)) {
        return Err("python3 cannot make a virtual environment (on Debian: apt-get install python3-venv)".to_owned());
    }
    Ok(python)
}

/// Installs packages that are not there. Returns what failed.
fn install(python: &Path) -> Vec<String> {
    let mut failures = Vec::new();
    for package in PACKAGES {
        if quietly(Command::new(python).args(["-m", "pip", "show", "--quiet", package])) {
            continue;
        }
        eprintln!("[xtask] installing {package}");
        if !quietly(Command::new(python).args(["-m", "pip", "install", "--quiet", package])) {
            failures.push(format!("pip could not install {package}"));
        }
    }
    failures
}

/// Compiles the limit program.
fn compile_limit(cache: &Path) -> Result<PathBuf, String> {
    #[cfg(target_arch = "x86_64")]
    let available = std::arch::is_x86_feature_detected!("avx512f");
    #[cfg(not(target_arch = "x86_64"))]
    let available = false;
    if !available {
        return Err("the limit program needs AVX-512, which this processor does not have".to_owned());
    }
    if !quietly(Command::new("g++").arg("--version")) {
        return Err("there is no g++ to compile the limit program (on Debian: apt-get install g++)".to_owned());
    }
    let library = cache.join("liblimit.so");
    let source = shell::root().join("benches/limit/limit.cpp");
    let flags = ["-O3", "-march=native", "-fopenmp", "-shared", "-fPIC", "-o"];
    if !quietly(Command::new("g++").args(flags).arg(&library).arg(source)) {
        return Err("g++ could not compile the limit program".to_owned());
    }
    Ok(library)
}

/// Runs a command without its output. Did it succeed?
fn quietly(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
