//! The reference chapter `docs/reference.md`, rendered from the table of operations and the list of reductions.
//!
//! Tests render it, check that nothing is missing, that every spelling compiles, and that the committed file is up to date;
//! `KEOPS_WRITE_REFERENCE=1 cargo test -p keops-codegen reference` writes the file.

mod operations;
mod reductions;

use crate::ops::{self, Dims, LiteralKind, Operation};
use crate::parse::formula::INFIX;
use operations::{CHAPTERS, Text};
use reductions::REDUCTIONS;
use std::fmt::Write;

const INTRODUCTION: &str = "\
# Reference of operations and reductions

*Rendered from the table of operations by the tests of keops-codegen.*

Formulas are made of vectors of fixed dimension. *Dims* gives those of the arguments and of the result; \"broadcast\" means that
all arguments have the same dimension n or 1, and the result has the larger. *Derivative* gives, for each argument in turn, the
partial derivative of each component or, for operations that mix components, the covector e of the result pulled back to that
argument (`Grad`). Every operation has both modes, `Grad` and `Diff`, and both nest to any order. The gradient of an argument
that was broadcast is summed. Matrices and tensors are read row by row; complex vectors alternate real and imaginary parts, z\\*
is the conjugate of z.
";

/// The whole chapter.
fn render() -> String {
    let mut page = INTRODUCTION.to_string();
    for (title, texts) in CHAPTERS {
        let _ = write!(
            page,
            "\n## {title}\n\n| operation | dims | value | derivative | special points |\n|---|---|---|---|---|\n"
        );
        for text in *texts {
            let op = operation(text.name);
            let _ = writeln!(
                page,
                "| {} | {} | {} | {} | {} |",
                ours(op).join("<br>"),
                dims(op, text),
                cell(op.doc),
                cell(text.derivative),
                cell(text.special)
            );
        }
    }
    page.push_str(REDUCTIONS_TITLE);
    for text in REDUCTIONS {
        let names: Vec<String> = text.names.iter().map(|n| format!("`{n}_Reduction({})`", text.arguments)).collect();
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {} |",
            names.join("<br>"),
            cell(text.result),
            text.layout,
            text.empty,
            text.nan,
            text.gradient
        );
    }
    page.push_str("\n## KeOps, LazyTensor and keops\n\n| KeOps | LazyTensor | keops |\n|---|---|---|\n");
    for text in CHAPTERS.iter().flat_map(|(_, texts)| *texts) {
        let op = operation(text.name);
        let keops = if text.keops == "=" { code(&op.signature()) } else { text.keops.to_string() };
        let lazy = if text.lazy == "=" { code(&method(op)) } else { text.lazy.to_string() };
        let _ = writeln!(page, "| {} | {} | {} |", or_dash(keops), or_dash(lazy), ours(op).join(", "));
    }
    for (lazy, ours) in FURTHER {
        let _ = writeln!(page, "| — | {} | {} |", code(lazy), code(ours));
    }
    for text in REDUCTIONS {
        let all: Vec<String> = text.names.iter().map(|n| code(&format!("{n}_Reduction({})", text.arguments))).collect();
        // KeOps' parser knows the first of several names, and all of the exponential reductions.
        let keops = if text.names[0].contains("Arg") { all[0].clone() } else { all.join(", ") };
        let mut ours = all;
        if text.names[0] != "Zero" {
            ours.push(code(&ending(text)));
        }
        let lazy = if text.lazy.is_empty() { String::new() } else { code(text.lazy) };
        let _ = writeln!(page, "| {} | {} | {} |", or_dash(keops), or_dash(lazy), ours.join(", "));
    }
    for (lazy, ours) in FURTHER_REDUCTIONS {
        let _ = writeln!(page, "| — | {} | {} |", code(lazy), code(ours));
    }
    page
}

/// Further spellings of a `LazyTensor`, which are read here too, and what they mean.
const FURTHER: &[(&str, &str)] = &[
    ("x.norm(-1)", "Norm2(x)"),
    ("x.sum(-1)", "Sum(x)"),
    ("x.max(axis = -1)", "Max(x)"),
    ("x.argmin(dim = 2)", "ArgMin(x)"),
    ("x.concatenate(y, z)", "Concat(Concat(x, y), z)"),
    ("x.cat(y, dim = -1)", "Concat(x, y)"),
    ("x.power(3)", "x ** 3"),
    ("x.power(2)", "Square(x)"),
    ("x.mod(y)", "Mod(x, y, 0)"),
    ("x.round()", "Round(x, 0)"),
    ("m.bspline(s)", "BSpline(m, s, 0)"),
    ("x[1]", "Elem(x, 1)"),
    ("x[0..2]", "Extract(x, 0, 2)"),
    ("z.real()", "ComplexReal(z)"),
];

