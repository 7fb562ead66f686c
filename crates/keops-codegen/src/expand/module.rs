//! The module beside a formula's function: what the engines run, and the gradients.

use super::docs;
use super::function::{Argument, Function, const_arguments, const_parameters, dimension};
use super::paths::library;
use crate::ast::{Form, Item, ReductionKind};
use crate::check::{Body, Checked, Declared, Gradient, Operation, Signature, covector_name};
use crate::emit::{Spec, Variable, compile_body};
use crate::ir::{Dim, Ir};
use crate::kernel::{self, Device, Kernel, Reduction};
use crate::schedule::{Kind, Task};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};

/// What is emitted, and for which device.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) item: &'a Item,
    pub(super) device: &'a Device<'a>,
}

/// The function and its module, or why they cannot be emitted.
pub(super) fn tokens(subject: Subject<'_>, signature: &Signature, mut checked: Checked) -> Result<TokenStream, String> {
    let item = subject.item;
    let (name, visibility) = (&item.name, &item.visibility);
    let passed_on = PassedOn::of(item);
    let (attributes, conditions) = (&passed_on.to_function, &passed_on.to_module);
    let documentation = docs::of_reduction(item, &signature.variables, &checked);
    let all = arguments(&signature.variables, &signature.telling);
    let function = Function {
        attributes: quote!(#attributes #documentation),
        visibility: quote!(#visibility),
        name,
        consts: &item.consts,
        arguments: all.clone(),
        again: checked.covector,
    }
    .tokens();
    let path = text_of(item);
    let forward = match &checked.forward {
        Some(forward) => Some(forward_module(subject, &mut checked.ir, &checked.operation, forward, &path)?),
        None => None,
    };
    let used = used_with(&checked.operation, &checked.gradients);
    let body = Reduced { operation: &checked.operation, body: &checked.body, used_with: &used, towards: None };
    let operation = operation(subject, &mut checked.ir, body, forward, &path)?;
    let of = Differentiated { arguments: &all, path: &path, order: 0, forward: quote!(super::Body) };
    let gradients = gradients(subject, &mut checked.ir, &of, &checked.gradients)?;
    let lints = module_lints();
    let about = format!(" Gradients of [`{name}`](fn@{name}), and what the engines run.");
    Ok(quote! {
        #function
        #conditions
        #lints
        #[doc = #about]
        #visibility mod #name {
            #operation
            #gradients
        }
    })
}

/// A function whose gradients are written.
struct Differentiated<'a> {
    arguments: &'a [Argument],
    /// What messages call it.
    path: &'a str,
    /// Number of covectors among the arguments.
    order: usize,
    /// The body that gradients with a forward pass evaluate first, as seen from their modules.
    forward: TokenStream,
}

