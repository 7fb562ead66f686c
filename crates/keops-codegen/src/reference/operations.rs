//! What the table of operations does not say: derivatives, special points, and the names that PyKeOps has.

/// The words on one operation.
pub(super) struct Text {
    pub(super) name: &'static str,
    /// Partial derivatives, or the pulled-back covector.
    pub(super) derivative: &'static str,
    /// What happens where the formula alone does not say it.
    pub(super) special: &'static str,
    /// Dimensions, where the operation has a rule of its own.
    pub(super) dims: &'static str,
    /// In KeOps' formulas: `=` for the same, empty for nothing.
    pub(super) keops: &'static str,
    /// As a `LazyTensor`: `=` for the same method, empty for nothing.
    pub(super) lazy: &'static str,
    /// Arguments to try it with, from `s t: 1`, `x y: 3`, `z w: 4`, `m: 9` numbers; empty: `x, y, x`.
    pub(super) sample: &'static [&'static str],
    /// Literals to try it with.
    pub(super) literals: &'static str,
}

const fn t(name: &'static str, derivative: &'static str, special: &'static str) -> Text {
    Text { name, derivative, special, dims: "", keops: "=", lazy: "=", sample: &[], literals: "" }
}

impl Text {
    const fn dims(self, dims: &'static str) -> Text {
        Text { dims, ..self }
    }
    const fn keops(self, keops: &'static str) -> Text {
        Text { keops, ..self }
    }
    const fn lazy(self, lazy: &'static str) -> Text {
        Text { lazy, ..self }
    }
    /// Not in KeOps at all.
    const fn ours(self) -> Text {
        Text { keops: "", lazy: "", ..self }
    }
    const fn with(self, sample: &'static [&'static str], literals: &'static str) -> Text {
        Text { sample, literals, ..self }
    }
}

