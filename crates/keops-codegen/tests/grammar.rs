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
    let body = &checked.body;
    let roots: Vec<_> = std::iter::once(body.value).chain(body.weight).collect();
    format!("{:?} {:?} {}", checked.operation, body.keep, checked.ir.text(&roots))
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
        "Sum_Reduction((-x_i)**y_j**2 - (x_i - (y_j - 1.0)), 0)",
    ] {
        let tokens = format!("|x_i: Vi<1>, y_j: Vj<1>| {formula}").parse().expect("tokens");
        let mut mistakes = keops_codegen::Mistakes::new();
        let items = keops_codegen::parse::parse(tokens, &mut mistakes);
        assert!(mistakes.is_empty());
        assert_eq!(items[0].text, formula);
    }
}
