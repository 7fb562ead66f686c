//! Kernel crates: the bodies of some formulas, compiled by one call of rustc, and their PTX taken apart again.

use crate::diagnostics::Diagnostics;
use crate::error::{Error, FormulaError};
use crate::facts;
use crate::formulas::Formula;
use crate::library::Library;
use crate::ptx::{self, Module};
use crate::rustc;
use crate::target::Target;
use crate::toolchain::Toolchain;
use keops_codegen::kernel::Reduction;
use keops_codegen::schedule::Keep;
use keops_gpu_kernels::abi::{Step, has};
use keops_gpu_kernels::reduction as device;
use keops_gpu_kernels::reduction::Kind;
use std::fs;
use std::path::Path;

/// What crates are compiled with.
pub(crate) struct Compiler<'a> {
    pub(crate) toolchain: &'a Toolchain,
    pub(crate) library: &'a Library,
    pub(crate) target: Target,
}

impl Compiler<'_> {
    /// The PTX of each formula. `folder` is for the crate.
    pub(crate) fn compile(&self, formulas: &[&Formula], folder: &Path) -> Result<Vec<String>, Error> {
        let root = folder.join("kernels.rs");
        fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
        fs::write(&root, root_text(formulas)).map_err(Error::io("write", &root))?;
        for formula in formulas {
            let path = folder.join(format!("{}.rs", formula.id));
            fs::write(&path, body_text(formula)?).map_err(Error::io("write", &path))?;
        }
        let result = folder.join("kernels.ptx");
        let mut command = rustc::for_device(&self.toolchain.rustc, self.target);
        command.args(["--crate-type=cdylib", "--crate-name=kernels", "--edition=2024", "--emit=asm"]);
        command.args(rustc::KERNEL_FLAGS).arg("--error-format=json").arg(&root).arg("-o").arg(&result);
        self.library.arguments(&mut command);
        let output = command.output().map_err(Error::io("start", &self.toolchain.rustc))?;
        if !output.status.success() {
            return self.explain(formulas, folder, &String::from_utf8_lossy(&output.stderr)).map(|()| Vec::new());
        }
        let ptx = fs::read_to_string(&result).map_err(Error::io("read", &result))?;
        let module = Module::parse(&ptx).map_err(|reason| unexpected(formulas[0], reason))?;
        let of = |formula: &Formula| {
            let prefix = prefix(formula);
            let facts = facts::comments(&module, &prefix).map_err(|reason| unexpected(formula, reason))?;
            checked(formula, facts + &module.extract(&prefix))
        };
        formulas.iter().map(|formula| of(formula)).collect()
    }

    /// Says which formulas cannot be compiled. A compiler that crashes does not say: then each is tried alone.
    fn explain(&self, formulas: &[&Formula], folder: &Path, stderr: &str) -> Result<(), Error> {
        let ids: Vec<&str> = formulas.iter().map(|formula| formula.id.as_str()).collect();
        let diagnostics = Diagnostics::read(stderr, &ids);
        let mut guilty: Vec<(&Formula, String)> = Vec::new();
        for formula in formulas.iter().filter(|formula| diagnostics.ids().contains(&formula.id.as_str())) {
            guilty.push((formula, diagnostics.text_about(&formula.id)));
        }
        if guilty.is_empty() {
            match formulas {
                [formula] => guilty.push((formula, diagnostics.text_about(""))),
                _ => {
                    let mut errors = Vec::new();
                    for formula in formulas {
                        match self.compile(&[formula], folder) {
                            Err(Error::Formulas(more)) => errors.extend(more),
                            other => drop(other?),
                        }
                    }
                    if !errors.is_empty() {
                        return Err(Error::Formulas(errors));
                    }
                    // Each alone can be compiled: what is wrong is about all of them.
                    guilty.push((formulas[0], diagnostics.text_about("")));
                }
            }
        }
        let error = |(formula, output): (&Formula, String)| FormulaError {
            at: formula.at(),
            name: formula.name.clone(),
            target: self.target.to_string(),
            output,
        };
        Err(Error::Formulas(guilty.into_iter().map(error).collect()))
    }
}

/// The PTX of a formula, if it is complete and as written.
fn checked(formula: &Formula, ptx: String) -> Result<String, Error> {
    let missing = ptx::missing_functions(&ptx).map_err(|reason| unexpected(formula, reason))?;
    if !missing.is_empty() {
        return Err(unexpected(formula, format!("they call functions that are not there: {}", missing.join(", "))));
    }
    let kernels = ptx::barriers(&ptx).map_err(|reason| unexpected(formula, reason))?;
    for name in names(formula)? {
        if !kernels.iter().any(|(found, _)| *found == name) {
            return Err(unexpected(formula, format!("the kernel {name} is missing")));
        }
    }
    Ok(ptx)
}

