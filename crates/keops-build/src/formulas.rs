//! The formulas of source files, compiled to the bodies that the macro emits.

use crate::error::Error;
use crate::scan;
use keops_codegen::kernel::{Device, Kernel, Reduction};
use keops_codegen::schedule::Keep;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A source file.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) file: PathBuf,
    /// Do its formulas get kernels for exact sums?
    pub(crate) exact: bool,
}

/// An emitted body, and where its formula is.
#[derive(Debug, Clone)]
pub(crate) struct Formula {
    pub(crate) id: String,
    /// Its name, or its text.
    pub(crate) name: String,
    /// Which index it keeps.
    pub(crate) keep: Keep,
    /// What it is used with.
    pub(crate) reductions: Vec<Reduction>,
    /// The text of the body.
    pub(crate) source: String,
    /// Does it get kernels for exact sums?
    pub(crate) exact: bool,
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
}

impl Formula {
    /// `file:line`.
    pub(crate) fn at(&self) -> String {
        format!("{}:{}", self.file.display(), self.line)
    }
}

/// Formulas by their id, and what was passed over.
#[derive(Debug, Default)]
pub(crate) struct Formulas {
    pub(crate) by_id: BTreeMap<String, Formula>,
    /// All files of each id: equal formulas share their kernels.
    pub(crate) files: BTreeMap<String, BTreeSet<PathBuf>>,
    pub(crate) notes: Vec<String>,
}

/// Identifies the device library that this crate brings along.
pub(crate) fn library() -> String {
    keops_codegen::kernel::library(keops_core::SOURCES.iter().chain(keops_gpu_kernels::SOURCES))
}

impl Formulas {
    /// The formulas of these files. What cannot be read is noted: the compiler will say what is wrong with it.
    pub(crate) fn of(sources: &[Source]) -> Result<Formulas, Error> {
        let mut formulas = Formulas::default();
        let library = library();
        for source in sources {
            formulas.read(source, &library)?;
        }
        Ok(formulas)
    }

    fn read(&mut self, Source { file, exact }: &Source, library: &str) -> Result<(), Error> {
        let text = std::fs::read_to_string(file).map_err(Error::io("read", file))?;
        let calls = match scan::calls(&text) {
            Ok(calls) => calls,
            Err(error) => {
                self.notes.push(format!("{}: passed over, it cannot be read as Rust: {error}", file.display()));
                return Ok(());
            }
        };
        for call in calls {
            let found = RefCell::new(Vec::new());
            let find = |kernel: &Kernel| {
                found.borrow_mut().push(kernel.clone());
                Ok(Vec::new())
            };
            let (_, mistakes) = keops_codegen::expand_for(&Device { library, find: &find }, call.tokens);
            for mistake in mistakes.iter() {
                let line = line_of(mistake.at.start).unwrap_or(call.line);
                self.notes.push(format!("{}:{line}: passed over: {}", file.display(), mistake.message));
            }
            for kernel in found.into_inner() {
                let line = line_of(kernel.at.start).unwrap_or(call.line);
                let Kernel { id, name, keep, reductions, source, .. } = kernel;
                let source = source.to_string();
                let file = file.to_owned();
                let formula = Formula { id: id.clone(), name, keep, reductions, source, exact: *exact, file, line };
                self.files.entry(id.clone()).or_default().insert(formula.file.clone());
                self.by_id.entry(id).or_insert(formula).exact |= *exact;
            }
        }
        Ok(())
    }
}

/// The line of a token of the file; none for tokens that the compiler added.
fn line_of(span: proc_macro2::Span) -> Option<usize> {
    (!span.byte_range().is_empty()).then(|| span.start().line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Formulas {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lib.rs");
        std::fs::write(&file, text).unwrap();
        Formulas::of(&[Source { file, exact: true }]).unwrap()
    }

    #[test]
    fn every_body_has_the_line_of_its_formula() {
        let formulas = read(
            "keops! {
                fn one(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(SqDist(x_i, y_j), 0);

                #[grad(x_i)]
                fn two(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(Exp(-SqDist(x_i, y_j)), 0);
            }
            fn f() {
                keops!(|x_i: Vi<1>, y_j: Vj<1>| Min_Reduction(x_i * y_j, 0));
            }",
        );
        let mut found: Vec<_> = formulas.by_id.values().map(|f| (f.line, f.name.as_str())).collect();
        found.sort();
        assert_eq!(found, [(2, "one"), (5, "two"), (5, "two::grad_x_i"), (8, "Min_Reduction(x_i * y_j, 0)")]);
        assert_eq!(formulas.notes, [""; 0]);
    }

    #[test]
    fn equal_formulas_are_compiled_once() {
        let formulas = read(
            "keops! { fn f(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(SqDist(x_i, y_j), 0); }
            keops! { fn g(a_i: Vi<3>, b_j: Vj<3>) = Sum_Reduction(SqDist(a_i, b_j), 0); }",
        );
        assert_eq!(formulas.by_id.len(), 1);
    }

    #[test]
    fn mistakes_are_noted_and_the_rest_goes_on() {
        let formulas = read(
            "keops! {
                fn f(x_i: Vi<3>, y_j: Vj<2>) = Sum_Reduction(
                    SqDist(x_i, y_j), 0);
                fn g(x_i: Vi<3>, y_j: Vj<3>) = Sum_Reduction(SqDist(x_i, y_j), 0);
            }",
        );
        assert_eq!(formulas.by_id.values().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["g"]);
        assert_eq!(formulas.notes.len(), 1);
        assert!(formulas.notes[0].contains("lib.rs:3: passed over: "), "{}", formulas.notes[0]);
    }
}
