//! [`Build`]: from a package to its kernel files.

use crate::batch::Compiler;
use crate::error::Error;
use crate::formulas::{Formula, Formulas, Source};
use crate::library::{Library, hash};
use crate::rustc;
use crate::sources;
use crate::target::Target;
use crate::toolchain::Toolchain;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

/// Formulas that one call of rustc compiles at most.
const BATCH: usize = 16;

/// The folder of a package with kernel files.
const KERNEL_FOLDER: &str = "keops-ptx";

/// What to compile, and where to.
#[derive(Debug, Clone)]
pub struct Build {
    package: PathBuf,
    output: PathBuf,
    targets: Vec<Target>,
    sources: Vec<Source>,
    fast_math: bool,
}

/// A kernel file.
#[derive(Debug, Clone)]
pub struct KernelFile {
    /// Name of the formula, or its text.
    pub name: String,
    /// Source file and line of the formula.
    pub at: String,
    /// The file.
    pub path: PathBuf,
    /// What it was compiled for.
    pub target: Target,
    /// Was it compiled just now?
    pub is_new: bool,
}

/// What was done.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// All kernel files of the package.
    pub files: Vec<KernelFile>,
    /// What was passed over, and why.
    pub notes: Vec<String>,
    /// Files that belonged to formulas of the past, and were removed.
    pub removed: Vec<PathBuf>,
}

impl Build {
    /// All formulas in the sources of a package, for `sm_80`, into its folder `keops-ptx`.
    pub fn new(package: impl Into<PathBuf>) -> Build {
        let package = package.into();
        let output = package.join(KERNEL_FOLDER);
        Build { package, output, targets: vec![Target::SM_80], sources: Vec::new(), fast_math: false }
    }

    /// The folder for kernel files. Others' files in it are left alone.
    pub fn output(mut self, folder: impl Into<PathBuf>) -> Build {
        self.output = folder.into();
        self
    }

    /// The devices to compile for; each becomes a file of its own, and a device runs the one that is closest below it.
    pub fn targets(mut self, targets: impl IntoIterator<Item = Target>) -> Build {
        self.targets = targets.into_iter().collect();
        self.targets.sort();
        self.targets.dedup();
        self
    }

    /// A further source file, such as one that a build script writes.
    pub fn source(mut self, file: impl Into<PathBuf>) -> Build {
        self.sources.push(Source { file: file.into(), exact: true });
        self
    }

    /// A further source file whose formulas are never called with an accumulator but the usual one: they get no kernels for the
    /// others, which nearly halves the time of compilation.
    pub fn plain_source(mut self, file: impl Into<PathBuf>) -> Build {
        self.sources.push(Source { file: file.into(), exact: false });
        self
    }

    /// Approximate elementary functions of the hardware in `f32`, instead of those that are as exact as on the processor.
    pub fn fast_math(mut self, fast: bool) -> Build {
        self.fast_math = fast;
        self
    }

    /// Compiles what is not up to date, and removes what is no longer needed.
    ///
    /// # Errors
    /// If there is no compiler for GPUs while something is to be compiled, or if something cannot be compiled.
    pub fn run(&self) -> Result<Outcome, Error> {
        let formulas = self.formulas()?;
        let mut files = self.files(&formulas);
        if files.iter().any(|file| file.is_new) {
            fs::create_dir_all(&self.output).map_err(Error::io("create", &self.output))?;
            let toolchain = Toolchain::find()?;
            for &target in &self.targets {
                let library = Library::prepare(&toolchain, target, self.fast_math)?;
                let compiler = Compiler { toolchain: &toolchain, library: &library, target };
                let wanted = |file: &&KernelFile| file.is_new && file.target == target;
                let missing: Vec<_> =
                    files.iter().filter(wanted).filter_map(|file| formulas.by_id.get(id(&file.path)?)).collect();
                self.compile(&compiler, &missing)?;
            }
        }
        let removed = self.left_over(&files)?;
        for path in &removed {
            fs::remove_file(path).map_err(Error::io("remove", path))?;
        }
        if self.output == self.package.join(KERNEL_FOLDER) {
            touch(&formulas, files.iter().filter(|file| file.is_new))?;
        }
        files.sort_by(|a, b| (&a.at, &a.name, a.target).cmp(&(&b.at, &b.name, b.target)));
        Ok(Outcome { files, notes: formulas.notes, removed })
    }

    /// What [`Build::run`] would do, without doing it: files that are to be compiled have `is_new`.
    ///
    /// # Errors
    /// If sources cannot be read.
    pub fn check(&self) -> Result<Outcome, Error> {
        let formulas = self.formulas()?;
        let mut files = self.files(&formulas);
        let removed = self.left_over(&files)?;
        files.sort_by(|a, b| (&a.at, &a.name, a.target).cmp(&(&b.at, &b.name, b.target)));
        Ok(Outcome { files, notes: formulas.notes, removed })
    }

