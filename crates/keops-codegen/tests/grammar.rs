//! How formulas are read: two spellings mean the same if their canonical texts are equal.

use keops_codegen::check::Checked;
use keops_codegen::compile;

const VARIABLES: &str = "x_i: Vi<3>, y_j: Vj<3>, z_j: Vj<3>, s: Pm<1>";

/// The whole item that reduces `formula`.
fn item(reduction: &str) -> String {
    format!("fn f({VARIABLES}) = {reduction};")
}

fn checked(source: &str) -> Checked {
    let tokens = source.parse().expect("tokens");
    match compile(tokens) {
        Ok(mut all) => all.remove(0),
        Err(mistakes) => panic!("{source}: {:?}", mistakes.iter().map(|m| &m.message).collect::<Vec<_>>()),
    }
}

fn text_of(checked: &Checked) -> String {
    let body = &checked.task.body;
    let roots: Vec<_> = std::iter::once(body.value).chain(body.weight).collect();
    format!("{:?} {:?} {}", checked.task.operation, body.keep, checked.ir.text(&roots))
}

/// Canonical text of a formula; all variables are used beside it.
fn text(formula: &str) -> String {
    let all = "0 * (Sum(x_i) + Sum(y_j) + Sum(z_j) + s)";
    text_of(&checked(&item(&format!("LogSumExp_Reduction({all}, 0, {formula})"))))
}

fn same(a: &str, b: &str) {
    assert_eq!(text(a), text(b), "{a} and {b}");
}

fn different(a: &str, b: &str) {
    assert_ne!(text(a), text(b), "{a} and {b}");
}

#[test]
fn precedence_is_that_of_python() {
    same("x_i | y_j + z_j", "Scalprod(x_i, Add(y_j, z_j))");
    same("-x_i | y_j", "Scalprod(Minus(x_i), y_j)");
    same("-x_i ** 2", "Minus(Square(x_i))");
    same("(-x_i) ** 3", "Pow(Minus(x_i), 3)");
    same("x_i + y_j * z_j", "Add(x_i, Mult(y_j, z_j))");
    same("x_i - y_j - z_j", "Subtract(Subtract(x_i, y_j), z_j)");
    same("x_i / y_j * z_j", "Mult(Divide(x_i, y_j), z_j)");
    same("x_i / y_j / z_j", "Divide(Divide(x_i, y_j), z_j)");
    same("x_i + y_j < z_j | x_i", "LessThan(Add(x_i, y_j), Scalprod(z_j, x_i))");
    same("-x_i * y_j", "Mult(Minus(x_i), y_j)");
    same("- - x_i", "Minus(Minus(x_i))");
    different("(x_i | y_j) + s", "x_i | y_j + s");
    different("x_i * (y_j + z_j)", "x_i * y_j + z_j");
}

#[test]
fn powers_bind_to_the_right_and_tighter_than_minus() {
    same("x_i ** 3", "Pow(x_i, 3)");
    same("x_i ** -2", "Pow(x_i, -2)");
    same("x_i**-1*y_j", "Mult(Pow(x_i, -1), y_j)");
    same("x_i ** 0.5", "Powf(x_i, 0.5)");
    same("x_i ** -s", "Powf(x_i, Minus(s))");
    same("x_i ** y_j ** 2", "Powf(x_i, Square(y_j))");
    same("2 ** x_i", "Powf(2, x_i)");
    same("x_i.exp() ** 3", "Pow(Exp(x_i), 3)");
    same("x_i.power(3)", "Pow(x_i, 3)");
    same("x_i.power(s)", "Powf(x_i, s)");
}

#[test]
fn comparisons_turn_round() {
    same("x_i > y_j", "LessThan(y_j, x_i)");
    same("x_i >= y_j", "LessOrEqual(y_j, x_i)");
    same("x_i <= y_j", "LessOrEqual(x_i, y_j)");
    same("x_i == y_j", "Equal(x_i, y_j)");
    same("x_i != y_j", "NotEqual(x_i, y_j)");
    same("x_i<-y_j", "LessThan(x_i, Minus(y_j))");
}