/// The same of reductions.
const FURTHER_REDUCTIONS: &[(&str, &str)] = &[
    ("s.reduction(Sum, axis = 1)", "Sum_Reduction(s, 0)"),
    ("s.reduction(KMin, opt_arg = 2, axis = 1)", "KMin_Reduction(s, 2, 0)"),
    ("s.reduction(LogSumExp, other = t, axis = 1)", "LogSumExp_Reduction(s, 0, t)"),
    ("s.logsumexp(axis = 1, weight = t)", "LogSumExp_Reduction(s, 0, t)"),
    ("s.sumsoftmaxweight(t, dim = 1)", "SumSoftMaxWeight_Reduction(s, 0, t)"),
    ("s.sum(axis = 1)", "Sum_Reduction(s, 0)"),
    ("s.sum_reduction(axis = 0)", "Sum_Reduction(s, 1)"),
    ("s.argKmin(2, dim = 1)", "ArgKMin_Reduction(s, 2, 0)"),
    ("s.Kmin_argKmin(K = 2, axis = 1)", "KMin_ArgKMin_Reduction(s, 2, 0)"),
    ("s.min_argmin(axis = 1)", "Min_ArgMin_Reduction(s, 0)"),
];

const REDUCTIONS_TITLE: &str = "
## Reductions

The tag says which index is kept: with tag 0 there is one row for each i and the sum runs over j, with tag 1 the other way round.
As an ending, `axis = 1` reduces over j and `axis = 0` over i. Below, F has D numbers and the weight G has E, and N is the number
of terms. No rows (M = 0) give an empty result. Indices count from 0, and the first of equal values wins.

| reduction | result | for each kept index | N = 0 | NaN terms | gradient |
|---|---|---|---|---|---|
";

/// The operation that is called `name`.
fn operation(name: &str) -> &'static Operation {
    ops::find(name).unwrap_or_else(|| panic!("there are words on {name}, which is no operation"))
}

/// All spellings of an operation.
fn ours(op: &Operation) -> Vec<String> {
    let mut all = vec![code(&op.signature())];
    if !op.method.is_empty() {
        all.push(code(&method(op)));
    }
    let operands = (op.args.first().unwrap_or(&""), op.args.get(1).unwrap_or(&""));
    for &(symbol, _, _, swapped) in INFIX.iter().filter(|(_, name, ..)| *name == op.name) {
        let (left, right) = if swapped { (operands.1, operands.0) } else { operands };
        all.push(code(&format!("{left} {symbol} {right}")));
    }
    match op.name {
        "Minus" => all.push(code("-f")),
        "Square" => all.push(code("f ** 2")),
        "Pow" => all.push(code("f ** integer")),
        "Powf" => all.push(code("f ** h")),
        "IntCst" => all.push(code("number")),
        _ => {}
    }
    all
}

/// `receiver.method(operands, literals)`, empty if there is none.
fn method(op: &Operation) -> String {
    if op.method.is_empty() {
        return String::new();
    }
    let order: Vec<usize> =
        if op.method_order.is_empty() { (0..op.args.len()).collect() } else { op.method_order.to_vec() };
    let mut operands: Vec<&str> = order.iter().map(|&k| op.args[k]).collect();
    let receiver = operands.remove(0);
    operands.extend(op.lits.iter().map(literal));
    format!("{receiver}.{}({})", op.method, operands.join(", "))
}

fn literal(kind: &LiteralKind) -> &'static str {
    match kind {
        LiteralKind::Int => "integer",
        LiteralKind::Number => "number",
        LiteralKind::List => "[integers]",
    }
}

/// A reduction as an ending.
fn ending(text: &reductions::Text) -> String {
    let separator = if text.ending.is_empty() { "" } else { ", " };
    format!("F.{}({}{separator}axis = 1)", text.names[0].to_lowercase(), text.ending)
}

fn dims(op: &Operation, text: &Text) -> String {
    match op.dims {
        Dims::Broadcast if op.args.len() > 1 => "broadcast".to_string(),
        Dims::Broadcast | Dims::Same => "n → n".to_string(),
        Dims::ToScalar => if op.args.is_empty() { "→ 1" } else { "n → 1" }.to_string(),
        Dims::Pairing => "n, n → 1 (or 1 for n)".to_string(),
        Dims::Custom(_) | Dims::Free => text.dims.to_string(),
    }
}

fn code(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("`{}`", text.replace('|', "\\|")) }
}

/// Text of a table's cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('*', "\\*").replace('[', "\\[")
}

fn or_dash(text: String) -> String {
    if text.is_empty() { "—".to_string() } else { text }
}

mod tests {
    use super::*;
    use crate::parse::reduction::names;
    use std::collections::BTreeSet;

    const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference.md");

    #[test]
    fn the_chapter_is_up_to_date() {
        let page = render();
        if std::env::var_os("KEOPS_WRITE_REFERENCE").is_some() {
            std::fs::write(PATH, &page).unwrap();
        }
        let committed = std::fs::read_to_string(PATH).unwrap();
        assert!(
            page == committed,
            "docs/reference.md is out of date: run KEOPS_WRITE_REFERENCE=1 cargo test -p keops-codegen reference"
        );
    }

