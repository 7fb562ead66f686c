//! The grammar of formulas.
//!
//! Precedence is Python's, tightest first: method calls, `**` (to the right), unary `-`, `* /`, `+ -`, `|`, comparisons (which
//! do not chain). A syntax error is noted and the rest of the formula is still read, so that all errors appear at once.

use super::cursor::{Cursor, describe, split};
use super::{literal, sugar};
use crate::ast::{Argument, Call, Expr, Kind, Place, Style};
use crate::mistakes::Mistakes;
use proc_macro2::{Delimiter, Group, Punct, Spacing, Span, TokenTree};

/// How deep brackets and prefixes may nest, and how high the tree of a formula may be: later passes recurse.
const MAX_NESTING: u32 = 96;
const MAX_HEIGHT: u32 = 400;

/// Binding strength of infix operators.
mod strength {
    pub(super) const COMPARISON: u8 = 1;
    pub(super) const BAR: u8 = 2;
    pub(super) const SUM: u8 = 3;
    pub(super) const PRODUCT: u8 = 4;
}

/// An infix operator: symbol, function it stands for, strength, whether its sides change places.
pub(crate) type Infix = (&'static str, &'static str, u8, bool);

/// Longer symbols first, since `<` begins `<=`.
pub(crate) const INFIX: &[Infix] = &[
    ("<=", "LessOrEqual", strength::COMPARISON, false),
    (">=", "LessOrEqual", strength::COMPARISON, true),
    ("==", "Equal", strength::COMPARISON, false),
    ("!=", "NotEqual", strength::COMPARISON, false),
    ("<", "LessThan", strength::COMPARISON, false),
    (">", "LessThan", strength::COMPARISON, true),
    ("|", "Scalprod", strength::BAR, false),
    ("+", "Add", strength::SUM, false),
    ("-", "Subtract", strength::SUM, false),
    ("*", "Mult", strength::PRODUCT, false),
    ("/", "Divide", strength::PRODUCT, false),
];

/// Operators of Rust that formulas do not have, and what to write instead.
const FOREIGN: &[(&str, &str)] = &[
    ("||", "a scalar product is a single `|`"),
    ("&&", "multiply two conditions to combine them"),
    ("<<", "compare with a single `<`"),
    (">>", "compare with a single `>`"),
    ("=>", "write `>=` for \"greater or equal\""),
    ("->", "put a space between `-` and `>`"),
    ("..", "write `f[a..b]` for a part of a vector"),
    ("%", "write `Mod(f, m, 0)`"),
    ("^", "write `**` for a power"),
    ("&", "variables are named without `&`"),
    ("!", "write `1 - f` for the opposite of a condition"),
    ("?", "no operation of a formula can fail"),
    ("=", "`==` compares, and a formula cannot be assigned"),
    ("@", "write `MatVecMult(a, b)`"),
];

/// Reads a whole list of tokens as one formula.
pub(super) fn formula(tokens: &[TokenTree], end: Span, mistakes: &mut Mistakes) -> Expr {
    Parser { cursor: Cursor::new(tokens, end), mistakes, nesting: 0 }.whole()
}

struct Parser<'a, 'm> {
    cursor: Cursor<'a>,
    mistakes: &'m mut Mistakes,
    nesting: u32,
}

impl Parser<'_, '_> {
    /// The formula that makes up all tokens.
    fn whole(&mut self) -> Expr {
        if self.cursor.is_at_end() {
            self.mistakes.add(self.cursor.span(), "expected a formula, found nothing");
            return unreadable(self.cursor.span().into());
        }
        let expr = self.infix(strength::COMPARISON);
        if !self.cursor.is_at_end() {
            if !matches!(expr.kind, Kind::Unreadable) {
                self.complain_about_next("expected an operator, `,` or the end of the formula");
            }
            self.cursor.skip_rest();
        }
        expr
    }

    fn complain_about_next(&mut self, expected: &str) {
        let found = describe(self.cursor.peek());
        for (symbol, advice) in FOREIGN {
            let start = self.cursor.span();
            if let Some(at) = self.cursor.take_operator(symbol) {
                let at = if symbol.len() == 1 { start.into() } else { at };
                return self.mistakes.add(at, format!("`{symbol}` is not an operator of formulas: {advice}"));
            }
        }
        self.mistakes.add(self.cursor.span(), format!("{expected}, found {found}"));
    }

    /// Infix operators at least as strong as `least`.
    fn infix(&mut self, least: u8) -> Expr {
        let mut left = self.prefix();
        let mut compared = false;
        while let Some((symbol, name, strength, swapped)) = self.next_infix() {
            if strength < least {
                break;
            }
            let Some(at) = self.cursor.take_operator(symbol) else { break };
            if strength == strength::COMPARISON {
                if compared {
                    self.mistakes.add(
                        at,
                        format!("comparisons do not chain: write `(a {symbol} b) * (b {symbol} c)` for \"a {symbol} b {symbol} c\""),
                    );
                }
                compared = true;
            }
            let right = self.infix(strength + 1);
            let sides = if swapped { vec![right, left] } else { vec![left, right] };
            left = self.call(name, Style::Operator(symbol), at, sides, None);
        }
        left
    }