    fn formulas(&self) -> Result<Formulas, Error> {
        let of_package = sources::of(&self.package)?.into_iter().map(|file| Source { file, exact: true });
        let sources: Vec<Source> = of_package.chain(self.sources.iter().cloned()).collect();
        Formulas::of(&sources)
    }

    fn files(&self, formulas: &Formulas) -> Vec<KernelFile> {
        let of = |formula: &Formula, target: Target| {
            let path = self.output.join(format!("{}.{target}.ptx", formula.id));
            let stamp = self.stamp(formula, target);
            let is_new = !fs::read_to_string(&path).is_ok_and(|text| text.lines().next() == Some(&stamp));
            KernelFile { name: formula.name.clone(), at: formula.at(), path, target, is_new }
        };
        let all = formulas.by_id.values().flat_map(|formula| self.targets.iter().map(move |&target| (formula, target)));
        all.map(|(formula, target)| of(formula, target)).collect()
    }

    /// First line of a kernel file. It holds what the name does not: how the code was compiled.
    fn stamp(&self, formula: &Formula, target: Target) -> String {
        let math = if self.fast_math { ", fast-math" } else { "" };
        let sums = if formula.exact { "" } else { ", no exact sums" };
        format!("// keops {} {target}{math}{sums}, settings {}", formula.id, hash(&[&rustc::settings()]))
    }

    /// Compiles formulas on all cores.
    fn compile(&self, compiler: &Compiler<'_>, formulas: &[&Formula]) -> Result<(), Error> {
        let threads = threads().min(formulas.len());
        let size = formulas.len().div_ceil(threads.max(1)).clamp(1, BATCH);
        let batches: Vec<&[&Formula]> = formulas.chunks(size).collect();
        let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let scratch = self.output.join(format!("unfinished-{}", std::process::id()));
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(&batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let folder = scratch.join(&batch[0].id);
                        let result =
                            compiler.compile(batch, &folder).and_then(|all| self.write(compiler.target, batch, &all));
                        // A poisoned lock means that another thread is at its end already.
                        if let Ok(mut results) = results.lock() {
                            results.push(result);
                        }
                    }
                });
            }
        });
        // What is left there is of no use to anyone.
        drop(fs::remove_dir_all(&scratch));
        let mut errors = Vec::new();
        for result in results.into_inner().unwrap_or_default() {
            match result {
                Err(Error::Formulas(more)) => errors.extend(more),
                other => other?,
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(Error::Formulas(errors)) }
    }

    /// Writes kernel files; their names appear only when they are complete.
    fn write(&self, target: Target, formulas: &[&Formula], all: &[String]) -> Result<(), Error> {
        for (formula, ptx) in formulas.iter().zip(all) {
            let path = self.output.join(format!("{}.{target}.ptx", formula.id));
            let unfinished = path.with_extension("unfinished");
            let text = format!("{}\n{ptx}", self.stamp(formula, target));
            fs::write(&unfinished, text).map_err(Error::io("write", &unfinished))?;
            fs::rename(&unfinished, &path).map_err(Error::io("write", &path))?;
        }
        Ok(())
    }

    /// Kernel files in the folder that no formula has.
    fn left_over(&self, wanted: &[KernelFile]) -> Result<Vec<PathBuf>, Error> {
        if !self.output.is_dir() {
            return Ok(Vec::new());
        }
        let mut left = Vec::new();
        for entry in fs::read_dir(&self.output).map_err(Error::io("list", &self.output))? {
            let path = entry.map_err(Error::io("list", &self.output))?.path();
            if id(&path).is_some() && !wanted.iter().any(|file| file.path == path) {
                left.push(path);
            }
        }
        left.sort();
        Ok(left)
    }
}

/// Marks the source files of these kernels as changed. Cargo does not know that a formula looks for files in the folder, and would
/// go on with what it has compiled without them.
fn touch<'a>(formulas: &Formulas, new: impl Iterator<Item = &'a KernelFile>) -> Result<(), Error> {
    let sources: BTreeSet<&PathBuf> =
        new.filter_map(|file| formulas.files.get(id(&file.path)?)).flat_map(|files| files.iter()).collect();
    for path in sources {
        let file = fs::File::options().append(true).open(path).map_err(Error::io("open", path))?;
        file.set_modified(SystemTime::now()).map_err(Error::io("touch", path))?;
    }
    Ok(())
}

/// The id in the name of a kernel file, `{id}.sm_{target}.ptx`.
fn id(path: &Path) -> Option<&str> {
    let (id, target) = path.file_name()?.to_str()?.strip_suffix(".ptx")?.split_once('.')?;
    let is_id = id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit());
    (is_id && target.parse::<Target>().is_ok()).then_some(id)
}

/// As many as cargo grants a build script, or as there are cores.
fn threads() -> usize {
    let granted = std::env::var("NUM_JOBS").ok().and_then(|jobs| jobs.parse().ok());
    granted.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}
