//! The outermost operation: which reduction, over which index, with which K and weight.
//!
//! `X_Reduction(F, tag)` and `F.x_reduction(tag)` are KeOps' formulas; `F.x(axis = 1)` is its `LazyTensor`, where the axis is
//! the index that goes away.

use super::formula;
use crate::ast::{Argument, Call, Derivative, Expr, Kind, Place, Reduction, ReductionKind, Size, Style, Tag};
use crate::mistakes::Mistakes;
use crate::spelling::nearest;

/// Does a reduction take a weight?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    No,
    Optional,
    Required,
}

/// One name of a reduction.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Without `_Reduction`.
    name: &'static str,
    kind: ReductionKind,
    has_k: bool,
    weight: Weight,
}

const fn entry(name: &'static str, kind: ReductionKind, has_k: bool, weight: Weight) -> Entry {
    Entry { name, kind, has_k, weight }
}

/// All names, aliases included.
const ENTRIES: &[Entry] = &[
    entry("Sum", ReductionKind::Sum, false, Weight::No),
    entry("LogSumExp", ReductionKind::LogSumExp, false, Weight::Optional),
    entry("LogSumExpWeight", ReductionKind::LogSumExp, false, Weight::Required),
    entry("SumSoftMaxWeight", ReductionKind::SumSoftMaxWeight, false, Weight::Required),
    entry("SoftMax", ReductionKind::SumSoftMaxWeight, false, Weight::Required),
    entry("Max_SumShiftExp", ReductionKind::MaxSumShiftExp, false, Weight::No),
    entry("Max_SumShiftExpWeight", ReductionKind::MaxSumShiftExp, false, Weight::Required),
    entry("Min", ReductionKind::Min, false, Weight::No),
    entry("Max", ReductionKind::Max, false, Weight::No),
    entry("ArgMin", ReductionKind::ArgMin, false, Weight::No),
    entry("ArgMax", ReductionKind::ArgMax, false, Weight::No),
    entry("Min_ArgMin", ReductionKind::MinArgMin, false, Weight::No),
    entry("MinArgMin", ReductionKind::MinArgMin, false, Weight::No),
    entry("Max_ArgMax", ReductionKind::MaxArgMax, false, Weight::No),
    entry("MaxArgMax", ReductionKind::MaxArgMax, false, Weight::No),
    entry("KMin", ReductionKind::KMin, true, Weight::No),
    entry("ArgKMin", ReductionKind::ArgKMin, true, Weight::No),
    entry("KMin_ArgKMin", ReductionKind::KMinArgKMin, true, Weight::No),
    entry("KMinArgKMin", ReductionKind::KMinArgKMin, true, Weight::No),
];

/// What `Zero_Reduction(dim, tag)` is called; it is the sum of a zero vector.
const ZERO: Entry = entry("Zero", ReductionKind::Zero, false, Weight::No);

/// `.sum()` and the like are operations on a vector unless they are told an axis.
const ALSO_OPERATIONS: &[&str] = &["sum", "min", "max", "argmin", "argmax"];

const SUFFIX: &str = "_Reduction";

/// The names of all reductions.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ENTRIES.iter().chain(std::iter::once(&ZERO)).map(|e| e.name)
}

/// The reduction that a call stands for, if it is one.
pub(crate) fn of_call(call: &Call) -> Option<&'static Entry> {
    match call.style {
        Style::Function => {
            let name = call.name.strip_suffix(SUFFIX)?;
            ENTRIES.iter().chain(std::iter::once(&ZERO)).find(|e| e.name == name)
        }
        Style::Method => {
            let lower = call.name.to_lowercase();
            if let Some(name) = lower.strip_suffix("_reduction") {
                return ENTRIES.iter().find(|e| e.name.to_lowercase() == name);
            }
            if ALSO_OPERATIONS.contains(&lower.as_str()) && !is_told_an_index(call) {
                return None;
            }
            ENTRIES.iter().find(|e| e.name.to_lowercase() == lower)
        }
        Style::Subscript | Style::Operator(_) => None,
    }
}

/// Is there an `axis` that is not the vector's own, or a `tag`?
fn is_told_an_index(call: &Call) -> bool {
    call.arguments.iter().any(|a| match &a.name {
        Some(name) if name == "axis" || name == "dim" => !matches!(a.value.as_integer(), Some(-1 | 2)),
        Some(name) => name == "tag",
        None => false,
    })
}

/// The name of a reduction that was probably meant.
fn near(name: &str) -> Option<String> {
    nearest(name, ENTRIES.iter().map(|e| format!("{}{SUFFIX}", e.name)))
}

