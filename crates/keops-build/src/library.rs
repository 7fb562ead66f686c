//! The crates that kernels are compiled with: the standard library's `core` and `libm`, and the device library. Compiled once
//! for each compiler and target, and kept in the cache folder of the user.

use crate::error::Error;
use crate::formulas;
use crate::rustc;
use crate::target::Target;
use crate::toolchain::Toolchain;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiled crates.
#[derive(Debug, Clone)]
pub(crate) struct Library {
    /// Of the standard library.
    standard: PathBuf,
    /// Of keops.
    device: PathBuf,
}

impl Library {
    /// Compiles what is not there yet. Other processes that want the same wait.
    pub(crate) fn prepare(toolchain: &Toolchain, target: Target, fast_math: bool) -> Result<Library, Error> {
        let compiler = hash(&[&toolchain.version, &rustc::library_settings()]);
        let standard = cache()?.join(format!("{compiler}-{target}"));
        let device = standard.join(formulas::library() + if fast_math { "-fast" } else { "" });
        let library = Library { standard, device };
        fs::create_dir_all(&library.device).map_err(Error::io("create", &library.device))?;
        let lock = library.standard.join("lock");
        let lock = File::create(&lock).and_then(|file| file.lock().map(|()| file)).map_err(Error::io("lock", &lock))?;
        library.compile_standard(toolchain, target)?;
        library.compile_device(toolchain, target, fast_math)?;
        drop(lock);
        Ok(library)
    }

    /// Arguments with which kernels find these crates.
    pub(crate) fn arguments(&self, command: &mut Command) {
        command.arg("-L").arg(&self.standard).arg("-L").arg(&self.device);
        command.arg("--extern").arg(extern_of("core", &self.standard));
        for krate in ["keops_core", "keops_gpu_kernels"] {
            command.arg("--extern").arg(extern_of(krate, &self.device));
        }
    }

    fn compile_standard(&self, toolchain: &Toolchain, target: Target) -> Result<(), Error> {
        // `core` refers to the crate `compiler_builtins` by name; nothing of it is used.
        let builtins = self.standard.join("compiler_builtins.rs");
        fs::write(&builtins, "#![no_std]\n#![feature(compiler_builtins)]\n#![compiler_builtins]\n")
            .map_err(Error::io("write", &builtins))?;
        let sources = &toolchain.library;
        let part_of_std: &[&str] = &["-Zforce-unstable-if-unmarked"];
        let crates: [(&'static str, PathBuf, &str, &[&str]); 3] = [
            ("core", sources.join("core/src/lib.rs"), "2024", part_of_std),
            ("compiler_builtins", builtins, "2024", part_of_std),
            ("libm", sources.join("compiler-builtins/libm/src/lib.rs"), "2021", &[]),
        ];
        for (krate, source, edition, flags) in crates {
            self.compile(toolchain, target, krate, &source, &self.standard, |command| {
                command.args(flags).arg(format!("--edition={edition}"));
                if krate != "core" {
                    command.arg("--extern").arg(extern_of("core", &self.standard));
                }
            })?;
        }
        Ok(())
    }

    fn compile_device(&self, toolchain: &Toolchain, target: Target, fast_math: bool) -> Result<(), Error> {
        let crates = [
            ("keops_core", keops_core::SOURCES, &["core", "libm"][..]),
            ("keops_gpu_kernels", keops_gpu_kernels::SOURCES, &["core", "keops_core"][..]),
        ];
        for (krate, sources, dependencies) in crates {
            let folder = self.device.join(krate);
            for (path, text) in sources {
                write(&folder.join(path), text)?;
            }
            self.compile(toolchain, target, krate, &folder.join("lib.rs"), &self.device, |command| {
                command.arg("--edition=2024").arg("-L").arg(&self.device);
                for dependency in dependencies {
                    let folder = if dependency.starts_with("keops") { &self.device } else { &self.standard };
                    command.arg("--extern").arg(extern_of(dependency, folder));
                }
                if fast_math {
                    command.args(["--cfg", "feature=\"fast-math\""]);
                }
            })?;
        }
        Ok(())
    }

    /// Compiles one crate, unless it is there. A name appears only when the file is complete.
    fn compile(
        &self,
        toolchain: &Toolchain,
        target: Target,
        krate: &'static str,
        source: &Path,
        folder: &Path,
        more: impl FnOnce(&mut Command),
    ) -> Result<(), Error> {
        let result = folder.join(format!("lib{krate}.rlib"));
        if result.exists() {
            return Ok(());
        }
        let unfinished = folder.join(format!("unfinished-{krate}.rlib"));
        let mut command = rustc::for_device(&toolchain.rustc, target);
        command.args(["--crate-type=rlib", "--crate-name", krate]).arg(source).arg("-L").arg(&self.standard);
        more(&mut command);
        command.arg("-o").arg(&unfinished);
        let output = command.output().map_err(Error::io("start", &toolchain.rustc))?;
        if !output.status.success() {
            let output = String::from_utf8_lossy(&output.stderr).trim().to_string();
            return Err(Error::Library { rustc: toolchain.rustc.clone(), krate, target: target.to_string(), output });
        }
        fs::rename(&unfinished, &result).map_err(Error::io("rename", &unfinished))
    }
}

fn extern_of(krate: &str, folder: &Path) -> std::ffi::OsString {
    let mut argument = std::ffi::OsString::from(format!("{krate}="));
    argument.push(folder.join(format!("lib{krate}.rlib")));
    argument
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    }
    fs::write(path, text).map_err(Error::io("write", path))
}

/// `KEOPS_CACHE`, or the folder `keops` in the user's folder for caches.
pub(crate) fn cache() -> Result<PathBuf, Error> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("KEOPS_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|folder| folder.join("keops")))
        .or_else(|| set("HOME").map(|home| home.join(".cache/keops")))
        .ok_or_else(|| Error::Environment {
            name: "KEOPS_CACHE",
            reason: "is not set, nor are XDG_CACHE_HOME and HOME, so there is no folder for compiled libraries"
                .to_string(),
        })
}

/// Sixteen digits that tell texts apart.
pub(crate) fn hash(texts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    hasher.finalize().to_hex()[..16].to_string()
}
