//! What identifies the kernels of a formula, and what the expansion says of them.

use keops_codegen::kernel::{Device, Kernel, Ptx, library};
use keops_codegen::{expand, expand_for};
use std::cell::RefCell;

fn kernels_for(library: &str, source: &str) -> Vec<Kernel> {
    let found = RefCell::new(Vec::new());
    let find = |kernel: &Kernel| {
        found.borrow_mut().push(kernel.clone());
        Ok(Vec::new())
    };
    let (_, mistakes) = expand_for(&Device { library, find: &find }, source.parse().unwrap());
    assert!(mistakes.is_empty());
    found.into_inner()
}

fn kernels(source: &str) -> Vec<Kernel> {
    kernels_for("library", source)
}

fn id(source: &str) -> String {
    kernels(source)[0].id.clone()
}

const GAUSS: &str = "pub fn gauss(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<1>, g: Pm<1>)
    = Sum_Reduction(Exp(-g * SqDist(x_i, y_j)) * b_j, 0);";

#[test]
fn names_and_notation_do_not_matter() {
    let other = "fn g(p_i: Vi<3>, q_j: Vj<3>, w_j: Vj<1>, s: Pm<1>)
        = Sum_Reduction((-s * p_i.sqdist(q_j)).exp() * w_j, 0);";
    let closure = "|x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<1>, g: Pm<1>| Sum_Reduction(Exp(-g * SqDist(x_i, y_j)) * b_j, 0)";
    assert_eq!(id(GAUSS), id(other));
    assert_eq!(id(GAUSS), id(closure));
    assert_eq!(id(GAUSS).len(), 32);
}

#[test]
fn everything_else_matters() {
    let changed = [
        GAUSS.replace("<3>", "<4>"),
        GAUSS.replace(", 0);", ", 1);"),
        GAUSS.replace("-g *", "-2 * g *"),
        GAUSS.replace("x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<1>", "b_j: Vj<1>, x_i: Vi<3>, y_j: Vj<3>"),
        GAUSS.replace("Sum_Reduction", "Max_Reduction"),
    ];
    let mut ids: Vec<String> = changed.iter().map(|source| id(source)).collect();
    ids.push(id(GAUSS));
    ids.push(kernels_for("another library", GAUSS)[0].id.clone());
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

#[test]
fn gradients_bring_what_they_evaluate_first() {
    let used = |source: &str| -> Vec<String> {
        kernels(source)
            .iter()
            .map(|k| {
                format!("{}: {}", k.name, k.reductions.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
            })
            .collect()
    };
    let lse = "fn f(x_i: Vi<2>, y_j: Vj<2>) = LogSumExp_Reduction(x_i | y_j, 0);";
    assert_eq!(used(lse), ["f: LogSumExp"]);
    assert_eq!(used(&format!("#[grad(x_i)] {lse}")), ["f: LogSumExp MaxSumShiftExp", "f::grad_x_i: Sum"]);
    let smallest = "#[grad(x_i)] fn f(x_i: Vi<2>, y_j: Vj<2>) = KMin_Reduction(x_i | y_j, 3, 0);";
    assert_eq!(used(smallest), ["f: KMin<3> ArgKMin<3>"]);
}

#[test]
fn dimensions_that_are_no_numbers_have_no_kernels() {
    assert!(kernels("fn f<const D: usize>(x_i: Vi<D>, y_j: Vj<D>) = Sum_Reduction(x_i | y_j, 0);").is_empty());
}

#[test]
fn files_that_are_found_are_included() {
    let find = |_: &Kernel| Ok(vec![Ptx { target: 80, path: "/somewhere/kernel.ptx".to_string() }]);
    let (tokens, _) = expand_for(&Device { library: "", find: &find }, GAUSS.parse().unwrap());
    let text = tokens.to_string();
    assert!(text.contains("include_str ! (\"/somewhere/kernel.ptx\")") && text.contains("target : 80u32"), "{text}");
    assert!(!expand(GAUSS.parse().unwrap()).to_string().contains("include_str"));
}

#[test]
fn a_missing_file_that_is_required_is_a_mistake() {
    let find = |kernel: &Kernel| Err(format!("no kernels of {}", kernel.name));
    let (tokens, mistakes) = expand_for(&Device { library: "", find: &find }, GAUSS.parse().unwrap());
    let messages: Vec<_> = mistakes.iter().map(|m| m.message.as_str()).collect();
    assert_eq!(messages, ["no kernels of gauss"]);
    assert!(tokens.to_string().contains("compile_error"));
}

#[test]
fn a_library_is_identified_by_paths_and_texts() {
    let ids = [
        library(&[("a.rs", "text")]),
        library(&[("b.rs", "text")]),
        library(&[("a.rs", "other")]),
        library(&[("a.rs", "te"), ("xt", "")]),
    ];
    assert_eq!(ids[0], library(&[("a.rs", "text")]));
    assert!((1..4).all(|k| ids[k] != ids[0]));
}
