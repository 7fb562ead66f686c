//! The emitted code of a few formulas, as it is: read it when it changes, it is what runs for every pair.

use keops_codegen::check::{Body, Operation};
use keops_codegen::emit::{Spec, compile_body};
use keops_codegen::ir::Ir;
use keops_codegen::schedule::{Kind, Task};
use proc_macro2::Ident;
use quote::quote;

fn code(ir: &mut Ir, body: &Body, kind: Kind, params: &[String]) -> String {
    let task = Task { root: body.value, weights: body.weight, kind, keep: body.keep, hoist: true };
    let name = Ident::new("Body", proc_macro2::Span::call_site());
    let text = "fixture";
    let spec = Spec { name: &name, path: &quote!(P), text, variables: &body.variables, params, task };
    let tokens = spec.tokens(&compile_body(ir, &spec).unwrap(), &quote!());
    prettyplease::unparse(&syn::parse2(tokens).unwrap())
}

/// The forward body of an item.
fn forward(item: &str, kind: Kind, params: &[String]) -> String {
    let mut checked = keops_codegen::compile(item.parse().unwrap()).unwrap().remove(0);
    code(&mut checked.ir, &checked.task.body, kind, params)
}

/// The body of an item's first gradient.
fn gradient(item: &str) -> String {
    let mut checked = keops_codegen::compile(item.parse().unwrap()).unwrap().remove(0);
    let gradient = checked.gradients.remove(0);
    assert!(!matches!(gradient.task.operation, Operation::GradSelected(..)));
    code(&mut checked.ir, &gradient.task.body, Kind::Sum, &[])
}

const GAUSS: &str = "#[grad(x_i)] pub fn gauss(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<1>, gamma: Pm<1>)
    = Sum_Reduction(Exp(-gamma * SqDist(x_i, y_j)) * b_j, 0);";

#[test]
fn gauss() {
    insta::assert_snapshot!(forward(GAUSS, Kind::Sum, &[]));
}

#[test]
fn gauss_gradient_by_x() {
    insta::assert_snapshot!(gradient(GAUSS));
}

#[test]
fn log_sum_exp() {
    let item = "pub fn lse(x_i: Vi<3>, y_j: Vj<3>, g_j: Vj<1>, eps: Pm<1>)
        = LogSumExp_Reduction((g_j - SqDist(x_i, y_j) / 2) / eps, 0);";
    insta::assert_snapshot!(forward(item, Kind::Exponential, &[]));
}

#[test]
fn nearest_in_64_dimensions() {
    let item = "pub fn nearest(x_i: Vi<64>, y_j: Vj<64>) = ArgMin_Reduction(SqDist(x_i, y_j), 0);";
    insta::assert_snapshot!(forward(item, Kind::Select, &[]));
}

#[test]
fn attention_of_any_width() {
    let item = "pub fn attention<const D: usize, const E: usize>(q_i: Vi<D>, k_j: Vj<D>, v_j: Vj<E>)
        = SumSoftMaxWeight_Reduction((q_i | k_j) / 8, 0, v_j);";
    insta::assert_snapshot!(forward(item, Kind::Exponential, &["D".into(), "E".into()]));
}

/// Code for a thousand dimensions is as long as code for sixty-four.
#[test]
fn code_does_not_grow_with_the_dimension() {
    let of = |d: usize| {
        let item = format!(
            "#[grad(x_i)] pub fn gauss(x_i: Vi<{d}>, y_j: Vj<{d}>, b_j: Vj<1>)
                = Sum_Reduction(Exp(-SqDist(x_i, y_j)) * b_j, 0);"
        );
        gradient(&item).lines().count()
    };
    assert_eq!(of(1000), of(64));
}
