//! The module beside a formula's function: what the engines run, and the gradients.

use super::docs;
use super::function::{Argument, Function, const_arguments, const_parameters, dimension};
use super::paths::library;
use crate::ast::{Item, ReductionKind};
use crate::check::{Body, Checked, Declared, Operation, Signature};
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
    let function = Function {
        attributes: quote!(#attributes #documentation),
        visibility: quote!(#visibility),
        name,
        consts: &item.consts,
        arguments: arguments(&signature.variables),
    }
    .tokens();
    let operation = operation(item, &mut checked.ir, &checked.operation, &checked.body, &text(item, None))?;
    let seed = seed_name(item);
    let mut gradients = TokenStream::new();
    for gradient in &checked.gradients {
        let towards = &signature.variables[gradient.towards].name;
        let name = gradient_name(towards);
        let mut arguments = arguments(&signature.variables);
        arguments.push(Argument { name: seed.clone(), dim: Some(gradient.seed.clone()) });
        let function = Function {
            attributes: docs::of_gradient(item, &signature.variables, gradient, &seed.to_string()),
            visibility: quote!(pub),
            name: &name,
            consts: &item.consts,
            arguments,
        }
        .tokens();
        let operation =
            self::operation(item, &mut checked.ir, &gradient.operation, &gradient.body, &text(item, Some(&name)))?;
        gradients.extend(quote! {
            #function
            #[doc(hidden)]
            pub mod #name {
                #operation
            }
        });
    }
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

/// A body, and the operation `Op` on it.
fn operation(item: &Item, ir: &mut Ir, operation: &Operation, body: &Body, text: &str) -> Result<TokenStream, String> {
    let library = library();
    let consts: Vec<String> = item.consts.iter().map(Ident::to_string).collect();
    let task = Task { root: body.value, weights: body.weight, kind: kind(operation), keep: body.keep, hoist: true };
    let spec = Spec {
        name: &Ident::new("Body", Span::call_site()),
        path: &library,
        text,
        variables: &body.variables,
        params: &consts,
        task,
    };
    let formula = compile_body(ir, &spec)?.tokens;
    let consts = const_arguments(&item.consts);
    let operation = match operation {
        Operation::Reduce(kind, k) => {
            let reduction = reduction_type(*kind, k.as_ref());
            quote!(Reduce<Body #consts, #reduction>)
        }
        Operation::GradExponential(kind) => {
            let reduction = reduction_type(*kind, None);
            quote!(GradExponential<super::Body #consts, #reduction, Body #consts>)
        }
        Operation::GradSelected(kind, k) => {
            let reduction = reduction_type(*kind, k.as_ref());
            quote!(GradSelected<super::Body #consts, #reduction, Body #consts>)
        }
    };
    let alias = operation_alias(item, quote!(#library::#operation));
    Ok(quote! {
        #formula
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

/// The arguments of the function.
pub(super) fn arguments(variables: &[Declared]) -> Vec<Argument> {
    let dim = |v: &Declared| v.meaning.as_ref().map(|(_, dim)| dim.clone());
    // A name that occurs twice has been reported; the compiler need not do it again.
    let name = |k: usize| match variables[..k].iter().any(|v| v.name == variables[k].name) {
        true => format_ident!("{}_{}", variables[k].name, k),
        false => variables[k].name.clone(),
    };
    variables.iter().enumerate().map(|(k, v)| Argument { name: name(k), dim: dim(v) }).collect()
}

/// The name of the function that computes a gradient.
pub(super) fn gradient_name(towards: &Ident) -> Ident {
    format_ident!("grad_{}", towards)
}

/// The name of the covector of a gradient: `e`, unless a variable has that name.
pub(super) fn seed_name(item: &Item) -> Ident {
    let mut name = "e".to_string();
    while item.variables.iter().any(|v| v.name == name) {
        name.push('_');
    }
    Ident::new(&name, Span::call_site())
}

/// What messages call a formula or its gradient.
fn text(item: &Item, gradient: Option<&Ident>) -> String {
    let name = if item.is_expression { &item.text } else { &item.name.to_string() };
    gradient.map_or_else(|| name.clone(), |gradient| format!("{name}::{gradient}"))
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