    #[test]
    fn every_operation_has_its_words_once() {
        let mut missing: BTreeSet<&str> = ops::all().filter(|op| op.is_public()).map(|op| op.name).collect();
        for text in CHAPTERS.iter().flat_map(|(_, texts)| *texts) {
            assert!(missing.remove(text.name), "{} is there twice or is no operation", text.name);
            assert!(!text.derivative.is_empty(), "{}", text.name);
            let own = matches!(operation(text.name).dims, Dims::Custom(_) | Dims::Free);
            assert_eq!(own, !text.dims.is_empty(), "dimensions of {}", text.name);
        }
        assert!(missing.is_empty(), "add words to reference/operations.rs on {missing:?}");
    }

    #[test]
    fn every_reduction_has_its_words_once() {
        let words: Vec<&str> = REDUCTIONS.iter().flat_map(|text| text.names).copied().collect();
        let (unique, known): (BTreeSet<&str>, BTreeSet<&str>) = (words.iter().copied().collect(), names().collect());
        assert_eq!(words.len(), unique.len());
        assert_eq!(unique, known);
    }

    const VARIABLES: &[(&str, &str)] = &[
        ("s", "Vi<1>"),
        ("t", "Vj<1>"),
        ("x", "Vi<3>"),
        ("y", "Vj<3>"),
        ("z", "Vi<4>"),
        ("w", "Vj<4>"),
        ("m", "Vj<9>"),
    ];

    /// Compiles a reduction of a formula, and gives its nodes.
    fn nodes(formula: &str, reduced: &str) -> String {
        let words: Vec<&str> = formula.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        // Without a variable of j nothing would say how many terms there are.
        let by_j = VARIABLES.iter().any(|(name, kind)| kind.starts_with("Vj") && words.contains(name));
        let declared: Vec<String> = VARIABLES
            .iter()
            .filter(|(name, _)| words.contains(name) || *name == "t" && !by_j)
            .map(|(name, kind)| format!("{name}: {kind}"))
            .collect();
        let item = format!("fn f({}) = {reduced};", declared.join(", "));
        match crate::compile(item.parse().unwrap()) {
            Ok(checked) => {
                let body = &checked[0].task.body;
                let roots: Vec<_> = std::iter::once(body.value).chain(body.weight).collect();
                format!("{} {:?} {}", checked[0].ir.text(&roots), checked[0].task.operation, checked[0].out)
            }
            Err(mistakes) => panic!("{item}: {mistakes:?}"),
        }
    }

    /// The function and the method of every operation are the same, with the operands in the documented order.
    #[test]
    fn every_spelling_of_an_operation_compiles_to_the_same() {
        for text in CHAPTERS.iter().flat_map(|(_, texts)| *texts) {
            let op = operation(text.name);
            let sample: Vec<&str> = if text.sample.is_empty() {
                vec!["x", "y", "x"][..op.args.len()].to_vec()
            } else {
                text.sample.to_vec()
            };
            let literals = |first: bool| match (text.literals, first) {
                ("", _) => String::new(),
                (literals, true) => literals.to_string(),
                (literals, false) => format!(", {literals}"),
            };
            let function = format!("{}({}{})", op.name, sample.join(", "), literals(sample.is_empty()));
            let value = nodes(&function, &format!("Sum_Reduction({function}, 0)"));
            if !op.method.is_empty() {
                let order: Vec<usize> =
                    if op.method_order.is_empty() { (0..op.args.len()).collect() } else { op.method_order.to_vec() };
                let operands: Vec<&str> = order.iter().skip(1).map(|&k| sample[k]).collect();
                let call = format!(
                    "({}).{}({}{})",
                    sample[order[0]],
                    op.method,
                    operands.join(", "),
                    literals(operands.is_empty())
                );
                assert_eq!(value, nodes(&call, &format!("Sum_Reduction({call}, 0)")), "{call}");
            }
        }
    }

    #[test]
    fn every_spelling_of_a_reduction_compiles_to_the_same() {
        for text in REDUCTIONS.iter().filter(|text| text.names[0] != "Zero") {
            let fill = |s: &str| {
                s.replace(['[', ']'], "").replace("tag", "0").replace('F', "s").replace('G', "t").replace("K", "2")
            };
            let weighted = text.arguments.contains('G');
            let formula = if weighted { "s t" } else { "s" };
            let of = |name: &str| nodes(formula, &format!("{name}_Reduction({})", fill(text.arguments)));
            for name in text.names {
                assert_eq!(of(name), of(text.names[0]), "{name}");
            }
            // Names hold letters that arguments are called by.
            let ending = format!(
                "s.{}({}axis = 1)",
                text.names[0].to_lowercase(),
                match text.ending {
                    "" => String::new(),
                    arguments => format!("{}, ", fill(arguments)),
                }
            );
            assert_eq!(nodes(formula, &ending), of(text.names[0]), "{ending}");
        }
    }

    #[test]
    fn further_spellings_compile_to_the_same() {
        for (lazy, ours) in FURTHER {
            let reduced = |formula: &str| nodes(lazy, &format!("Sum_Reduction({formula}, 0)"));
            assert_eq!(reduced(lazy), reduced(ours), "{lazy}");
        }
        for (lazy, ours) in FURTHER_REDUCTIONS {
            assert_eq!(nodes("s t", lazy), nodes("s t", ours), "{lazy}");
        }
    }
}