    /// The infix operator that comes next, unless it is a part of something else.
    fn next_infix(&self) -> Option<Infix> {
        if self.cursor.peek_power() {
            return None;
        }
        let &found = INFIX.iter().find(|(symbol, ..)| self.cursor.peek_operator(symbol))?;
        // `||`, `<<`, `->` and so on: written without a gap they are something else.
        if FOREIGN.iter().any(|(symbol, _)| symbol.len() > found.0.len() && self.cursor.peek_operator(symbol)) {
            return None;
        }
        Some(found)
    }

    /// Unary signs, then a power.
    fn prefix(&mut self) -> Expr {
        let mut signs = Vec::new();
        loop {
            if let Some(at) = self.cursor.take_operator("-") {
                signs.push(at);
            } else if let Some(at) = self.cursor.take_operator("+") {
                self.mistakes.add(at, "there is no unary `+`; remove it");
            } else {
                break;
            }
        }
        let mut expr = self.power();
        for at in signs.into_iter().rev() {
            expr = self.call("Minus", Style::Operator("-"), at, vec![expr], None);
        }
        expr
    }

    fn power(&mut self) -> Expr {
        let base = self.postfix();
        let Some(at) = self.cursor.take_power() else { return base };
        let exponent = self.enter(at, Self::prefix);
        let name = if exponent.as_integer().is_some() { "Pow" } else { "Powf" };
        self.call(name, Style::Operator("**"), at, vec![base, exponent], None)
    }

    /// A primary with the methods that are called on it.
    fn postfix(&mut self) -> Expr {
        let mut expr = self.primary();
        loop {
            if let Some(group) = self.cursor.take_group(Delimiter::Bracket) {
                expr = self.part(expr, group);
                continue;
            }
            if self.cursor.peek_punct('.').is_none() || self.cursor.peek_operator("..") {
                break;
            }
            self.cursor.next();
            let Some(name) = self.cursor.take_ident() else {
                self.complain_about_next("expected the name of a method after `.`");
                self.cursor.skip_rest();
                return unreadable(expr.at);
            };
            let Some(group) = self.cursor.take_group(Delimiter::Parenthesis) else {
                self.mistakes.add(name, format!("expected `(` after the method: write `.{name}()`"));
                continue;
            };
            let arguments = self.arguments(group);
            let mut all = vec![Argument { name: None, value: expr }];
            all.extend(arguments);
            let (spelled, style) = sugar::method(&name.to_string(), &mut all, name.into());
            let close = Some(group.span_close());
            // Any number of vectors can be joined.
            while spelled == "concat" && all.len() > 2 {
                let two = all.drain(..2).collect();
                let value = self.call_with(&spelled, style, name.into(), two, close);
                all.insert(0, Argument { name: None, value });
            }
            expr = self.call_with(&spelled, style, name.into(), all, close);
        }
        expr
    }

    /// `x[k]` and `x[a..b]`.
    fn part(&mut self, whole: Expr, group: &Group) -> Expr {
        let at = Place::from(group.span());
        let Some((name, numbers)) = sugar::subscript(&whole, group, self.mistakes) else {
            return unreadable(whole.at.to(at));
        };
        let mut arguments = vec![whole];
        arguments.extend(numbers.iter().map(|&n| sugar::integer(n, at)));
        self.call(name, Style::Subscript, at, arguments, Some(group.span_close()))
    }

    fn primary(&mut self) -> Expr {
        let at = Place::from(self.cursor.span());
        if let Some(literal) = self.cursor.take_literal() {
            return match literal::number(literal, self.mistakes) {
                Some(number) => leaf(Kind::Number(number), at),
                None => unreadable(at),
            };
        }
        if let Some(name) = self.cursor.take_ident() {
            if let Some(group) = self.cursor.take_group(Delimiter::Parenthesis) {
                let arguments = self.arguments(group);
                return self.call_with(&name.to_string(), Style::Function, at, arguments, Some(group.span_close()));
            }
            return leaf(Kind::Name(name.clone()), at);
        }
        if let Some(group) = self.cursor.take_group(Delimiter::Parenthesis) {
            return self.inside(group);
        }
        // What a `macro_rules!` passes on as an expression is a group of its own.
        if let Some(group) = self.cursor.take_group(Delimiter::None) {
            return self.inside(group);
        }
        if let Some(group) = self.cursor.take_group(Delimiter::Bracket) {
            let items: Vec<Expr> = self.arguments(group).into_iter().map(|a| a.value).collect();
            let height = items.iter().map(|e| e.height).max().unwrap_or(0) + 1;
            return Expr { kind: Kind::List(items), at: group.span().into(), height };
        }
        self.complain_about_next("expected a variable, a number, an operation or `(`");
        self.cursor.skip_rest();
        unreadable(at)
    }