/// Reads the right side of an item, which must be a reduction or a derivative of one.
pub(super) fn outermost(expr: Expr, mistakes: &mut Mistakes) -> Option<Reduction> {
    let call = match expr.kind {
        Kind::Unreadable => return None,
        Kind::Call(call) => call,
        _ => {
            mistakes
                .add(expr.at, "this has to be reduced: write `Sum_Reduction(…, 0)` around it, or another reduction");
            return None;
        }
    };
    if let Some(entry) = of_call(&call) {
        return reduction(entry, call, mistakes);
    }
    let lower = call.name.to_lowercase();
    if (lower == "grad" || lower == "diff")
        && call.arguments.first().is_some_and(|a| matches!(&a.value.kind, Kind::Call(c) if holds_reduction(c)))
    {
        return derivative(lower == "grad", call, mistakes);
    }
    let misspelt = call.style == Style::Function && crate::ops::find(&call.name).is_none();
    let meant = near(&call.name).filter(|_| misspelt);
    if meant.is_some() || misspelt && call.name.ends_with(SUFFIX) {
        let advice = meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
        mistakes.add(call.at, format!("there is no reduction `{}`{advice}", call.name));
    } else if let Some((inner, ending)) = inner_reduction(&call) {
        let outer = call.spelled();
        mistakes.add(
            call.at,
            format!("a reduction must be the outermost operation, and `{outer}` is applied to `{inner}`; put what is reduced in brackets: `(…){ending}`"),
        );
    } else {
        let spelled = call.spelled();
        mistakes.add(
            call.at,
            format!("the outermost operation must be a reduction, and `{spelled}` is not one; write `Sum_Reduction(…, 0)` around the formula, or another reduction"),
        );
    }
    None
}

fn holds_reduction(call: &Call) -> bool {
    of_call(call).is_some()
        || matches!(call.name.to_lowercase().as_str(), "grad" | "diff")
            && call.arguments.first().is_some_and(|a| matches!(&a.value.kind, Kind::Call(c) if holds_reduction(c)))
}

/// A reduction among the arguments: how it is spelled, and how it would be as an ending.
fn inner_reduction(call: &Call) -> Option<(String, String)> {
    call.arguments.iter().find_map(|a| match &a.value.kind {
        Kind::Call(inner) if of_call(inner).is_some() => {
            Some((inner.spelled(), format!(".{}(…)", inner.name.to_lowercase())))
        }
        _ => None,
    })
}

fn derivative(reverse: bool, call: Call, mistakes: &mut Mistakes) -> Option<Reduction> {
    let name = call.spelled();
    let count = call.arguments.len();
    let mut values = call.arguments.into_iter().map(|a| a.value);
    let inner = outermost(values.next()?, mistakes);
    let (Some(variable), Some(along), None) = (values.next(), values.next(), values.next()) else {
        let what =
            if reverse { "a covector of the shape of the result" } else { "a direction of the shape of the variable" };
        mistakes.add(
            call.at,
            format!("`{name}` of a reduction takes 3 arguments (the reduction, a variable, {what}), and got {count}"),
        );
        return None;
    };
    let mut inner = inner?;
    inner.derivatives.push(Derivative { reverse, at: call.at, variable, along });
    Some(inner)
}

/// The arguments of a reduction, sorted.
#[derive(Default)]
struct Slots {
    formula: Option<Expr>,
    k: Option<Expr>,
    tag: Option<Expr>,
    axis: Option<Expr>,
    weight: Option<Expr>,
}

impl Slots {
    fn by_name(&mut self, name: &str) -> Option<&mut Option<Expr>> {
        match name {
            "F" => Some(&mut self.formula),
            "K" | "k" => Some(&mut self.k),
            "tag" => Some(&mut self.tag),
            "axis" | "dim" => Some(&mut self.axis),
            "weight" => Some(&mut self.weight),
            _ => None,
        }
    }
}

fn reduction(entry: &Entry, call: Call, mistakes: &mut Mistakes) -> Option<Reduction> {
    let spelled = call.spelled();
    let at = call.at;
    let short = call.style == Style::Method && !call.name.to_lowercase().ends_with("_reduction");
    let mut order: Vec<&str> = vec!["F"];
    order.extend(entry.has_k.then_some("K"));
    order.extend((!short).then_some("tag"));
    order.extend((entry.weight != Weight::No).then_some("weight"));
    let count = call.arguments.len();
    let slots = sort(&spelled, at, short, &order, call.arguments, mistakes);
    if entry.has_k && !short && slots.tag.is_none() && slots.axis.is_none() {
        // K and the tag are both numbers: with one number there is no telling which it is.
        mistakes.add(at, format!("`{spelled}` takes ({}), and got {count} argument(s)", order_text(&order)));
        return None;
    }
    let tag = match (slots.tag, slots.axis) {
        (Some(tag), None) => read_tag(&spelled, &order, &tag, mistakes),
        (None, Some(axis)) => read_axis(&spelled, &axis, mistakes),
        (Some(_), Some(axis)) => {
            mistakes.add(axis.at, "`tag` and `axis` say the same; write one of them");
            None
        }
        (None, None) => {
            let advice = if short {
                format!(
                    "write `{spelled}(axis = 1)` to reduce over j (one result per i), `{spelled}(axis = 0)` to reduce over i"
                )
            } else {
                "add the tag: 0 for one result per i (reduced over j), 1 for one result per j (reduced over i)"
                    .to_string()
            };
            mistakes.add(at, format!("`{spelled}` does not say which index it reduces over; {advice}"));
            None
        }
    };
    let k = match (entry.has_k, slots.k) {
        (true, Some(k)) => Some(read_k(&spelled, &k, mistakes)?),
        (true, None) => {
            mistakes.add(
                at,
                format!("`{spelled}` needs K, how many smallest values to keep: `{spelled}({})`", order_text(&order)),
            );
            return None;
        }
        _ => None,
    };
    if entry.weight == Weight::Required && slots.weight.is_none() {
        mistakes.add(at, format!("`{spelled}` needs a weight: `{spelled}({})`", order_text(&order)));
    }
    let mut formula = slots.formula?;
    if entry.kind == ReductionKind::Zero {
        formula = zero_vector(formula);
    }
    Some(Reduction { kind: entry.kind, at, formula, k, tag, weight: slots.weight, derivatives: Vec::new() })
}

