//! How long one expansion of `keops!` takes: what a formula adds to a build, apart from compiling the code that it becomes.

use criterion::{Criterion, criterion_group, criterion_main};
use proc_macro2::TokenStream;
use std::hint::black_box;

const FORMULAS: &[(&str, &str)] = &[
    (
        "gauss",
        "pub fn f(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<1>, g: Pm<1>) = Sum_Reduction(Exp(-g * SqDist(x_i, y_j)) * b_j, 0);",
    ),
    (
        "gauss with 4 gradients",
        "#[grad(x_i, y_j, b_j, g)] pub fn f(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<1>, g: Pm<1>) = Sum_Reduction(Exp(-g * SqDist(x_i, y_j)) * b_j, 0);",
    ),
    (
        "gauss, 1000 dimensions",
        "pub fn f(x_i: Vi<1000>, y_j: Vj<1000>, b_j: Vj<1>, g: Pm<1>) = Sum_Reduction(Exp(-g * SqDist(x_i, y_j)) * b_j, 0);",
    ),
    (
        "attention with 3 gradients",
        "#[grad(q_i, k_j, v_j)] fn f(q_i: Vi<64>, k_j: Vj<64>, v_j: Vj<64>) = SumSoftMaxWeight_Reduction((q_i | k_j) / 8, 0, v_j);",
    ),
    (
        "Hessian times vector",
        "fn f(x_i: Vi<3>, y_j: Vj<3>, e_i: Vi<1>, u_i: Vi<3>) = Sum_Reduction(Grad(Grad(Exp(-SqDist(x_i, y_j)), x_i, e_i), x_i, u_i), 0);",
    ),
];

fn expand(c: &mut Criterion) {
    for (name, source) in FORMULAS {
        let tokens: TokenStream = source.parse().expect("tokens");
        c.bench_function(name, |b| b.iter(|| keops_codegen::expand(black_box(tokens.clone()))));
    }
}

criterion_group!(benches, expand);
criterion_main!(benches);
