//! The module beside a formula's function: what the engines run, and the gradients.

use super::bodies::{Bodies, bodies};
use super::docs;
use super::function::{Argument, Function, const_arguments, const_parameters, dimension};
use super::paths::library;
use crate::ast::{Form, Item, ReductionKind};
use crate::check::{self, Checked, Declared, Gradient, Operation, Signature, covector_name};
use crate::ir::{Dim, Ir};
use crate::kernel::Device;
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
        copies: &checked.task.copies,
        declared: all.len(),
    }
    .tokens();
    let path = text_of(item);
    // Where the formula of the reduction that was written is, seen from the modules of its gradients.
    let written = if checked.task.forward.is_some() { quote!(super::forward::Body) } else { quote!(super::Body) };
    let operation = operation(subject, &mut checked.ir, &checked.task, &checked.gradients, &quote!(Body), &path)?;
    let of = Differentiated { arguments: &all, path: &path, order: 0, written };
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
    /// The formula of the reduction that was written, as seen from the modules of the gradients.
    written: TokenStream,
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
    let written = &of.written;
    for gradient in all {
        let towards = &of.arguments[gradient.towards].name;
        let (name, seed) = (gradient_name(towards), covector(item, of.order));
        let path = format!("{}::{name}", of.path);
        let documentation = docs::of_gradient(of.path, of.arguments, gradient, &seed.to_string());
        let mut arguments = of.arguments.to_vec();
        arguments.push(Argument::of(&seed, Some(gradient.seed.clone())));
        let operation = operation(subject, ir, &gradient.task, &gradient.gradients, written, &path)?;
        let inner = Differentiated {
            arguments: &arguments,
            path: &path,
            order: of.order + 1,
            written: quote!(super::#written),
        };
        let inner = gradients(subject, ir, &inner, &gradient.gradients)?;
        let hidden = gradient.gradients.is_empty().then(|| quote!(#[doc(hidden)]));
        let about = format!(" Gradients of [`{name}`](fn@{name}), and what the engines run.");
        let function = Function {
            attributes: documentation,
            visibility: quote!(pub),
            name: &name,
            consts: &item.consts,
            arguments,
            copies: &gradient.task.copies,
            declared: item.variables.len(),
        }
        .tokens();
        tokens.extend(quote! {
            #function
            #hidden
            #[doc = #about]
            pub mod #name {
                #operation
                #inner
            }
        });
    }
    Ok(tokens)
}

/// A body, the operation `Op` on it, and the bodies that it needs besides; `written` is the formula of the reduction that
/// was written.
fn operation(
    subject: Subject<'_>,
    ir: &mut Ir,
    task: &check::Task,
    gradients: &[Gradient],
    written: &TokenStream,
    text: &str,
) -> Result<TokenStream, String> {
    let (item, library) = (subject.item, library());
    let Bodies { formula, forward: forward_module, rows: rows_module } = bodies(subject, ir, task, gradients, text)?;
    let forward = if task.forward.is_some() { quote!(forward::Body) } else { written.clone() };
    let consts = const_arguments(&item.consts);
    let operation = match &task.operation {
        Operation::Reduce(kind, k) => {
            let reduction = reduction_type(*kind, k.as_ref());
            quote!(Reduce<Body #consts, #reduction>)
        }
        Operation::GradExponential(kind) => {
            let reduction = reduction_type(*kind, None);
            quote!(GradExponential<#forward #consts, #reduction, Body #consts>)
        }
        Operation::DiffSums => quote!(DiffSums<#forward #consts, Body #consts>),
        Operation::GradSums => quote!(GradSums<#forward #consts, rows::Body #consts, Body #consts>),
        Operation::DiffSelected(kind, k) => {
            let reduction = reduction_type(*kind, k.as_ref());
            quote!(DiffSelected<#forward #consts, #reduction, Body #consts>)
        }
        Operation::GradSelected(kind, k, covector) => {
            let reduction = reduction_type(*kind, k.as_ref());
            let covector = Literal::usize_unsuffixed(*covector);
            quote!(GradSelected<#forward #consts, #reduction, Body #consts, #covector>)
        }
    };
    let operation = match task.towards {
        Some(variable) => {
            let copies = if variable < item.variables.len() { 0 } else { task.copies.len() };
            let variable = Literal::usize_unsuffixed(variable + copies);
            quote!(Gradient<#library::#operation, #variable>)
        }
        None => operation,
    };
    let alias = operation_alias(item, quote!(#library::#operation));
    Ok(quote! {
        #formula
        #forward_module
        #rows_module
        #alias
    })
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