#[test]
fn methods_are_functions() {
    same("(x_i - y_j).sqnorm2()", "SqNorm2(x_i - y_j)");
    same("(-(x_i - y_j).sqnorm2() * s).exp() * z_j", "Exp(Minus(SqNorm2(x_i - y_j)) * s) * z_j");
    same("x_i.sqdist(y_j)", "SqDist(x_i, y_j)");
    same("x_i.weightedsqnorm(y_j)", "WeightedSqNorm(y_j, x_i)");
    same("x_i.weightedsqdist(y_j, s)", "WeightedSqDist(s, x_i, y_j)");
    same("x_i.sum()", "Sum(x_i)");
    same("x_i.max(axis = -1)", "Max(x_i)");
    same("x_i.elem(1)", "Elem(x_i, 1)");
    same("x_i.clamp(0, 1)", "Clamp(x_i, 0, 1)");
    same("2.5.exp()", "Exp(2.5)");
    same("x_i.round()", "Round(x_i, 0)");
    same("x_i.round(-1)", "Round(x_i, -1)");
    same("x_i.mod(s)", "Mod(x_i, s, 0)");
    same("x_i.mod(2, 0.5)", "Mod(x_i, 2, 0.5)");
    same("x_i.max(dim = -1)", "Max(x_i)");
}

#[test]
fn subscripts_take_components() {
    same("x_i[1]", "Elem(x_i, 1)");
    same("x_i[1..3]", "Extract(x_i, 1, 2)");
    same("x_i[1..=2]", "Extract(x_i, 1, 2)");
    same("x_i[..2]", "Extract(x_i, 0, 2)");
    same("(x_i - y_j)[0..2][1] ** 2", "Square(Elem(Extract(x_i - y_j, 0, 2), 1))");
    same("x_i.exp()[2].log() * y_j[0]", "Log(Elem(Exp(x_i), 2)) * Elem(y_j, 0)");
}

/// Variables of many dimensions, and lists of axes: some of them fit every operation of the table.
const ANYTHING: &str = "a: Pm<1>, x: Vi<3>, y: Vj<3>, q: Pm<4>, m: Vj<9>, z: Vi<6>, n_i: Vi<1>, n_j: Vj<1>, t: Pm<2>";

