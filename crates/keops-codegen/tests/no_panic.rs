//! Whatever is written between the brackets of `keops!`, the compiler answers with code or with mistakes.

use keops_codegen::{compile, expand};
use proc_macro2::TokenStream;

const SEEDS: &[&str] = &[
    "pub fn gauss(x_i: Vi<3>, y_j: Vj<3>, b_j: Vj<1>, gamma: Pm<1>) = Sum_Reduction(Exp(-gamma * SqDist(x_i, y_j)) * b_j, 0);",
    "/// doc\n#[grad(x_i, g)] fn f<const D: usize>(x_i: Vi<D>, y_j: Vj<D>, g: Pm<1>) = LogSumExp_Reduction(-g * (x_i - y_j).sqnorm2(), 0);",
    "|x_i: Vi<3>, y_j: Vj<3>| (x_i - y_j).norm2().argkmin(10, axis = 1)",
    "fn t(x_i: Vi<12>, y_j: Vj<12>) = Sum_Reduction(TensorDot(x_i, y_j, [2,3,2], [3,2,2], [1,2], [0,1]), 1);",
    "fn p(x_i: Vi<3>, y_j: Vj<3>) = Max_ArgMax_Reduction(x_i**2**-y_j | y_j + 0.5 * IfElse(x_i <= y_j, x_i, Clamp(y_j, 0, 1)), 0);",
    "#[grad(q_i)] fn s(q_i: Vi<4>, k_j: Vj<4>, v_j: Vj<3>) = SumSoftMaxWeight_Reduction((q_i | k_j) / 2, 0, v_j);",
    "fn d(x_i: Vi<2>, y_j: Vj<2>, e_i: Vi<1>) = Grad(Sum_Reduction(Exp(-SqDist(x_i, y_j)), 0), x_i, e_i);",
    "fn l(x_i: Vi<2>, y_j: Vj<2>) = Sum_Reduction(Laplacian(Exp(-SqDist(x_i, y_j)), x_i) * Elem(y_j, 1), 0);",
    "#[grad(x_i(y_j(x_i), e), g)] fn c(x_i: Vi<2>, y_j: Vj, g: Pm) = LogSumExp_Reduction(-g * SqDist(x_i, y_j), 0);",
    "Sum_Reduction(Exp(-gamma * SqDist(x_i[0..2], y_j)) * b_j[1], 0)",
    "Grad(((x_i - y_j).sqnorm2() * -gamma).logsumexp(axis = 1), y_j, e_i)",
];

/// Pieces that mutations insert.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    ",",
    ";",
    ":",
    "=",
    "|",
    "*",
    "**",
    "-",
    "+",
    "/",
    ".",
    "..",
    "#",
    "!",
    "'",
    "\"",
    "%",
    "0",
    "1",
    "-1",
    "3",
    "99999999999999999999",
    "1e400",
    "0.5",
    "1f32",
    "0x",
    "x_i",
    "y_j",
    "D",
    "Vi<0>",
    "Vj<",
    "Pm<1>",
    "fn",
    "pub",
    "const",
    "axis = 1",
    "tag = 2",
    "K = 0",
    "Sum_Reduction(",
    "Grad(",
    "Exp(",
    "Elem(",
    "Extract(",
    "Concat(",
    "TensorDot(",
    "Zero(",
    "Pow(",
    ".sum(",
    ".exp()",
    "[1, 2]",
    "é",
    "\u{0}",
    "self",
    "_",
    "r#fn",
    "Divergence(",
    "GradMatrix(",
    "SumT(",
    "Zero_Reduction(3, 0)",
    "[0]",
    "[1..3]",
    "Vi<_>",
    ": Vj",
    "self",
    "(x_i)",
    "OneHot(",
    "Diff(",
];

/// xorshift64*: the same mutations every time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33).expect("31 bits") % n
    }
}

fn mutate(text: &str, random: &mut Random) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(4) {
        let at = random.below(chars.len() + 1);
        match random.below(5) {
            0 if at < chars.len() => {
                chars.remove(at);
            }
            1 => {
                let end = (at + random.below(12)).min(chars.len());
                chars.drain(at..end);
            }
            2 => {
                let end = (at + random.below(30)).min(chars.len());
                let copy: Vec<char> = chars[at..end].to_vec();
                let to = random.below(chars.len() + 1);
                chars.splice(to..to, copy);
            }
            _ => {
                chars.splice(at..at, PIECES[random.below(PIECES.len())].chars());
            }
        }
    }
    chars.into_iter().collect()
}

#[test]
fn mutated_formulas_are_answered() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut lexed, mut right) = (0, 0);
    for round in 0..8000 {
        let mut text = SEEDS[round % SEEDS.len()].to_string();
        for _ in 0..=random.below(3) {
            text = mutate(&text, &mut random);
        }
        let Ok(tokens) = text.parse::<TokenStream>() else { continue };
        lexed += 1;
        match compile(tokens.clone()) {
            Ok(_) => right += 1,
            Err(mistakes) => assert!(!mistakes.is_empty(), "{text}"),
        }
        // Right or wrong, what comes out is Rust.
        let code = expand(tokens);
        let is_rust = syn::parse2::<syn::File>(code.clone()).is_ok() || syn::parse2::<syn::Expr>(code.clone()).is_ok();
        assert!(is_rust, "{text} becomes {code}");
    }
    // The mutations must reach beyond the lexer, and must not all be harmless.
    assert!(lexed > 1500, "{lexed}");
    assert!(right > 50 && right < lexed, "{right} of {lexed}");
}

#[test]
fn depth_is_bounded() {
    let n = 20_000;
    for formula in [
        format!("{}x_i{}", "(".repeat(n), ")".repeat(n)),
        format!("{}x_i{}", "Exp(".repeat(n), ")".repeat(n)),
        format!("x_i{}", " + x_i".repeat(n)),
        format!("x_i{}", " ** x_i".repeat(n)),
        format!("{}x_i", "-".repeat(n)),
        format!("x_i{}", ".exp()".repeat(n)),
        format!("x_i{}", " | x_i".repeat(n)),
    ] {
        let item = format!("fn f(x_i: Vi<3>, y_j: Vj<1>) = Sum_Reduction({formula}, 0);");
        let mistakes = compile(item.parse().expect("tokens")).expect_err("too deep");
        assert_eq!(mistakes.count(), 1, "{:?}", mistakes.iter().next());
    }
}