/// Functions and modules of gradients, those of gradients inside those.
fn gradients(
    subject: Subject<'_>,
    ir: &mut Ir,
    of: &Differentiated<'_>,
    all: &[Gradient],
) -> Result<TokenStream, String> {
    let item = subject.item;
    let mut tokens = TokenStream::new();
    for gradient in all {
        let towards = &of.arguments[gradient.towards].name;
        let (name, seed) = (gradient_name(towards), covector(item, of.order));
        let path = format!("{}::{name}", of.path);
        let documentation = docs::of_gradient(of.path, of.arguments, gradient, &seed.to_string());
        let mut arguments = of.arguments.to_vec();
        arguments.push(Argument::of(&seed, Some(gradient.seed.clone())));
        let used = used_with(&gradient.operation, &gradient.gradients);
        let towards = Some(gradient.towards);
        let body = Reduced { operation: &gradient.operation, body: &gradient.body, used_with: &used, towards };
        let operation = operation(subject, ir, body, Some((of.forward.clone(), None)), &path)?;
        let (forward, forward_path) = match &gradient.forward {
            Some(body) => {
                let (_, tokens) = forward_module(subject, ir, &gradient.operation, body, &path)?;
                (tokens, quote!(super::forward::Body))
            }
            None => (None, quote!(super::Body)),
        };
        let inner = Differentiated { arguments: &arguments, path: &path, order: of.order + 1, forward: forward_path };
        let inner = gradients(subject, ir, &inner, &gradient.gradients)?;
        let hidden = gradient.gradients.is_empty().then(|| quote!(#[doc(hidden)]));
        let about = format!(" Gradients of [`{name}`](fn@{name}), and what the engines run.");
        let function = Function {
            attributes: documentation,
            visibility: quote!(pub),
            name: &name,
            consts: &item.consts,
            arguments,
            again: None,
        }
        .tokens();
        tokens.extend(quote! {
            #function
            #hidden
            #[doc = #about]
            pub mod #name {
                #operation
                #forward
                #inner
            }
        });
    }
    Ok(tokens)
}

/// Where a forward body is, and the module that has it, if it has one of its own.
type Forward = (TokenStream, Option<TokenStream>);

/// A module with what the forward pass of a gradient evaluates.
fn forward_module(
    subject: Subject<'_>,
    ir: &mut Ir,
    gradient: &Operation,
    body: &Body,
    text: &str,
) -> Result<Forward, String> {
    let kind = match gradient {
        Operation::GradSelected(..) => Kind::Select,
        _ => Kind::Exponential,
    };
    let used_with: Vec<_> = forward_of(gradient).into_iter().collect();
    let formula = formula(subject, ir, kind, body, &used_with, text)?;
    let module = quote! {
        #[doc(hidden)]
        pub mod forward {
            #formula
        }
    };
    Ok((quote!(forward::Body), Some(module)))
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

/// A body, the operation on it, and the reductions that it is used with.
#[derive(Clone, Copy)]
struct Reduced<'a> {
    operation: &'a Operation,
    body: &'a Body,
    used_with: &'a [Reduction],
    /// For a gradient, the position of the variable that it is towards.
    towards: Option<usize>,
}

/// The reductions that the body of an operation is used with. A body that is evaluated at selected pairs only is used with
/// none.
fn used_with(operation: &Operation, gradients: &[Gradient]) -> Vec<Reduction> {
    match operation {
        Operation::Reduce(kind, k) => {
            let own = Reduction::of(*kind, k.as_ref());
            let passed_over = gradients.iter().any(|g| !matches!(g.operation, Operation::Reduce(..)));
            let forward = own.filter(|_| passed_over).and_then(Reduction::forward);
            own.into_iter().chain(forward).collect()
        }
        Operation::GradExponential(_) => Reduction::of(ReductionKind::Sum, None).into_iter().collect(),
        Operation::GradSelected(..) => Vec::new(),
    }
}

/// The reduction that the forward pass of a gradient is.
fn forward_of(gradient: &Operation) -> Option<Reduction> {
    let reduction = match gradient {
        Operation::GradExponential(kind) => Reduction::of(*kind, None),
        Operation::GradSelected(kind, k) => Reduction::of(*kind, k.as_ref()),
        Operation::Reduce(..) => None,
    };
    reduction.and_then(Reduction::forward)
}

/// A body, and the operation `Op` on it.
fn operation(
    subject: Subject<'_>,
    ir: &mut Ir,
    reduced: Reduced<'_>,
    forward: Option<Forward>,
    text: &str,
) -> Result<TokenStream, String> {
    let Subject { item, .. } = subject;
    let Reduced { operation, body, used_with, towards } = reduced;
    let library = library();
    let formula = formula(subject, ir, kind(operation), body, used_with, text)?;
    let (forward, module) = forward.unwrap_or_else(|| (quote!(super::Body), None));
    let consts = const_arguments(&item.consts);
    let operation = match operation {
        Operation::Reduce(kind, k) => {
            let reduction = reduction_type(*kind, k.as_ref());
            quote!(Reduce<Body #consts, #reduction>)
        }
        Operation::GradExponential(kind) => {
            let reduction = reduction_type(*kind, None);
            quote!(GradExponential<#forward #consts, #reduction, Body #consts>)
        }
        Operation::GradSelected(kind, k) => {
            let reduction = reduction_type(*kind, k.as_ref());
            quote!(GradSelected<#forward #consts, #reduction, Body #consts>)
        }
    };
    let operation = match towards {
        Some(variable) => {
            let variable = Literal::usize_unsuffixed(variable);
            quote!(Gradient<#library::#operation, #variable>)
        }
        None => operation,
    };
    let alias = operation_alias(item, quote!(#library::#operation));
    Ok(quote! {
        #formula
        #module
        #alias
    })
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

/// `pub type Op<…> = …;`
pub(super) fn operation_alias(item: &Item, operation: TokenStream) -> TokenStream {
    let parameters = const_parameters(&item.consts);
    quote! {
        #[doc(hidden)]
        pub type Op<#(#parameters),*> = #operation;
    }
}

/// The library's type for a reduction.
pub(super) fn reduction_type(kind: ReductionKind, k: Option<&Dim>) -> TokenStream {
    let library = library();
    let k = k.map(dimension);
    match kind {
        ReductionKind::Sum | ReductionKind::Zero => quote!(#library::Sum),
        ReductionKind::LogSumExp => quote!(#library::LogSumExp),
        ReductionKind::SumSoftMaxWeight => quote!(#library::SumSoftMaxWeight),
        ReductionKind::MaxSumShiftExp => quote!(#library::MaxSumShiftExp),
        ReductionKind::Min => quote!(#library::Min),
        ReductionKind::Max => quote!(#library::Max),
        ReductionKind::ArgMin => quote!(#library::ArgMin),
        ReductionKind::ArgMax => quote!(#library::ArgMax),
        ReductionKind::MinArgMin => quote!(#library::MinArgMin),
        ReductionKind::MaxArgMax => quote!(#library::MaxArgMax),
        ReductionKind::KMin => quote!(#library::KMin<#k>),
        ReductionKind::ArgKMin => quote!(#library::ArgKMin<#k>),
        ReductionKind::KMinArgKMin => quote!(#library::KMinArgKMin<#k>),
    }
}

/// The arguments of the function; the data of those that are `telling` tell a dimension.
pub(super) fn arguments(variables: &[Declared], telling: &[usize]) -> Vec<Argument> {
    let dim = |v: &Declared| v.meaning.as_ref().map(|(_, dim)| dim.clone());
    // A name that occurs twice has been reported; the compiler need not do it again.
    let name = |k: usize| match variables[..k].iter().any(|v| v.name == variables[k].name) {
        true => format_ident!("{}_{}", variables[k].name, k),
        false => variables[k].name.clone(),
    };
    let argument = |k: usize, v| Argument { name: name(k), dim: dim(v), tells: telling.contains(&k) };
    variables.iter().enumerate().map(|(k, v)| argument(k, v)).collect()
}

/// The name of the function that computes a gradient.
pub(super) fn gradient_name(towards: &Ident) -> Ident {
    format_ident!("grad_{}", towards)
}

/// The argument that is the covector of the k-th derivative.
pub(super) fn covector(item: &Item, k: usize) -> Ident {
    Ident::new(&covector_name(item, k), Span::call_site())
}

/// What messages call a formula.
fn text_of(item: &Item) -> String {
    match item.form {
        Form::Function => item.name.to_string(),
        Form::Closure | Form::Bare => item.text.clone(),
    }
}

/// The user's attributes.
pub(super) struct PassedOn {
    pub(super) to_function: TokenStream,
    /// Conditions and lint levels, which hold for the module too.
    pub(super) to_module: TokenStream,
}

impl PassedOn {
    pub(super) fn of(item: &Item) -> Self {
        let both = ["cfg", "cfg_attr", "allow", "expect", "warn", "deny", "forbid"];
        let all = &item.attributes;
        let to_module = all.iter().filter(|a| both.iter().any(|name| a.path().is_ident(name)));
        PassedOn { to_function: quote!(#(#all)*), to_module: quote!(#(#to_module)*) }
    }
}

/// Generated code answers to no lint of the user's.
pub(super) fn module_lints() -> TokenStream {
    quote!(#[allow(unreachable_pub, missing_docs, clippy::all, clippy::pedantic)])
}
