//! Formulas as text, for messages and documentation.

use crate::ast::{Argument, Call, Expr, Kind, Style};
use std::fmt::{self, Display, Formatter};

/// How tightly a formula holds together; brackets go around anything looser than its place asks for.
fn strength(expr: &Expr) -> u8 {
    match &expr.kind {
        Kind::Call(Call { style: Style::Operator(symbol), arguments, .. }) => match *symbol {
            "|" => 2,
            "+" => 3,
            "-" if arguments.len() == 2 => 3,
            "*" | "/" => 4,
            "-" => 5,
            "**" => 6,
            _ => 1,
        },
        _ => 7,
    }
}

struct AtLeast<'a>(&'a Expr, u8);

impl Display for AtLeast<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if strength(self.0) < self.1 { write!(f, "({})", self.0) } else { write!(f, "{}", self.0) }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Number(number) => match number.integer {
                Some(integer) => write!(f, "{integer}"),
                None => write!(f, "{:?}", number.value),
            },
            Kind::Name(name) => write!(f, "{name}"),
            Kind::List(items) => {
                f.write_str("[")?;
                separated(f, items)?;
                f.write_str("]")
            }
            Kind::Unreadable => f.write_str("…"),
            Kind::Call(call) => call.write(f, strength(self)),
        }
    }
}

impl Call {
    fn write(&self, f: &mut Formatter<'_>, strength: u8) -> fmt::Result {
        match (self.style, self.arguments.as_slice()) {
            (Style::Operator(symbol), [operand]) => write!(f, "{symbol}{}", AtLeast(&operand.value, strength)),
            (Style::Operator("**"), [base, exponent]) => {
                write!(f, "{}**{}", AtLeast(&base.value, 7), AtLeast(&exponent.value, 5))
            }
            // The sides of `>` are held the other way round.
            (Style::Operator(symbol @ (">" | ">=")), [right, left]) => {
                write!(f, "{} {symbol} {}", AtLeast(&left.value, strength + 1), AtLeast(&right.value, strength + 1))
            }
            (Style::Operator(symbol), [left, right]) => {
                // A comparison of a comparison keeps its brackets.
                let left_strength = if strength == 1 { 2 } else { strength };
                write!(f, "{} {symbol} {}", AtLeast(&left.value, left_strength), AtLeast(&right.value, strength + 1))
            }
            (Style::Method, [receiver, rest @ ..]) => {
                write!(f, "{}.{}(", AtLeast(&receiver.value, 7), self.name)?;
                separated(f, rest)?;
                f.write_str(")")
            }
            (Style::Subscript, [whole, at, rest @ ..]) => {
                write!(f, "{}[{}", AtLeast(&whole.value, 7), at.value)?;
                let (start, length) = (at.value.as_integer(), rest.first().and_then(|n| n.value.as_integer()));
                match (start, length) {
                    (Some(start), Some(length)) => write!(f, "..{}]", start.saturating_add(length)),
                    _ => f.write_str("]"),
                }
            }
            (_, all) => {
                write!(f, "{}(", self.name)?;
                separated(f, all)?;
                f.write_str(")")
            }
        }
    }
}

impl Display for Argument {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name} = {}", self.value),
            None => write!(f, "{}", self.value),
        }
    }
}

fn separated(f: &mut Formatter<'_>, items: &[impl Display]) -> fmt::Result {
    for (k, item) in items.iter().enumerate() {
        if k > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{item}")?;
    }
    Ok(())
}