/// Chapters, in order.
pub(super) const CHAPTERS: &[(&str, &[Text])] = &[
    (
        "Constants and indices",
        &[
            t("IntCst", "0", "exact in the number type of the call, decimals too").lazy("`3`, `0.5`").with(&[], "3"),
            t("RatCst", "0", "q = 0 is a compile error").lazy("").with(&[], "1, 3"),
            t("IntInv", "0", "n = 0 is a compile error").lazy("").with(&[], "3"),
            t("Zero", "0", "").dims("→ n").lazy("").with(&[], "3"),
            t("IndexI", "0", "exact beyond 2²⁴ in sums, differences and comparisons").ours().with(&[], ""),
            t("IndexJ", "0", "as IndexI").ours().with(&[], ""),
        ],
    ),
    (
        "Arithmetic",
        &[
            t("Add", "1, 1", "").lazy("`f + g`"),
            t("Subtract", "1, −1", "").lazy("`f - g`"),
            t("Mult", "g, f", "").lazy("`f * g`"),
            t("Divide", "1 / g, −f / g²", "IEEE: x / 0 = ±∞, 0 / 0 = NaN").lazy("`f / g`"),
            t("Minus", "−1", "").lazy("`-f`"),
            t("Inv", "−1 / f²", "±∞ at ±0").lazy("`1 / f`"),
            t("Square", "2f", ""),
            t("Pow", "m f^(m−1)", "m = 0 gives 1 for every f, with derivative 0; m < 0 gives ±∞ at 0")
                .lazy("`f ** 3`")
                .with(&["x"], "3"),
            t(
                "Powf",
                "h f^(h−1), f^h ln f",
                "NaN for f < 0 unless h is whole; derivative towards h: 0 where f^h = 0, NaN for f < 0; computed in the full precision of the number type",
            ),
            t("Abs", "Sign(f)", "derivative 0 at 0"),
            t("Sign", "0", "0 at ±0 and for NaN"),
            t("Step", "0", "1 at ±0 and for NaN"),
            t("ReLU", "1 where f ≥ 0, else 0", "derivative 1 at 0; NaN stays NaN"),
            t("Floor", "0", "").lazy(""),
            t(
                "Round",
                "0",
                "halves go away from zero: Round(−0.5) = −1, Round(2.5) = 3; d may be negative; without d it is 0",
            )
            .with(&["x"], "1"),
            t("Mod", "1, −⌊(f − o) / m⌋, 0", "the result lies in [o, o + m) for m > 0; m = 0 gives NaN"),
        ],
    ),
    (
        "Comparisons and choices",
        &[
            t("Equal", "0", "0 if either is NaN").lazy("`f == g`"),
            t("NotEqual", "0", "1 if either is NaN").lazy("`f != g`"),
            t("LessThan", "0", "0 if either is NaN").lazy("`f < g`"),
            t("LessOrEqual", "0", "0 if either is NaN").lazy("`f <= g`"),
            t(
                "IfElse",
                "0, 1 where c ≥ 0, 1 elsewhere",
                "c = ±0 takes a, c = NaN takes b; a true choice: NaN or ∞ in the branch not taken reach neither value nor gradient",
            ),
            t(
                "Clamp",
                "1 on the closed interval, else 0; a, b: 1 where they are taken",
                "NaN stays NaN; a > b gives a where f < a, else b where f > b",
            ),
            t("ClampInt", "1 on the closed interval, else 0", "as Clamp").lazy("`f.clamp(0, 1)`").with(&["x"], "0, 1"),
            t("DiffClampInt", "0", "1 at a, at b and for NaN").lazy("").with(&["x"], "0, 1"),
        ],
    ),
    (
        "Elementary functions",
        &[
            t("Exp", "e^f", ""),
            t("Log", "1 / f", "−∞ at 0, NaN for f < 0"),
            t("XLogX", "ln f + 1", "0 at ±0 with derivative −∞; NaN for f < 0"),
            t("Sin", "cos f", "NaN at ±∞"),
            t("Cos", "−sin f", "NaN at ±∞"),
            t("SinXDivX", "(cos f − sin f / f) / f", "1 at 0 with derivative 0; no cancellation near 0"),
            t("Sinc", "that of SinXDivX(πf), times π", "1 at 0 with derivative 0").keops(""),
            t("Asin", "1 / √(1 − f²)", "derivative 0 at ±1; NaN outside [−1, 1]"),
            t("Acos", "−1 / √(1 − f²)", "derivative 0 at ±1; NaN outside [−1, 1]"),
            t("Atan", "1 / (1 + f²)", ""),
            t("Atan2", "g / (f² + g²), −f / (f² + g²)", "0 at (0, 0), where the derivative is NaN"),
            t("Sqrt", "1 / 2√f", "derivative 0 at 0; NaN for f < 0"),
            t("Rsqrt", "−½ f^(−3/2)", "0 at 0 with derivative 0; NaN for f < 0"),
            t("Log1p", "1 / (1 + f)", "−∞ at −1, NaN for f < −1").ours(),
            t("Expm1", "e^f", "").ours(),
            t("Tanh", "1 − tanh² f", "±1 at ±∞").ours(),
            t("Sigmoid", "σ(f) (1 − σ(f))", "0 at −∞, 1 at +∞").ours(),
            t("Softplus", "σ(f)", "0 at −∞; no overflow for large f").ours(),
            t("Erf", "2/√π e^(−f²)", "±1 at ±∞").ours(),
        ],
    ),
    (
        "Sums, norms and distances",
        &[
            t("Sum", "e in every component", "").with(&["x"], ""),
            t("SumT", "Σ_k e_k", "").dims("1 → n").lazy("").with(&["s"], "3"),
            t("Scalprod", "e g, e f", "").lazy("`f \\| g`"),
            t("SqNorm2", "2 e f", ""),
            t("Norm2", "e f / √Σ_k f_k²", "derivative 0 where f = 0"),
            t("Normalize", "(e − y ⟨y, e⟩) / √Σ_k f_k² for the result y", "0 with derivative 0 where f = 0"),
            t(
                "SqDist",
                "2 e (f − g), −2 e (f − g)",
                "computed from the differences: exact to rounding far from the origin too",
            ),
            t("SqNormIso", "e Σ_k f_k², 2 e s f", "").dims("1, n → 1").lazy("").with(&["s", "x"], ""),
            t("SqNormDiag", "e f_k², 2 e s_k f_k", "").lazy(""),
            t("SymSqNorm", "e f_k f_l, e (A f + Aᵀ f)", "A need not be symmetric")
                .dims("n², n → 1")
                .lazy("")
                .with(&["m", "x"], ""),
            t("WeightedSqNorm", "as SqNormIso, SqNormDiag, SymSqNorm", "")
                .dims("1, n or n², n → 1")
                .with(&["m", "x"], ""),
            t("WeightedSqDist", "that of WeightedSqNorm; g: minus that of f", "")
                .dims("1, n or n², n, n → 1")
                .with(&["m", "x", "y"], ""),
        ],
    ),
    (
        "Components",
        &[
            t("Elem", "e at position k, else 0", "a position that does not exist is a compile error")
                .dims("n → 1")
                .lazy("`f.elem(k)`, `f[k]`")
                .with(&["x"], "1"),
            t("ElemT", "e_k", "").dims("1 → n").lazy("").with(&["s"], "3, 1"),
            t("Extract", "e from position s on, else 0", "")
                .dims("n → d")
                .lazy("`f.extract(s, d)`, `f[s:s + d]`")
                .with(&["x"], "1, 2"),
            t("ExtractT", "e_s, …", "").dims("d → n").lazy("").with(&["x"], "1, 5"),
            t("Concat", "the two parts of e", "").dims("n, m → n + m"),
            t(
                "Max",
                "e at the largest component, else 0",
                "the first of equal ones takes the gradient; NaN is ignored",
            )
            .with(&["x"], ""),
            t(
                "Min",
                "e at the smallest component, else 0",
                "the first of equal ones takes the gradient; NaN is ignored",
            )
            .with(&["x"], ""),
            t("ArgMax", "0", "the first of equal ones; NaN is ignored").with(&["x"], ""),
            t("ArgMin", "0", "the first of equal ones; NaN is ignored").with(&["x"], ""),
            t("OneHot", "0", "zeros if the position is out of range").dims("1 → n").with(&["s"], "3"),
        ],
    ),
    (
        "Matrices, tensors and splines",
        &[
            t("MatVecMult", "e_l f_k, Aᵀ e", "").dims("n p, p → n").with(&["m", "x"], ""),
            t("VecMatMult", "A e, f_k e_l", "").dims("p, p n → n").with(&["x", "m"], ""),
            t("TensorProd", "Σ_l e_kl g_l, Σ_k e_kl f_k", "").dims("n, m → n m"),
            t("TensorDot", "two contractions of e", "without permute the kept axes stay in order")
                .dims("by the shapes")
                .with(&["z", "w"], "[2, 2], [2, 2], [1], [0], [1, 0]"),
            t("Kron", "two contractions of e", "").dims("n, m → n m").with(&["z", "w"], "[2, 2], [2, 2]"),
            t("SoftDTW_SqDist", "that of the recursion: shares of the soft minima, also by g", "NaN for g = 0")
                .dims("n, m, 1 → 1, n m ≤ 256")
                .with(&["x", "y", "s"], ""),
            t(
                "BSpline",
                "that of the recursion: piecewise polynomials in x, and in t",
                "0 outside the knots and at the last one",
            )
            .dims("n, 1 → n − k − 1")
            .with(&["z", "s"], "1"),
        ],
    ),
    (
        "Complex vectors",
        &[
            t("Real2Complex", "Re e", "").dims("n → 2n").with(&["x"], ""),
            t("Imag2Complex", "Im e", "").dims("n → 2n").with(&["x"], ""),
            t("ComplexReal", "e + 0i", "").dims("2n → n").lazy("`f.real`").with(&["z"], ""),
            t("ComplexImag", "0 + e i", "").dims("2n → n").lazy("`f.imag`").with(&["z"], ""),
            t("Conj", "e*", "").dims("2n → 2n").with(&["z"], ""),
            t("ComplexAdd", "e, e", "").dims("2 or 2n → 2n").lazy("`f + g`").with(&["z", "w"], ""),
            t("ComplexSubtract", "e, −e", "").dims("2 or 2n → 2n").lazy("`f - g`").with(&["z", "w"], ""),
            t("ComplexMult", "e g*, e f*", "").dims("2 or 2n → 2n").lazy("`f * g`").with(&["z", "w"], ""),
            t("ComplexDivide", "e (1 / g)*, −e (f / g²)*", "g = 0 gives NaN or ∞")
                .dims("2 or 2n → 2n")
                .lazy("`f / g`")
                .with(&["z", "w"], ""),
            t("ComplexRealScal", "Re Σ_k e_k g_k*, e f", "").dims("1, 2n → 2n").lazy("`f * g`").with(&["s", "z"], ""),
            t("ComplexSum", "e in every component", "").dims("2n → 2").lazy("`f.sum(-1)`").with(&["z"], ""),
            t("ComplexSumT", "Σ_k e_k", "n counts real numbers and is even")
                .dims("2 → n")
                .lazy("")
                .with(&["ComplexSum(z)"], "4"),
            t("ComplexSquareAbs", "2 e f", "").dims("2n → n").lazy("").with(&["z"], ""),
            t("ComplexAbs", "e f / |f|", "derivative 0 at 0").dims("2n → n").lazy("`f.abs()`").with(&["z"], ""),
            t("ComplexAngle", "e i f / |f|²", "0 at 0, where the derivative is NaN").dims("2n → n").with(&["z"], ""),
            t("ComplexExp", "e (e^f)*", "").dims("2n → 2n").lazy("`f.exp()`").with(&["z"], ""),
            t("ComplexExp1j", "−e_re sin f + e_im cos f", "").dims("n → 2n").with(&["x"], ""),
            t("ComplexLog", "e (1 / f)*", "the branch cut is the negative real axis")
                .dims("2n → 2n")
                .ours()
                .with(&["z"], ""),
            t("ComplexSqrt", "e (1 / 2√f)*", "the branch cut is the negative real axis")
                .dims("2n → 2n")
                .ours()
                .with(&["z"], ""),
            t("ComplexPow", "e (g f^(g−1))*, e (f^g ln f)*", "the branch of ComplexLog")
                .dims("2 or 2n → 2n")
                .ours()
                .with(&["z", "w"], ""),
        ],
    ),
    (
        "Derivatives and linear operators",
        &[
            t("Grad", "linear in e; differentiate again for higher orders", "v is a variable")
                .dims("n, m, n → m")
                .with(&["Square(x)", "x", "y"], ""),
            t("Diff", "linear in u; differentiate again for higher orders", "v is a variable")
                .dims("n, m, m → n")
                .with(&["Square(x)", "x", "y"], ""),
            t("Divergence", "that of the sum", "v is a variable").dims("n, n → 1").with(&["Square(x)", "x"], ""),
            t("Laplacian", "that of the sum", "v is a variable").dims("1, n → 1").with(&["SqNorm2(x)", "x"], ""),
            t("GradMatrix", "that of its entries", "v is a variable; ∂F_k / ∂v_l stands at k m + l")
                .dims("n, m → n m")
                .with(&["Square(x)", "x"], ""),
            t("TraceOperator", "that of the sum", "L not linear in v is a compile error")
                .dims("n or 1, n → 1")
                .with(&["x * y", "x"], ""),
            t("AdjointOperator", "that of the gradient", "L not linear in v is a compile error")
                .dims("n, m, n → m")
                .lazy("")
                .with(&["x * y", "x", "y"], ""),
            t("SumLinOperator", "that of the sum", "L not linear in v is a compile error")
                .lazy("")
                .with(&["x * y", "x"], ""),
            t("Factorize", "that of f", "").dims("n, m → n"),
            t("AutoFactorize", "that of f", ""),
        ],
    ),
];