fn order_text(order: &[&str]) -> String {
    order.join(", ")
}

fn sort(
    spelled: &str,
    at: Place,
    short: bool,
    order: &[&str],
    arguments: Vec<Argument>,
    mistakes: &mut Mistakes,
) -> Slots {
    let mut slots = Slots::default();
    let mut positions = order.iter();
    let count = arguments.len();
    let mut complained = false;
    for Argument { name, value } in arguments {
        let slot = match &name {
            Some(name) => name.to_string(),
            None if short && value.as_integer().is_some() && positions.as_slice().first() != Some(&"K") => {
                mistakes.add(
                    value.at,
                    format!("say what this number is: `{spelled}(axis = 1)` reduces over j (one result per i), `{spelled}(axis = 0)` over i"),
                );
                complained = true;
                continue;
            }
            None => match positions.next() {
                Some(slot) => (*slot).to_string(),
                None => {
                    if !complained {
                        mistakes.add(
                            value.at,
                            format!("`{spelled}` takes ({}), and got {count} arguments", order_text(order)),
                        );
                    }
                    complained = true;
                    continue;
                }
            },
        };
        let allowed = slot == "axis"
            || slot == "dim"
            || slot == "tag"
            || order.contains(&slot.as_str())
            || slot == "k" && order.contains(&"K");
        match slots.by_name(&slot).filter(|_| allowed) {
            Some(place) if place.is_none() => *place = Some(value),
            Some(_) => mistakes.add(value.at, format!("`{slot}` of `{spelled}` is given twice")),
            None => {
                mistakes.add(
                    name.as_ref().map_or(at, Place::from),
                    format!("`{spelled}` has no argument `{slot}`; it takes ({}) and `axis`", order_text(order)),
                );
                complained = true;
            }
        }
    }
    if complained && slots.axis.is_none() && slots.tag.is_none() {
        // Already told: a tag that is there but meaningless keeps the next message away.
        slots.tag = Some(formula::unreadable(at));
    }
    if slots.formula.is_none() {
        mistakes.add(at, format!("`{spelled}` has nothing to reduce: write `{spelled}({})`", order_text(order)));
    }
    slots
}

fn read_tag(spelled: &str, order: &[&str], tag: &Expr, mistakes: &mut Mistakes) -> Option<Tag> {
    match tag.as_integer() {
        Some(0) => Some(Tag::I),
        Some(1) => Some(Tag::J),
        _ => {
            if !matches!(tag.kind, Kind::Unreadable) {
                // A formula where the tag belongs: the arguments are in another order, or one too many.
                let advice = match tag.as_integer() {
                    Some(got) => format!(", and here it is {got}"),
                    None => format!("; the arguments are `{spelled}({})`", order_text(order)),
                };
                mistakes.add(
                    tag.at,
                    format!("the tag of `{spelled}` is 0 (one result per i, reduced over j) or 1 (one result per j, reduced over i){advice}"),
                );
            }
            None
        }
    }
}

fn read_axis(spelled: &str, axis: &Expr, mistakes: &mut Mistakes) -> Option<Tag> {
    match axis.as_integer() {
        Some(1) => Some(Tag::I),
        Some(0) => Some(Tag::J),
        _ => {
            if !matches!(axis.kind, Kind::Unreadable) {
                mistakes.add(
                    axis.at,
                    format!("the axis of `{spelled}` is 1 (reduced over j, one result per i) or 0 (reduced over i, one result per j)"),
                );
            }
            None
        }
    }
}

fn read_k(spelled: &str, k: &Expr, mistakes: &mut Mistakes) -> Option<Size> {
    if let Some(value) = k.as_integer() {
        return Some(Size::Literal(value, k.at));
    }
    match &k.kind {
        Kind::Name(name) => return Some(Size::Named(name.clone())),
        Kind::Unreadable => {}
        _ => mistakes.add(
            k.at,
            format!("K of `{spelled}` must be known when the formula is compiled: write a whole number, not a formula"),
        ),
    }
    None
}

/// `Zero(dim)`
fn zero_vector(dim: Expr) -> Expr {
    let (at, height) = (dim.at, dim.height + 1);
    let call = Call {
        name: "Zero".to_string(),
        style: Style::Function,
        at,
        arguments: vec![Argument { name: None, value: dim }],
    };
    Expr { kind: Kind::Call(call), at, height }
}
