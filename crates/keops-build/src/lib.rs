//! Compiles the formulas of a crate for NVIDIA GPUs, at build time.
//!
//! `keops!` cannot start a compiler, so a crate that wants kernels for GPUs asks for them in its build script:
//!
//! ```no_run
//! // In `main` of build.rs, with `keops-build` among the build-dependencies:
//! keops_build::compile();
//! ```
//!
//! The sources are searched for calls of `keops!`, and each formula goes through the same compiler as in the macro. The
//! emitted bodies become one `no_std` crate with the device library, which a rustc with a standard library in source form
//! ([`Toolchain::find`]) compiles to PTX. The macro finds the result by its name, `{id}.sm_{target}.ptx`, where the id stands
//! for the formula's meaning, the device library and the version of keops; hence formulas that did not change are not
//! compiled again, and a file never meets another formula.
//!
//! A crate whose users shall need no compiler for GPUs keeps kernel files beside its `Cargo.toml`, in `keops-ptx`:
//! [`Build::new`]`(package).run()` writes them, and [`Build::check`] says whether they are current. The macro looks in
//! `OUT_DIR` first.
//!
//! Formulas with const parameters have no kernels, because kernels are compiled for dimensions that are numbers; nor have
//! formulas that other macros put together, because nothing is expanded here.

mod batch;
mod build;
mod diagnostics;
mod error;
mod facts;
mod formulas;
mod library;
mod ptx;
pub mod report;
mod rustc;
mod scan;
mod script;
mod sources;
mod target;
mod toolchain;

pub use build::{Build, KernelFile, Outcome};
pub use error::{Error, FormulaError};
pub use script::{compile, compile_with};
pub use target::Target;
pub use toolchain::Toolchain;