fn unexpected(formula: &Formula, reason: String) -> Error {
    Error::Unexpected { at: formula.at(), name: formula.name.clone(), reason }
}

/// Tells entry points of different formulas apart within one crate.
fn prefix(formula: &Formula) -> String {
    format!("k{}__", formula.id)
}

fn root_text(formulas: &[&Formula]) -> String {
    let modules: String =
        formulas.iter().map(|formula| &formula.id).map(|id| format!("#[path = \"{id}.rs\"]\nmod k{id};\n")).collect();
    format!(
        "#![no_std]\n#![feature(abi_ptx, asm_experimental_arch)]\n\n\
         // Bodies refer to the crate `keops`.\n\
         extern crate self as keops;\n\
         pub mod {} {{\n    pub use keops_core::*;\n}}\n\n\
         keops_gpu_kernels::kernel_file!();\n\n{modules}",
        keops_codegen::kernel::module(),
    )
}

fn body_text(formula: &Formula) -> Result<String, Error> {
    let mut text = format!("{}\n\nuse keops_gpu_kernels::reduction::*;\n", formula.source);
    for reduction in &formula.reductions {
        for number in ["f32", "f64"] {
            let (prefix, base) = (prefix(formula), base(formula, reduction, number)?);
            let steps = steps(formula, reduction)?;
            let names = steps.iter().map(|step| step.suffix()).collect::<Vec<_>>().join(", ");
            text.push_str(&format!(
                "keops_gpu_kernels::kernels!(Body, {reduction}, {number}, \"{prefix}{base}\", {names});\n"
            ));
            for &step in steps.iter().filter(|step| matches!(step, Step::Reduce | Step::ReduceExactly)) {
                let name = format!("{prefix}{base}_{}", step.suffix());
                text.push_str(&facts::array(&name, &reduction.to_string(), number, step));
            }
        }
    }
    Ok(text)
}

/// Names of all kernels of a formula.
fn names(formula: &Formula) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for reduction in &formula.reductions {
        for number in ["f32", "f64"] {
            let base = base(formula, reduction, number)?;
            names.extend(steps(formula, reduction)?.into_iter().map(|step| format!("{base}_{}", step.suffix())));
        }
    }
    Ok(names)
}

/// What the names of the kernels of a reduction begin with; see [`keops_gpu_kernels::abi::Name`].
fn base(formula: &Formula, reduction: &Reduction, number: &str) -> Result<String, Error> {
    let (name, _) = kind(formula, reduction)?;
    let k = reduction.k.map_or_else(String::new, |k| format!("{k}_"));
    Ok(format!("keops_{name}_{k}{number}"))
}

fn steps(formula: &Formula, reduction: &Reduction) -> Result<Vec<Step>, Error> {
    let (_, accumulates) = kind(formula, reduction)?;
    let keep = match formula.keep {
        Keep::I => keops_core::Keep::I,
        Keep::J => keops_core::Keep::J,
        Keep::None => keops_core::Keep::None,
    };
    let all = [Step::Reduce, Step::ReduceExactly, Step::Merge, Step::Total];
    let wanted = |&step: &Step| has(step, accumulates, keep) && (formula.exact || step != Step::ReduceExactly);
    Ok(all.into_iter().filter(wanted).collect())
}

/// Name of a reduction of the device library, and whether it adds terms up.
fn kind(formula: &Formula, reduction: &Reduction) -> Result<(&'static str, bool), Error> {
    fn of<R: Kind>() -> (&'static str, bool) {
        (R::NAME, R::ACCUMULATES)
    }
    Ok(match reduction.name {
        "Sum" => of::<device::Sum>(),
        "LogSumExp" => of::<device::LogSumExp>(),
        "SumSoftMaxWeight" => of::<device::SumSoftMaxWeight>(),
        "MaxSumShiftExp" => of::<device::MaxSumShiftExp>(),
        "SoftMaxRaw" => of::<device::SoftMaxRaw>(),
        "Min" => of::<device::Min>(),
        "Max" => of::<device::Max>(),
        "ArgMin" => of::<device::ArgMin>(),
        "ArgMax" => of::<device::ArgMax>(),
        "MinArgMin" => of::<device::MinArgMin>(),
        "MaxArgMax" => of::<device::MaxArgMax>(),
        "KMin" => of::<device::KMin<1>>(),
        "ArgKMin" => of::<device::ArgKMin<1>>(),
        "KMinArgKMin" => of::<device::KMinArgKMin<1>>(),
        other => return Err(unexpected(formula, format!("the device library has no reduction {other}"))),
    })
}