/// Every way to choose one of `choices[k]` for each k.
fn combinations(choices: &[&[&'static str]]) -> Vec<Vec<&'static str>> {
    choices.iter().fold(vec![vec![]], |all, next| {
        all.iter().flat_map(|c| next.iter().map(|n| [c.as_slice(), &[*n]].concat())).collect()
    })
}

/// Operations of the table as methods: the receiver and the arguments go where `method_order` says.
#[test]
fn every_method_of_the_table_is_its_function() {
    use keops_codegen::ops::{self, LiteralKind};
    let text = |formula: &str| -> Option<String> {
        let item = format!(
            "fn f({ANYTHING}) = LogSumExp_Reduction(0 * (a + Sum(x) + Sum(y) + Sum(q) + Sum(m) + Sum(z) + n_i + n_j + Sum(t)), 0, {formula});"
        );
        Some(text_of(&compile(item.parse().ok()?).ok()?[0]))
    };
    let mut count = 0;
    for operation in ops::all().filter(|o| o.is_public() && !o.method.is_empty() && !o.args.is_empty()) {
        let mut choices: Vec<&[&str]> = Vec::new();
        for _ in operation.args {
            choices.push(&["x", "y", "a", "q", "m", "z"]);
        }
        for (k, kind) in operation.lits.iter().enumerate() {
            choices.push(match (kind, k) {
                (LiteralKind::List, 0 | 1) => &["[3]", "[3, 3]"],
                (LiteralKind::List, 4) => &["[]", "[0]"],
                (LiteralKind::List, _) => &["[0]"],
                _ => &["1", "2", "0", "3"],
            });
        }
        let found = combinations(&choices).into_iter().find_map(|all| {
            let function = text(&format!("{}({})", operation.name, all.join(", ")))?;
            Some((all, function))
        });
        let (all, function) = found.unwrap_or_else(|| panic!("no arguments fit {}", operation.signature()));
        let (formulas, literals) = all.split_at(operation.args.len());
        let order: Vec<usize> = match operation.method_order {
            [] => (0..formulas.len()).collect(),
            order => order.to_vec(),
        };
        let rest: Vec<&str> = order[1..].iter().map(|&k| formulas[k]).chain(literals.iter().copied()).collect();
        let method = format!("{}.{}({})", formulas[order[0]], operation.method, rest.join(", "));
        assert_eq!(text(&method), Some(function), "{method}");
        count += 1;
    }
    assert!(count > 45, "only {count}");
}

/// What KeOps' `LazyTensor` has as methods, by the names that it has there.
#[test]
fn methods_of_lazy_tensors_are_there() {
    for method in [
        "abs",
        "exp",
        "log",
        "xlogx",
        "cos",
        "sin",
        "sinxdivx",
        "sinc",
        "asin",
        "acos",
        "atan",
        "sqrt",
        "rsqrt",
        "square",
        "sign",
        "step",
        "relu",
        "sqnorm2",
        "norm2",
        "normalize",
        "round",
        "sum",
        "min",
        "max",
        "argmin",
        "argmax",
        "atan2",
        "power",
        "sqdist",
        "weightedsqnorm",
        "weightedsqdist",
        "mod",
        "clamp",
        "ifelse",
        "concat",
        "matvecmult",
        "vecmatmult",
        "tensorprod",
        "keops_tensordot",
        "keops_kron",
        "one_hot",
        "elem",
        "extract",
        "grad",
        "diff",
        "grad_matrix",
        "divergence",
        "laplacian",
        "factorize",
        "auto_factorize",
        "real",
        "imag",
        "angle",
        "conj",
        "real2complex",
        "imag2complex",
        "exp1j",
    ] {
        assert!(keops_codegen::ops::find_method(method).is_some(), ".{method}");
    }
    for ending in [
        "sum(axis = 1)",
        "sum(dim = 1)",
        "sum_reduction(axis = 1)",
        "logsumexp(axis = 1)",
        "min(axis = 1)",
        "min_reduction(axis = 1)",
        "argmin(axis = 1)",
        "argmin_reduction(axis = 1)",
        "min_argmin(axis = 1)",
        "max(axis = 1)",
        "max_reduction(axis = 1)",
        "argmax(axis = 1)",
        "argmax_reduction(axis = 1)",
        "max_argmax(axis = 1)",
        "Kmin(2, axis = 1)",
        "argKmin(2, axis = 1)",
        "Kmin_argKmin(2, axis = 1)",
        "sumsoftmaxweight(y_j, axis = 1)",
        "logsumexp(axis = 1, weight = y_j)",
    ] {
        checked(&format!("|x_i: Vi<3>, y_j: Vj<3>| (x_i | y_j).{ending}"));
    }
}

#[test]
fn numbers_are_exact() {
    same("0.1 * x_i", "1e-1 * x_i");
    same("16777217 * x_i", "1.6777217e7 * x_i");
    same("1_000 * x_i", "0x3e8 * x_i");
    same("2.5E+1 * x_i", "25 * x_i");
    different("0.1 * x_i", "0.10000000000000002 * x_i");
    assert!(text("0.30000000000000004 * x_i").contains("Const(0.30000000000000004, 1)"));
}

#[test]
fn lists_and_hints() {
    same("TensorDot(x_i, y_j, [3], [3], [0], [0])", "TensorDot(x_i, y_j, [3], [3], [0], [0],)");
    same("Factorize(Exp(x_i - y_j) + x_i, x_i - y_j)", "Exp(x_i - y_j) + x_i");
    same("((x_i))", "x_i");
}

fn reduction(source: &str) -> String {
    text_of(&checked(&format!("fn f(x_i: Vi<3>, y_j: Vj<3>) = {source};")))
}

#[test]
fn reductions_are_endings_too() {
    let sum = reduction("Sum_Reduction(SqDist(x_i, y_j), 0)");
    for other in [
        "SqDist(x_i, y_j).sum_reduction(0)",
        "x_i.sqdist(y_j).sum(axis = 1)",
        "x_i.sqdist(y_j).sum(tag = 0)",
        "Sum_Reduction(SqDist(x_i, y_j), tag = 0)",
        "Sum_Reduction(SqDist(x_i, y_j), axis = 1)",
    ] {
        assert_eq!(reduction(other), sum, "{other}");
    }
    assert_ne!(reduction("Sum_Reduction(SqDist(x_i, y_j), 1)"), sum);
    assert_eq!(reduction("(x_i * y_j).sum(axis = 0)"), reduction("Sum_Reduction(x_i * y_j, 1)"));
    assert_eq!(
        reduction("x_i.sqdist(y_j).argkmin(10, axis = 1)"),
        reduction("ArgKMin_Reduction(SqDist(x_i, y_j), 10, 0)")
    );
    assert_eq!(
        reduction("x_i.sqdist(y_j).argKmin(K = 10, axis = 1)"),
        reduction("ArgKMin_Reduction(SqDist(x_i, y_j), 10, 0)")
    );
    assert_eq!(reduction("x_i.sqdist(y_j).logsumexp(axis = 1)"), reduction("LogSumExp_Reduction(SqDist(x_i, y_j), 0)"));
    assert_eq!(
        reduction("x_i.sqdist(y_j).logsumexp(axis = 1, weight = y_j)"),
        reduction("LogSumExp_Reduction(SqDist(x_i, y_j), 0, y_j)")
    );
    assert_eq!(
        reduction("(x_i | y_j).sumsoftmaxweight(y_j, axis = 1)"),
        reduction("SumSoftMaxWeight_Reduction(x_i | y_j, 0, y_j)")
    );
    assert_eq!(reduction("(x_i * y_j).min_argmin(axis = 0)"), reduction("Min_ArgMin_Reduction(x_i * y_j, 1)"));
}

#[test]
fn the_expression_form_reads_the_same() {
    let item = reduction("Sum_Reduction(x_i | y_j, 0)");
    assert_eq!(text_of(&checked("|x_i: Vi<3>, y_j: Vj<3>| Sum_Reduction(x_i | y_j, 0)")), item);
}

#[test]
fn gradients_of_whole_reductions() {
    let x = checked("fn f(x_i: Vi<3>, y_j: Vj<3>, e_i: Vi<1>) = Grad(Sum_Reduction(SqDist(x_i, y_j), 0), x_i, e_i);");
    let y = checked("fn f(x_i: Vi<3>, y_j: Vj<3>, e_i: Vi<1>) = Grad(Sum_Reduction(SqDist(x_i, y_j), 0), y_j, e_i);");
    let by_hand = |v: &str, tag: u8| {
        checked(&format!(
            "fn f(x_i: Vi<3>, y_j: Vj<3>, e_i: Vi<1>) = Sum_Reduction(Grad(SqDist(x_i, y_j), {v}, e_i), {tag});"
        ))
    };
    assert_eq!(text_of(&x), text_of(&by_hand("x_i", 0)));
    assert_eq!(text_of(&y), text_of(&by_hand("y_j", 1)));
}

#[test]
fn messages_and_documentation_show_formulas_as_they_are_written() {
    for formula in [
        "Sum_Reduction(Exp(-gamma * SqDist(x_i, y_j)) * b_j, 0)",
        "(x_i - y_j).sqnorm2().exp().sum_reduction(0)",
        "x_i.sqdist(y_j).argkmin(10, axis = 1)",
        "Sum_Reduction(TensorDot(x_i, y_j, [2, 3], [3, 2], [1], [0]), 1)",
        "Sum_Reduction(x_i > y_j | (x_i <= y_j) + 0.5, 0)",
        "Sum_Reduction(-x_i**-2 * y_j / (2 * s), 0)",
        "Sum_Reduction((x_i - y_j)[1] * x_i[0..2].exp(), 0)",
        "Sum_Reduction((-x_i)**y_j**2 - (x_i - (y_j - 1.0)), 0)",
    ] {
        let tokens = format!("|x_i: Vi<1>, y_j: Vj<1>| {formula}").parse().expect("tokens");
        let mut mistakes = keops_codegen::Mistakes::new();
        let items = keops_codegen::parse::parse(tokens, &mut mistakes);
        assert!(mistakes.is_empty());
        assert_eq!(items[0].text, formula);
    }
}

/// The dimensions of the variables of an item, const parameters included.
fn dimensions(source: &str) -> Vec<String> {
    checked(source).task.body.variables.iter().map(|v| v.dim.to_string()).collect()
}

#[test]
fn dimensions_follow_from_the_formula() {
    let of = |variables: &str, reduction: &str| dimensions(&format!("fn f({variables}) = {reduction};"));
    assert_eq!(of("x_i: Vi<3>, y_j: Vj", "Sum_Reduction(SqDist(x_i, y_j), 0)"), ["3", "3"]);
    assert_eq!(of("x_i: Vi, y_j: Vj<_>, z_j: Vj<2>", "Sum_Reduction((x_i | y_j) * (y_j - z_j), 0)"), ["2", "2", "2"]);
    // An exponent is one number, and so is everything that is added to one.
    assert_eq!(of("x_i: Vi<3>, y_j: Vj, g_j: Vj", "LogSumExp_Reduction(g_j - SqDist(x_i, y_j), 0)"), ["3", "3", "1"]);
    // A parameter is one number unless the formula makes it something else.
    assert_eq!(of("x_i: Vi<3>, y_j: Vj, s: Pm", "Sum_Reduction(SqDist(x_i * s, y_j * s), 0)"), ["3", "3", "1"]);
    assert_eq!(of("x_i: Vi<3>, y_j: Vj<1>, s: Pm", "Sum_Reduction((x_i | s) * y_j, 0)"), ["3", "1", "3"]);
    // Covectors have the dimension of what they pull back, directions that of the variable.
    assert_eq!(
        of("x_i: Vi<3>, y_j: Vj, e_i: Vi", "Sum_Reduction(Grad(SqDist(x_i, y_j), x_i, e_i), 0)"),
        ["3", "3", "1"]
    );
    assert_eq!(
        of("x_i: Vi<3>, y_j: Vj, u_i: Vi", "Diff(Sum_Reduction(SqDist(x_i, y_j), 0), x_i, u_i)"),
        ["3", "3", "3"]
    );
    assert_eq!(of("x_i: Vi<3>, y_j: Vj, e_i: Vi", "Grad(Sum_Reduction(x_i * y_j, 0), x_i, e_i)"), ["3", "3", "3"]);
    // Operations with rules of their own.
    assert_eq!(of("x_i: Vi, y_j: Vj<2>", "Sum_Reduction(x_i * OneHot(x_i, 4), 0)"), ["1", "2"]);
    assert_eq!(of("x_i: Vi, y_j: Vj<6>", "Sum_Reduction(x_i + y_j[1..4], 0)"), ["3", "6"]);
    // What only the data can tell is a const parameter, the same for all that agree.
    let x = "DIMENSION_OF_X_I";
    assert_eq!(
        of("x_i: Vi, y_j: Vj, b_j: Vj", "Sum_Reduction(Exp(-SqDist(x_i, y_j)) * b_j, 0)"),
        [x, x, "DIMENSION_OF_B_J"]
    );
    assert_eq!(of("x_i: Vi, y_j: Vj", "Sum_Reduction(x_i * y_j, 0)"), [x, x]);
    assert_eq!(
        dimensions("fn f<const D: usize>(x_i: Vi<D>, y_j: Vj, b_j: Vj<1>) = Sum_Reduction(b_j * (x_i - y_j), 0);"),
        ["D", "D", "1"]
    );
}

#[test]
fn the_bare_form_takes_categories_from_names() {
    let bare = checked("Sum_Reduction(Exp(-gamma * SqDist(x_i, y_j)) * b_j, 0)");
    let stated = checked(
        "fn f<const DIMENSION_OF_X_I: usize, const DIMENSION_OF_B_J: usize>(gamma: Pm<1>, x_i: Vi<DIMENSION_OF_X_I>,
         y_j: Vj<DIMENSION_OF_X_I>, b_j: Vj<DIMENSION_OF_B_J>) = Sum_Reduction(Exp(-gamma * SqDist(x_i, y_j)) * b_j, 0);",
    );
    assert_eq!(text_of(&bare), text_of(&stated));
}
