//! The bodies of an operation, as the types that the engines run.

use super::module::Subject;
use super::paths::library;
use crate::ast::ReductionKind;
use crate::check::{self, Body, Gradient, Operation};
use crate::emit::{Spec, Variable, compile_body};
use crate::ir::Ir;
use crate::kernel::{self, Kernel, Reduction};
use crate::schedule::{Kind, Task};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// The type `Body`, and modules with the other bodies that the operation needs.
pub(super) struct Bodies {
    pub(super) formula: TokenStream,
    pub(super) forward: TokenStream,
    pub(super) rows: TokenStream,
}

/// All bodies of a task that has these gradients.
pub(super) fn bodies(
    subject: Subject<'_>,
    ir: &mut Ir,
    task: &check::Task,
    gradients: &[Gradient],
    text: &str,
) -> Result<Bodies, String> {
    let used = used_with(&task.operation, gradients);
    let formula = formula(subject, ir, kind(&task.operation), &task.body, &used, text)?;
    let forward_kind = match task.operation {
        Operation::GradSelected(..) | Operation::DiffSelected(..) => Kind::Select,
        _ => Kind::Exponential,
    };
    let used: Vec<_> = forward_of(&task.operation).into_iter().collect();
    let mut in_module = |name: &str, kind, body: Option<&Body>, used: &[Reduction]| -> Result<TokenStream, String> {
        body.map_or_else(
            || Ok(TokenStream::new()),
            |body| Ok(module(name, self::formula(subject, ir, kind, body, used, text)?)),
        )
    };
    let forward = in_module("forward", forward_kind, task.forward.as_ref(), &used)?;
    let rows = in_module("rows", Kind::Sum, task.rows.as_ref(), &[])?;
    Ok(Bodies { formula, forward, rows })
}

/// A module of its own for a body.
fn module(name: &str, formula: TokenStream) -> TokenStream {
    let name = Ident::new(name, Span::call_site());
    quote! {
        #[doc(hidden)]
        pub mod #name {
            #formula
        }
    }
}

/// A body as the type `Body`.
fn formula(
    subject: Subject<'_>,
    ir: &mut Ir,
    kind: Kind,
    body: &Body,
    used_with: &[Reduction],
    text: &str,
) -> Result<TokenStream, String> {
    let Subject { item, device } = subject;
    let consts: Vec<String> = item.consts.iter().map(Ident::to_string).collect();
    let task = Task { root: body.value, weights: body.weight, kind, keep: body.keep, hoist: true };
    let (name, path) = (Ident::new("Body", Span::call_site()), library());
    let spec = Spec { name: &name, path: &path, text, variables: &body.variables, params: &consts, task };
    let compiled = compile_body(ir, &spec)?;
    // Kernels are compiled for dimensions that are numbers.
    if !consts.is_empty() || used_with.is_empty() {
        return Ok(spec.tokens(&compiled, &TokenStream::new()));
    }
    let nameless: Vec<_> = body.variables.iter().map(|v| Variable { name: String::new(), ..v.clone() }).collect();
    let source = Spec { text: "", variables: &nameless, ..spec }.tokens(&compiled, &TokenStream::new());
    let kernel = Kernel {
        id: kernel::id(&source, used_with, device.library),
        name: text.to_string(),
        at: (&item.name).into(),
        keep: body.keep,
        reductions: used_with.to_vec(),
        source,
    };
    Ok(spec.tokens(&compiled, &device.constants(&kernel, &path)?))
}

/// The reductions that the body of an operation is used with. A body that is evaluated for single rows or at selected pairs
/// only is used with none.
fn used_with(operation: &Operation, gradients: &[Gradient]) -> Vec<Reduction> {
    match operation {
        Operation::Reduce(kind, k) => {
            let own = Reduction::of(*kind, k.as_ref());
            let passed_over = gradients.iter().any(|g| !matches!(g.task.operation, Operation::Reduce(..)));
            let forward = own.filter(|_| passed_over).and_then(Reduction::forward);
            own.into_iter().chain(forward).collect()
        }
        Operation::GradExponential(_) | Operation::GradSums => {
            Reduction::of(ReductionKind::Sum, None).into_iter().collect()
        }
        Operation::DiffSums | Operation::GradSelected(..) | Operation::DiffSelected(..) => Vec::new(),
    }
}

/// The reduction that the forward pass of a derivative is.
fn forward_of(derivative: &Operation) -> Option<Reduction> {
    match derivative {
        Operation::Reduce(..) => None,
        Operation::GradExponential(kind) => Reduction::of(*kind, None).and_then(Reduction::forward),
        Operation::DiffSums | Operation::GradSums => Reduction::of(ReductionKind::MaxSumShiftExp, None),
        Operation::GradSelected(kind, k, _) | Operation::DiffSelected(kind, k) => {
            Reduction::of(*kind, k.as_ref()).and_then(Reduction::forward)
        }
    }
}

/// How the engine uses the body of an operation.
fn kind(operation: &Operation) -> Kind {
    let Operation::Reduce(kind, _) = operation else { return Kind::Sum };
    match kind {
        ReductionKind::Sum | ReductionKind::Zero => Kind::Sum,
        ReductionKind::LogSumExp | ReductionKind::SumSoftMaxWeight | ReductionKind::MaxSumShiftExp => Kind::Exponential,
        ReductionKind::Min
        | ReductionKind::Max
        | ReductionKind::ArgMin
        | ReductionKind::ArgMax
        | ReductionKind::MinArgMin
        | ReductionKind::MaxArgMax
        | ReductionKind::KMin
        | ReductionKind::ArgKMin
        | ReductionKind::KMinArgKMin => Kind::Select,
    }
}
