//! Finds a rustc that can compile for NVIDIA GPUs: any recent one whose standard library is at hand as source.

use crate::error::Error;
use crate::rustc;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The oldest rustc that understands our sources.
const NEEDED: &str = env!("CARGO_PKG_RUST_VERSION");

/// A usable compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolchain {
    /// The program.
    pub rustc: PathBuf,
    /// The folder with the sources of the standard library: `core` and others.
    pub library: PathBuf,
    /// What `rustc -vV` prints.
    pub version: String,
}

impl Toolchain {
    /// Looks for a compiler: what `KEOPS_NVPTX_RUSTC` names; then the toolchains of rustup, newest first; then the `rustc`s in
    /// `PATH`.
    ///
    /// # Errors
    /// [`Error::NoToolchain`] says what was looked at; [`Error::UnusableToolchain`] what is wrong with the one that was asked
    /// for.
    pub fn find() -> Result<Toolchain, Error> {
        Search::of_this_machine().run()
    }

    /// Its first line, such as `rustc 1.96.0 (ac68faa20 2026-05-25)`.
    pub fn name(&self) -> &str {
        self.version.lines().next().unwrap_or_default()
    }
}

/// Where to look.
struct Search {
    required: Option<PathBuf>,
    /// The folder with rustup's toolchains.
    rustup: Option<PathBuf>,
    path: Vec<PathBuf>,
    /// Where distributions put sources.
    sources: PathBuf,
}

impl Search {
    fn of_this_machine() -> Search {
        let set = |name| std::env::var_os(name).filter(|value: &OsString| !value.is_empty()).map(PathBuf::from);
        let rustup = set("RUSTUP_HOME").or_else(|| set("HOME").map(|home| home.join(".rustup")));
        Search {
            required: set("KEOPS_NVPTX_RUSTC"),
            rustup: rustup.map(|folder| folder.join("toolchains")),
            path: std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default(),
            sources: PathBuf::from("/usr/src"),
        }
    }

    fn run(&self) -> Result<Toolchain, Error> {
        if let Some(path) = &self.required {
            return self.examine(path).map_err(|reason| Error::UnusableToolchain { path: path.clone(), reason });
        }
        let mut looked_at = Vec::new();
        let mut found = Vec::new();
        for rustc in self.of_rustup() {
            match self.examine(&rustc) {
                Ok(toolchain) => found.push(toolchain),
                Err(reason) => looked_at.push(format!("  {}: {reason}", rustc.display())),
            }
        }
        if let Some(newest) = found.into_iter().max_by_key(|toolchain| release(&toolchain.version)) {
            return Ok(newest);
        }
        for rustc in self.of_path() {
            match self.examine(&rustc) {
                Ok(toolchain) => return Ok(toolchain),
                Err(reason) => looked_at.push(format!("  {}: {reason}", rustc.display())),
            }
        }
        if looked_at.is_empty() {
            looked_at.push("  no rustc at all in rustup's folder and in PATH".to_string());
        }
        Err(Error::NoToolchain { needed: NEEDED, looked_at })
    }

    fn of_rustup(&self) -> Vec<PathBuf> {
        let folders = self.rustup.iter().flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
        let mut all: Vec<PathBuf> = folders.map(|folder| folder.path().join("bin/rustc")).collect();
        all.retain(|rustc| rustc.is_file());
        all.sort();
        all
    }

    fn of_path(&self) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = self.path.iter().map(|folder| folder.join("rustc")).collect();
        all.retain(|rustc| rustc.is_file());
        all.dedup();
        all
    }

    /// The toolchain of this program, or what it lacks.
    fn examine(&self, rustc: &Path) -> Result<Toolchain, String> {
        let version = rustc::print(rustc, &["-vV"])?;
        match release(&version) {
            Some(found) if Some(found) >= release(&format!("release: {NEEDED}")) => {}
            Some((major, minor)) => return Err(format!("it is version {major}.{minor}, too old: {NEEDED} is needed")),
            None => return Err("it does not say its version".to_string()),
        }
        let sysroot = PathBuf::from(rustc::print(rustc, &["--print", "sysroot"])?.trim());
        let release = version.lines().find_map(|line| line.strip_prefix("release: ")).unwrap_or_default();
        let of_rustup = sysroot.join("lib/rustlib/src/rust/library");
        let of_distribution = self.sources.join(format!("rustc-{release}/library"));
        let libraries = [of_rustup, of_distribution];
        let library = libraries.iter().find(|l| l.join("core/src/lib.rs").is_file()).ok_or_else(|| {
            let looked: Vec<_> = libraries.iter().map(|l| l.display().to_string()).collect();
            format!("the sources of its standard library are neither in {}", looked.join(" nor in "))
        })?;
        // What is found in PATH may be rustup's stand-in, which starts another rustc from folder to folder.
        let own = sysroot.join("bin/rustc");
        let rustc = if own.is_file() { own } else { rustc.to_owned() };
        Ok(Toolchain { rustc, library: library.clone(), version })
    }
}

