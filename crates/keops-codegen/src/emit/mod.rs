//! From a schedule to the tokens of an `impl Formula`.
//!
//! Stages with few values become straight-line code ([`straight`]), others loops over components ([`loops`]), so that the
//! code does not grow with the dimension. Both only read staged values by position and call methods of `Real`.

mod components;
mod leaf;
mod loops;
mod scalars;
mod straight;

use crate::ir::{Category, Dim, Ir, NodeId, Op, Space};
use crate::ops::Lower;
use crate::schedule::{self, Keep, Kind, Schedule, Task};
use leaf::{Layout, sum_of_dims, usize_of};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

/// A variable as the emitted code describes it.
#[derive(Debug, Clone)]
pub struct Variable {
    /// Name in the formula.
    pub name: String,
    /// Which index it follows.
    pub category: Category,
    /// Numbers per row.
    pub dim: Dim,
}

/// A reduction body to compile.
pub struct Spec<'a> {
    /// Name of the type to emit.
    pub name: &'a Ident,
    /// Path of the module with the core traits.
    pub path: &'a TokenStream,
    /// Name and text of the formula, for messages.
    pub text: &'a str,
    /// The variables, in the order of the call.
    pub variables: &'a [Variable],
    /// Names of the const generic parameters.
    pub params: &'a [String],
    /// What to compute, and how it is reduced.
    pub task: Task,
}

/// A compiled reduction body.
#[derive(Debug, Clone)]
pub struct Body {
    /// What is inside `impl Formula`, but for names and texts.
    pub code: TokenStream,
    /// Values of a pair.
    pub dim: Dim,
    /// Accumulated values of a row.
    pub acc: Dim,
    /// Results of a row.
    pub out: Dim,
    /// The stages, for tests.
    pub schedule: Schedule,
}

/// Values that one function writes: positions and nodes, with a second factor for products.
struct Output {
    at: TokenStream,
    first: usize,
    left: NodeId,
    right: Option<NodeId>,
    dim: Dim,
}

/// Compiles one reduction body.
pub fn compile_body(ir: &mut Ir, spec: &Spec<'_>) -> Result<Body, String> {
    let schedule = schedule::schedule(ir, spec.task)?;
    let out = match spec.task.kind {
        Kind::Sum => ir.dim(schedule.finish).clone(),
        Kind::Exponential | Kind::Select => schedule.acc.clone(),
    };
    let code = code(ir, spec, &schedule, &out);
    Ok(Body { code, dim: schedule.dim.clone(), acc: schedule.acc.clone(), out, schedule })
}

