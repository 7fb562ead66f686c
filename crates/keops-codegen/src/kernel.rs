//! Kernels: what a GPU runs of a formula, what identifies it, and where compiled ones are looked for.
//!
//! The compiler reads no file. It describes the kernels of a body to a [`Device`], which says where compiled ones are.

use crate::ast::{Place, ReductionKind};
use crate::schedule::Keep;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::quote;
use std::fmt;

/// The kernels of one emitted body: those of the reductions it is used with, for all number types.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// What its files are called.
    pub id: String,
    /// What messages call the formula: its name, or its text.
    pub name: String,
    /// Where it is declared.
    pub at: Place,
    /// Which index it keeps.
    pub keep: Keep,
    /// What it is used with.
    pub reductions: Vec<Reduction>,
    /// The body as the macro emits it, without names and texts.
    pub source: TokenStream,
}

/// A reduction of the device library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reduction {
    /// Its type there.
    pub name: &'static str,
    /// How many columns it selects, if it is one of the K family.
    pub k: Option<usize>,
}

impl fmt::Display for Reduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.k {
            Some(k) => write!(f, "{}<{k}>", self.name),
            None => f.write_str(self.name),
        }
    }
}

impl Reduction {
    /// The reduction of this kind; none if its K is no number.
    pub(crate) fn of(kind: ReductionKind, k: Option<&crate::ir::Dim>) -> Option<Reduction> {
        let name = match kind {
            ReductionKind::Sum | ReductionKind::Zero => "Sum",
            ReductionKind::LogSumExp => "LogSumExp",
            ReductionKind::SumSoftMaxWeight => "SumSoftMaxWeight",
            ReductionKind::MaxSumShiftExp => "MaxSumShiftExp",
            ReductionKind::Min => "Min",
            ReductionKind::Max => "Max",
            ReductionKind::ArgMin => "ArgMin",
            ReductionKind::ArgMax => "ArgMax",
            ReductionKind::MinArgMin => "MinArgMin",
            ReductionKind::MaxArgMax => "MaxArgMax",
            ReductionKind::KMin => "KMin",
            ReductionKind::ArgKMin => "ArgKMin",
            ReductionKind::KMinArgKMin => "KMinArgKMin",
        };
        match k {
            Some(k) => Some(Reduction { name, k: Some(k.lit()?) }),
            None => Some(Reduction { name, k: None }),
        }
    }

    /// What the gradients of this one evaluate first; none if they do not.
    pub(crate) fn forward(self) -> Option<Reduction> {
        let name = match self.name {
            "LogSumExp" => "MaxSumShiftExp",
            "SumSoftMaxWeight" => "SoftMaxRaw",
            "Min" | "MinArgMin" => "ArgMin",
            "Max" | "MaxArgMax" => "ArgMax",
            "KMin" | "KMinArgKMin" => "ArgKMin",
            _ => return None,
        };
        Some(Reduction { name, ..self })
    }
}

/// A compiled kernel file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ptx {
    /// Compute capability: 80 for `sm_80`.
    pub target: u32,
    /// Absolute path.
    pub path: String,
}

/// For which device library kernels are, and where they may be found.
#[derive(Clone, Copy)]
pub struct Device<'a> {
    /// Identifies the device library: see [`library`].
    pub library: &'a str,
    /// Says which files there are, or why there must be some.
    pub find: &'a dyn Fn(&Kernel) -> Result<Vec<Ptx>, String>,
}

impl Device<'_> {
    /// Knows of no kernels.
    pub const NONE: Device<'static> = Device { library: "", find: &|_| Ok(Vec::new()) };

    /// The constants of an `impl Formula` that say where its kernels are.
    pub(crate) fn constants(&self, kernel: &Kernel, path: &TokenStream) -> Result<TokenStream, String> {
        let id = &kernel.id;
        let files = (self.find)(kernel)?.into_iter().map(
            |Ptx { target, path: file }| quote!(#path::Ptx { target: #target, text: ::core::include_str!(#file) }),
        );
        Ok(quote! {
            const KERNEL_ID: &'static str = #id;
            const PTX: &'static [#path::Ptx] = &[#(#files),*];
        })
    }
}

/// Name of the module in the crate `keops` that bodies refer to.
pub fn module() -> String {
    format!("__v{}", env!("CARGO_PKG_VERSION").replace(['.', '-', '+'], "_"))
}

/// Identifies a device library by its sources: path and text of each file.
pub fn library<'a>(sources: impl IntoIterator<Item = &'a (&'a str, &'a str)>) -> String {
    let mut hasher = blake3::Hasher::new();
    for (path, text) in sources {
        for part in [path, text] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
    }
    short(&hasher)
}

/// What identifies the kernels of a body: its text, what it is used with, the device library and this compiler.
///
/// The body addresses variables by position, so their names do not matter.
pub(crate) fn id(source: &TokenStream, reductions: &[Reduction], library: &str) -> String {
    let mut text = format!("{}\n{library}\n", env!("CARGO_PKG_VERSION"));
    for reduction in reductions {
        text.push_str(&reduction.to_string());
        text.push('\n');
    }
    write(source.clone(), &mut text);
    let mut hasher = blake3::Hasher::new();
    hasher.update(text.as_bytes());
    short(&hasher)
}

/// 128 bits are plenty, and names of files stay readable.
fn short(hasher: &blake3::Hasher) -> String {
    hasher.finalize().to_hex()[..32].to_string()
}

/// Tokens with single spaces between them: the same inside and outside of a macro, where spacing differs.
fn write(tokens: TokenStream, text: &mut String) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                text.push_str(open);
                write(group.stream(), text);
                text.push_str(close);
            }
            TokenTree::Ident(ident) => text.push_str(&ident.to_string()),
            TokenTree::Punct(punct) => text.push(punct.as_char()),
            TokenTree::Literal(literal) => text.push_str(&literal.to_string()),
        }
        text.push(' ');
    }
}
