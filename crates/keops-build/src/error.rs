//! What can go wrong.

use std::io;
use std::path::{Path, PathBuf};

/// Why kernels could not be compiled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no compiler for GPUs.
    #[error(
        "found no compiler for NVIDIA GPUs. It takes a rustc (version {needed} or later) and the sources of its standard library: \
         `rustup toolchain install nightly --component rust-src`, or on Debian `apt-get install rustc-web rust-web-src`, or set \
         KEOPS_NVPTX_RUSTC to such a rustc. Looked at:\n{}",
        list(looked_at)
    )]
    NoToolchain {
        /// The oldest version that is new enough.
        needed: &'static str,
        /// What was found, and what it lacks.
        looked_at: Vec<String>,
    },
    /// The compiler that was asked for cannot be used.
    #[error("KEOPS_NVPTX_RUSTC is {}, but {reason}", path.display())]
    UnusableToolchain {
        /// What was asked for.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The standard library or the device library could not be compiled.
    #[error("{} could not compile the crate `{krate}` for {target}:\n{output}", rustc.display())]
    Library {
        /// The compiler.
        rustc: PathBuf,
        /// The crate.
        krate: &'static str,
        /// For what.
        target: String,
        /// What the compiler printed.
        output: String,
    },
    /// Kernels of formulas could not be compiled.
    #[error("{}", list(.0))]
    Formulas(Vec<FormulaError>),
    /// The compiler's result is not as expected.
    #[error("{at}: the kernels of `{name}` are not as expected: {reason}")]
    Unexpected {
        /// File and line of the formula.
        at: String,
        /// Its name.
        name: String,
        /// What is not.
        reason: String,
    },
    /// There are no tools that say what kernels cost.
    #[error(
        "the report needs NVIDIA's ptxas and nvdisasm, which are neither in PATH nor where they are installed to; with \
         `cargo xtask build-ptx --report --install` they are fetched from PyPI ({packages}) into the cache folder of the user, \
         and KEOPS_CUDA_BIN may name a folder that has them"
    )]
    NoTools {
        /// The packages that hold them.
        packages: String,
    },
    /// A tool failed.
    #[error("{} failed:\n{output}", program.display())]
    Tool {
        /// Which one.
        program: PathBuf,
        /// What it printed.
        output: String,
    },
    /// A file or folder could not be used.
    #[error("could not {what} {}: {source}", path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// An environment variable has a wrong value, or none.
    #[error("the environment variable {name} {reason}")]
    Environment {
        /// Its name.
        name: &'static str,
        /// What is wrong.
        reason: String,
    },
}

/// Kernels of a formula that could not be compiled.
#[derive(Debug, thiserror::Error)]
#[error("{at}: the kernels of `{name}` do not compile for {target}: {output}")]
pub struct FormulaError {
    /// File and line of the formula.
    pub at: String,
    /// Its name, or its text.
    pub name: String,
    /// For what.
    pub target: String,
    /// What the compiler printed.
    pub output: String,
}

impl Error {
    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_owned();
        move |source| Error::Io { what, path, source }
    }
}

fn list<T: ToString>(lines: &[T]) -> String {
    lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
