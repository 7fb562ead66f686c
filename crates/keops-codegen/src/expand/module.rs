//! The module beside a formula's function: what the engines run, and the gradients.

use super::docs;
use super::function::{Argument, Function, const_arguments, const_parameters, dimension};
use super::paths::library;
use crate::ast::{Form, Item, ReductionKind};
use crate::check::{Body, Checked, Declared, Gradient, Operation, Signature, covector_name};
use crate::emit::{Spec, compile_body};
use crate::ir::{Dim, Ir};
use crate::schedule::{Kind, Task};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

/// The function and its module, or why they cannot be emitted.
pub(super) fn tokens(item: &Item, signature: &Signature, mut checked: Checked) -> Result<TokenStream, String> {
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
        Some(forward) => Some(forward_module(item, &mut checked.ir, &checked.operation, forward, &path)?),
        None => None,
    };
    let operation = operation(item, &mut checked.ir, &checked.operation, &checked.body, forward, &path)?;
    let of = Differentiated { arguments: &all, path: &path, order: 0, forward: quote!(super::Body) };
    let gradients = gradients(item, &mut checked.ir, &of, &checked.gradients)?;
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
fn gradients(item: &Item, ir: &mut Ir, of: &Differentiated<'_>, all: &[Gradient]) -> Result<TokenStream, String> {
    let mut tokens = TokenStream::new();
    for gradient in all {
        let towards = &of.arguments[gradient.towards].name;
        let (name, seed) = (gradient_name(towards), covector(item, of.order));
        let path = format!("{}::{name}", of.path);
        let documentation = docs::of_gradient(of.path, of.arguments, gradient, &seed.to_string());
        let mut arguments = of.arguments.to_vec();
        arguments.push(Argument::of(&seed, Some(gradient.seed.clone())));
        let operation =
            operation(item, ir, &gradient.operation, &gradient.body, Some((of.forward.clone(), None)), &path)?;
        let (forward, forward_path) = match &gradient.forward {
            Some(body) => {
                let (_, tokens) = forward_module(item, ir, &gradient.operation, body, &path)?;
                (tokens, quote!(super::forward::Body))
            }
            None => (None, quote!(super::Body)),
        };
        let inner = Differentiated { arguments: &arguments, path: &path, order: of.order + 1, forward: forward_path };
        let inner = gradients(item, ir, &inner, &gradient.gradients)?;
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
fn forward_module(item: &Item, ir: &mut Ir, gradient: &Operation, body: &Body, text: &str) -> Result<Forward, String> {
    let kind = match gradient {
        Operation::GradSelected(..) => Kind::Select,
        _ => Kind::Exponential,
    };
    let formula = formula(item, ir, kind, body, text)?;
    let module = quote! {
        #[doc(hidden)]
        pub mod forward {
            #formula
        }
    };
    Ok((quote!(forward::Body), Some(module)))
}

/// A body as the type `Body`.
fn formula(item: &Item, ir: &mut Ir, kind: Kind, body: &Body, text: &str) -> Result<TokenStream, String> {
    let consts: Vec<String> = item.consts.iter().map(Ident::to_string).collect();
    let task = Task { root: body.value, weights: body.weight, kind, keep: body.keep, hoist: true };
    let spec = Spec {
        name: &Ident::new("Body", Span::call_site()),
        path: &library(),
        text,
        variables: &body.variables,
        params: &consts,
        task,
    };
    Ok(compile_body(ir, &spec)?.tokens)
}

/// A body, and the operation `Op` on it.
fn operation(
    item: &Item,
    ir: &mut Ir,
    operation: &Operation,
    body: &Body,
    forward: Option<Forward>,
    text: &str,
) -> Result<TokenStream, String> {
    let library = library();
    let formula = formula(item, ir, kind(operation), body, text)?;
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