/// Major and minor number in what `rustc -vV` prints.
fn release(version: &str) -> Option<(u32, u32)> {
    let release = version.lines().find_map(|line| line.strip_prefix("release: "))?;
    let mut numbers = release.split(['.', '-']).map(|n| n.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// A folder with pretended compilers.
    struct Machine(tempfile::TempDir);

    impl Machine {
        fn new() -> Self {
            Machine(tempfile::tempdir().unwrap())
        }
        fn at(&self, path: &str) -> PathBuf {
            self.0.path().join(path)
        }
        /// A script that answers as a rustc of this version and with this sysroot would.
        fn rustc(&self, path: &str, release: &str, sysroot: &str) -> PathBuf {
            let script = self.at(path);
            std::fs::create_dir_all(script.parent().unwrap()).unwrap();
            let text = format!(
                "#!/bin/sh\nif [ \"$1\" = -vV ]; then echo rustc {release}; echo release: {release}; else echo {}; fi\n",
                self.at(sysroot).display()
            );
            std::fs::write(&script, text).unwrap();
            std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).unwrap();
            script
        }
        fn sources(&self, library: &str) -> PathBuf {
            let core = self.at(library).join("core/src");
            std::fs::create_dir_all(&core).unwrap();
            std::fs::write(core.join("lib.rs"), "").unwrap();
            self.at(library)
        }
        fn search(&self) -> Search {
            Search {
                required: None,
                rustup: Some(self.at("rustup")),
                path: vec![self.at("bin"), self.at("usr/bin")],
                sources: self.at("usr/src"),
            }
        }
    }

    #[test]
    fn the_newest_toolchain_of_rustup_with_sources_comes_first() {
        let machine = Machine::new();
        machine.rustc("usr/bin/rustc", "1.99.0", "usr");
        machine.sources("usr/src/rustc-1.99.0/library");
        machine.rustc("rustup/a/bin/rustc", "1.97.0-nightly", "rustup/a");
        let library = machine.sources("rustup/a/lib/rustlib/src/rust/library");
        machine.rustc("rustup/b/bin/rustc", "1.96.0", "rustup/b");
        machine.sources("rustup/b/lib/rustlib/src/rust/library");
        machine.rustc("rustup/c/bin/rustc", "1.98.0", "rustup/c");
        let found = machine.search().run().unwrap();
        assert_eq!((found.rustc, found.library), (machine.at("rustup/a/bin/rustc"), library));
    }

    #[test]
    fn a_rustc_of_a_distribution_is_found_in_path() {
        let machine = Machine::new();
        // Rustup's stand-in: its toolchain has no sources.
        machine.rustc("bin/rustc", "1.96.0", "rustup/a");
        let rustc = machine.rustc("usr/bin/rustc", "1.97.1", "usr");
        let library = machine.sources("usr/src/rustc-1.97.1/library");
        let found = machine.search().run().unwrap();
        assert_eq!((found.rustc, found.library, found.version.lines().next()), (rustc, library, Some("rustc 1.97.1")));
    }

    #[test]
    fn what_is_asked_for_is_taken_or_refused() {
        let machine = Machine::new();
        machine.rustc("usr/bin/rustc", "1.99.0", "usr");
        machine.sources("usr/src/rustc-1.99.0/library");
        let mine = machine.rustc("mine/bin/rustc", "1.96.0", "mine");
        let mut search = machine.search();
        search.required = Some(mine.clone());
        let message = search.run().unwrap_err().to_string();
        assert!(message.contains("KEOPS_NVPTX_RUSTC") && message.contains("sources"), "{message}");
        machine.sources("mine/lib/rustlib/src/rust/library");
        assert_eq!(search.run().unwrap().rustc, mine);
        search.required = Some(machine.at("nowhere"));
        assert!(search.run().unwrap_err().to_string().contains("could not be started"));
    }

    #[test]
    fn without_any_the_error_says_what_was_looked_at_and_what_to_do() {
        let machine = Machine::new();
        machine.rustc("usr/bin/rustc", "1.63.0", "usr");
        machine.rustc("rustup/a/bin/rustc", "1.97.0", "rustup/a");
        let message = machine.search().run().unwrap_err().to_string();
        for part in ["1.63, too old", "rustup/a/bin/rustc: the sources", "rustup toolchain install", "apt-get install"]
        {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
}
