//! What the table of reductions does not say.

/// The words on one reduction.
pub(super) struct Text {
    /// Without `_Reduction`; after it other names of the same.
    pub(super) names: &'static [&'static str],
    /// Arguments in KeOps' notation.
    pub(super) arguments: &'static str,
    /// As a method of KeOps' `LazyTensor`, empty for nothing.
    pub(super) lazy: &'static str,
    /// Arguments of our method besides `axis`.
    pub(super) ending: &'static str,
    /// The result for each kept index; F has D numbers, G has E.
    pub(super) result: &'static str,
    pub(super) layout: &'static str,
    /// Nothing to reduce (N = 0).
    pub(super) empty: &'static str,
    pub(super) nan: &'static str,
    pub(super) gradient: &'static str,
}

const SUM: Text = Text {
    names: &["Sum"],
    arguments: "F, tag",
    lazy: "F.sum(axis=1)",
    ending: "",
    result: "Σ F",
    layout: "D values",
    empty: "0",
    nan: "NaN",
    gradient: "of the terms",
};
const EXTREME: Text = Text {
    names: &["Min"],
    arguments: "F, tag",
    lazy: "F.min(axis=1)",
    ending: "",
    result: "smallest value of each component",
    layout: "D values",
    empty: "+∞",
    nan: "skipped (all NaN: as N = 0)",
    gradient: "through the selected pair; the first index wins ties",
};
const SELECTED: Text = Text { gradient: "none: compile error", ..EXTREME };

/// All reductions, in order.
pub(super) const REDUCTIONS: &[Text] = &[
    SUM,
    Text {
        names: &["LogSumExp", "LogSumExpWeight"],
        arguments: "F, tag[, G]",
        lazy: "F.logsumexp(axis=1[, weight=G])",
        ending: "[weight = G]",
        result: "log Σ e^F, or log Σ e^F G; F is one number",
        layout: "1 value, or E values",
        empty: "−∞",
        nan: "NaN; terms −∞ count nothing, a term +∞ gives +∞",
        gradient: "soft-max weights times the terms' gradients",
    },
    Text {
        names: &["SumSoftMaxWeight", "SoftMax"],
        arguments: "F, tag, G",
        lazy: "F.sumsoftmaxweight(G, axis=1)",
        ending: "G",
        result: "Σ e^F G / Σ e^F; F is one number",
        layout: "E values",
        empty: "0",
        nan: "NaN; terms −∞ count nothing",
        gradient: "of the quotient, for F and G",
    },
    Text {
        names: &["Max_SumShiftExp"],
        lazy: "",
        result: "m = max F and Σ e^(F − m); F is one number",
        layout: "m, then 1 sum",
        empty: "−∞, 0",
        gradient: "none: compile error",
        ..SUM
    },
    Text {
        names: &["Max_SumShiftExpWeight"],
        arguments: "F, tag, G",
        lazy: "",
        ending: "G",
        result: "m = max F and Σ e^(F − m) G; F is one number",
        layout: "m, then E sums",
        empty: "−∞, zeros",
        gradient: "none: compile error",
        ..SUM
    },
    EXTREME,
    Text {
        names: &["Max"], lazy: "F.max(axis=1)", result: "largest value of each component", empty: "−∞", ..EXTREME
    },
    Text {
        names: &["ArgMin"],
        lazy: "F.argmin(axis=1)",
        result: "index of the smallest value of each component",
        layout: "D indices (`u64`)",
        empty: "0",
        ..SELECTED
    },
    Text {
        names: &["ArgMax"],
        lazy: "F.argmax(axis=1)",
        result: "index of the largest value of each component",
        layout: "D indices (`u64`)",
        empty: "0",
        ..SELECTED
    },
    Text {
        names: &["Min_ArgMin", "MinArgMin"],
        lazy: "F.min_argmin(axis=1)",
        result: "smallest value of each component and its index",
        layout: "two arrays: D values, D indices",
        empty: "+∞, 0",
        ..EXTREME
    },
    Text {
        names: &["Max_ArgMax", "MaxArgMax"],
        lazy: "F.max_argmax(axis=1)",
        result: "largest value of each component and its index",
        layout: "two arrays: D values, D indices",
        empty: "−∞, 0",
        ..EXTREME
    },
    Text {
        names: &["KMin"],
        arguments: "F, K, tag",
        lazy: "F.Kmin(K, axis=1)",
        ending: "K",
        result: "the K smallest values of each component, ascending",
        layout: "K × D values",
        empty: "K > N is an error",
        nan: "skipped (missing values are +∞)",
        ..EXTREME
    },
    Text {
        names: &["ArgKMin"],
        arguments: "F, K, tag",
        lazy: "F.argKmin(K, axis=1)",
        ending: "K",
        result: "their indices; among equal values the smallest index first",
        layout: "K × D indices (`u64`)",
        empty: "K > N is an error",
        nan: "skipped (missing indices are 0)",
        ..SELECTED
    },
    Text {
        names: &["KMin_ArgKMin", "KMinArgKMin"],
        arguments: "F, K, tag",
        lazy: "F.Kmin_argKmin(K, axis=1)",
        ending: "K",
        result: "both",
        layout: "two arrays: K × D values, K × D indices",
        empty: "K > N is an error",
        nan: "skipped (missing values are +∞, their indices 0)",
        ..EXTREME
    },
    Text {
        names: &["Zero"],
        arguments: "D, tag",
        lazy: "",
        result: "zeros, whatever there is to add up",
        gradient: "none: compile error",
        nan: "0",
        ..SUM
    },
];