impl Spec<'_> {
    /// The type and its `impl Formula`, with `more` in it.
    pub fn tokens(&self, body: &Body, more: &TokenStream) -> TokenStream {
        let (name, path, text, code) = (self.name, self.path, self.text, &body.code);
        let generics: Vec<Ident> = self.params.iter().map(|p| Ident::new(p, Span::call_site())).collect();
        let declared = quote!(<#(const #generics: usize),*>);
        let used = quote!(<#(#generics),*>);
        let variables = self.variables.iter().map(|v| {
            let (name, dim) = (&v.name, dim_tokens(&v.dim));
            let category = category_tokens(v.category);
            quote!(#path::Variable { name: #name, category: #path::Category::#category, dim: #dim })
        });
        quote! {
            #[doc(hidden)]
            #[derive(Clone, Copy, Debug)]
            pub struct #name #declared;

            #[allow(unused_variables, clippy::all)]
            impl #declared #path::Formula for #name #used {
                const TEXT: &'static str = #text;
                const VARIABLES: &'static [#path::Variable] = &[#(#variables),*];
                #more
                #code
            }
        }
    }
}

fn code(ir: &Ir, spec: &Spec<'_>, s: &Schedule, out: &Dim) -> TokenStream {
    let path = spec.path;
    let layout = Layout::new(ir, s, path);
    let dims_of = |slots: &[NodeId]| slots.iter().map(|&n| ir.dim(n).clone()).collect::<Vec<_>>();
    let staged = |slots: &[NodeId], space: Space| -> Vec<Output> {
        let offset = |k: usize| layout.offset(space, k);
        slots
            .iter()
            .enumerate()
            .map(|(k, &n)| {
                let (first, at) = offset(k);
                Output { at, first, left: n, right: None, dim: ir.dim(n).clone() }
            })
            .collect()
    };
    let pair: Vec<Output> = s
        .pair
        .iter()
        .map(|d| {
            let dim = match d.right {
                Some(r) if !ir.dim(r).is_one() => ir.dim(r).clone(),
                _ => ir.dim(d.left).clone(),
            };
            let at = usize_of(d.at);
            Output { at, first: d.at, left: d.left, right: d.right, dim }
        })
        .collect();
    let finish = vec![Output { at: usize_of(0), first: 0, left: s.finish, right: None, dim: out.clone() }];
    let narrow = straight::fits(ir, &pair);
    let code = |outputs: &[Output]| {
        if straight::fits(ir, outputs) {
            straight::code(ir, &layout, outputs)
        } else {
            loops::code(ir, &layout, outputs)
        }
    };
    let (param_code, row_code, col_code) =
        (code(&staged(&s.param, Space::Param)), code(&staged(&s.row, Space::Row)), code(&staged(&s.col, Space::Col)));
    let (pair_code, finish_code) = (code(&pair), code(&finish));
    let work = usize_of(work(ir, &pair));

    let keep = match spec.task.keep {
        Keep::I => quote!(I),
        Keep::J => quote!(J),
        Keep::None => quote!(None),
    };
    let shape = if narrow { quote!(Narrow) } else { quote!(Wide) };
    let (param_len, row_len, col_len) =
        (sum_of_dims(&dims_of(&s.param)), sum_of_dims(&dims_of(&s.row)), sum_of_dims(&dims_of(&s.col)));
    let (dim, acc, out) = (dim_tokens(&s.dim), dim_tokens(&s.acc), dim_tokens(out));
    let (outer_at, outer_len) = match s.outer {
        Some(slot) => (layout.offset(Space::Col, slot).1, dim_tokens(ir.dim(s.col[slot]))),
        None => (usize_of(0), usize_of(0)),
    };
    quote! {
        const KEEP: #path::Keep = #path::Keep::#keep;
        const SHAPE: #path::Shape = #path::Shape::#shape;
        const PARAM: usize = #param_len;
        const ROW: usize = #row_len;
        const COL: usize = #col_len;
        const DIM: usize = #dim;
        const OUTER: #path::Outer = #path::Outer { at: #outer_at, len: #outer_len };
        const ACC: usize = #acc;
        const OUT: usize = #out;
            const WORK: usize = #work;
        type Pair<V: Copy> = [V; #dim];
        type Acc<V: Copy> = [V; #acc];
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn param<R: #path::Real>(var: &impl #path::Source<R>, out: &mut impl #path::Stage<R>) {
            #param_code
        }
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn row<R: #path::Real>(var: &impl #path::Source<R>, par: &impl #path::Staged<R>, out: &mut impl #path::Stage<R>) {
            #row_code
        }
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn col<R: #path::Real>(var: &impl #path::Source<R>, par: &impl #path::Staged<R>, out: &mut impl #path::Stage<R>) {
            #col_code
        }
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn pair<R: #path::Real>(
            row: &impl #path::Staged<R>,
            col: &impl #path::Staged<R>,
            par: &impl #path::Staged<R>,
            out: &mut impl #path::Sink<R>,
        ) {
            #pair_code
        }
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn finish<R: #path::Real>(
            row: &impl #path::Staged<R>,
            par: &impl #path::Staged<R>,
            acc: &impl #path::Staged<R>,
            out: &mut impl #path::Stage<R>,
        ) {
            #finish_code
        }
    }
}

/// Roughly how many operations it takes to compute these outputs.
fn work(ir: &Ir, outputs: &[Output]) -> usize {
    const FUNCTION: usize = 32;
    let roots: Vec<NodeId> = outputs.iter().flat_map(|o| [Some(o.left), o.right]).flatten().collect();
    let operations = |id: NodeId| match ir.op(id) {
        Op::Map(op, _) => match &op.0.lower {
            Lower::Map(elementwise) if elementwise.dear => FUNCTION,
            _ => 1,
        },
        _ => 1,
    };
    ir.reachable(&roots).into_iter().map(|id| operations(id) * ir.dim(id).lit().unwrap_or(1)).sum()
}

/// The name of a category.
fn category_tokens(category: Category) -> TokenStream {
    match category {
        Category::Vi => quote!(Vi),
        Category::Vj => quote!(Vj),
        Category::Pm => quote!(Pm),
    }
}

/// A dimension as an expression.
fn dim_tokens(dim: &Dim) -> TokenStream {
    match dim {
        Dim::Lit(n) => usize_of(*n),
        Dim::Param(p) => {
            let p = Ident::new(p, Span::call_site());
            quote!(#p)
        }
    }
}

/// A constant of `R`.
fn number(v: f64) -> TokenStream {
    if v.is_nan() {
        return quote!(R::lit(f64::NAN));
    }
    if v.is_infinite() {
        return if v > 0.0 { quote!(R::lit(f64::INFINITY)) } else { quote!(R::lit(f64::NEG_INFINITY)) };
    }
    let magnitude = Literal::f64_unsuffixed(v.abs());
    if v.is_sign_negative() { quote!(R::lit(-#magnitude)) } else { quote!(R::lit(#magnitude)) }
}