    /// A formula in brackets.
    fn inside(&mut self, group: &Group) -> Expr {
        let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
        let mut expr = self.nested(&tokens, group.span_close(), |parser| parser.whole());
        if group.delimiter() != Delimiter::None {
            expr.at = group.span().into();
        }
        expr
    }

    /// Arguments in brackets, each read by itself.
    fn arguments(&mut self, group: &Group) -> Vec<Argument> {
        let mut all = Vec::new();
        for part in split(group.stream(), ',', group.span_close()) {
            if part.tokens.is_empty() {
                self.mistakes.add(part.end, "expected an argument before `,`");
                continue;
            }
            let (name, tokens) = match part.tokens.as_slice() {
                [TokenTree::Ident(name), TokenTree::Punct(p), rest @ ..]
                    if p.as_char() == '=' && !starts_with_joined_equal(p, rest) =>
                {
                    (Some(name.clone()), rest)
                }
                whole => (None, whole),
            };
            let value = self.nested(tokens, part.end, |parser| parser.whole());
            all.push(Argument { name, value });
        }
        all
    }

    /// Runs `read` on another list of tokens, one level deeper.
    fn nested(&mut self, tokens: &[TokenTree], end: Span, read: impl FnOnce(&mut Parser<'_, '_>) -> Expr) -> Expr {
        let at = Place {
            start: tokens.first().map_or(end, TokenTree::span),
            end: tokens.last().map_or(end, TokenTree::span),
        };
        if self.nesting >= MAX_NESTING {
            self.too_deep(at);
            return unreadable(at);
        }
        let mut parser =
            Parser { cursor: Cursor::new(tokens, end), mistakes: self.mistakes, nesting: self.nesting + 1 };
        read(&mut parser)
    }

    /// Runs `read` on the same tokens, one level deeper.
    fn enter(&mut self, at: Place, read: impl FnOnce(&mut Self) -> Expr) -> Expr {
        if self.nesting >= MAX_NESTING {
            self.too_deep(at);
            self.cursor.skip_rest();
            return unreadable(at);
        }
        self.nesting += 1;
        let expr = read(self);
        self.nesting -= 1;
        expr
    }

    fn too_deep(&mut self, at: Place) {
        self.mistakes.add(at, format!("the formula nests more than {MAX_NESTING} levels; write it flatter"));
    }

    fn call(&mut self, name: &str, style: Style, at: Place, arguments: Vec<Expr>, close: Option<Span>) -> Expr {
        let arguments = arguments.into_iter().map(|value| Argument { name: None, value }).collect();
        self.call_with(name, style, at, arguments, close)
    }

    fn call_with(
        &mut self,
        name: &str,
        style: Style,
        at: Place,
        arguments: Vec<Argument>,
        close: Option<Span>,
    ) -> Expr {
        let height = arguments.iter().map(|a| a.value.height).max().unwrap_or(0) + 1;
        let end = close.unwrap_or(self.cursor.last_span());
        let first = arguments.first().map_or(at, |a| a.value.at);
        let start = match style {
            Style::Function => at.start,
            Style::Operator("-") if arguments.len() == 1 => at.start,
            // `a > b` holds its sides the other way round.
            Style::Operator(">" | ">=") => arguments.last().map_or(at, |a| a.value.at).start,
            _ => first.start,
        };
        let whole = Place { start, end };
        // Everything that uses an unreadable part is unreadable too, and only the part is reported.
        if arguments.iter().any(|a| matches!(a.value.kind, Kind::Unreadable)) && style != Style::Function {
            return unreadable(whole);
        }
        if height > MAX_HEIGHT {
            self.mistakes.add(whole, format!("the formula is more than {MAX_HEIGHT} operations high; split it"));
            return unreadable(whole);
        }
        Expr { kind: Kind::Call(Call { name: name.to_string(), style, at, arguments }), at: whole, height }
    }
}

/// Is this `==` rather than `=`?
fn starts_with_joined_equal(first: &Punct, rest: &[TokenTree]) -> bool {
    first.spacing() == Spacing::Joint && matches!(rest.first(), Some(TokenTree::Punct(p)) if p.as_char() == '=')
}

fn leaf(kind: Kind, at: Place) -> Expr {
    Expr { kind, at, height: 0 }
}

pub(super) fn unreadable(at: Place) -> Expr {
    leaf(Kind::Unreadable, at)
}
