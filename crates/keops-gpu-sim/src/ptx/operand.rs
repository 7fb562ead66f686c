//! Names in a function body: registers in their scopes, variables, labels, operands.

use super::lexer::Token;
use super::program::Operand;
use super::source::{Cursor, Variable, literal, unsigned};
use super::types::{SPECIALS, Space, Type};
use std::collections::HashMap;

/// Registers of one `{ }` scope.
#[derive(Default)]
struct Scope {
    single: HashMap<String, u32>,
    /// `%r<10>`: prefix to first register and count.
    families: HashMap<String, (u32, u32)>,
}

/// What the names of a body mean.
pub(crate) struct Names<'l> {
    scopes: Vec<Scope>,
    pub(crate) registers: u32,
    /// Local variables and parameters of this function: offset in the frame.
    frame: HashMap<String, Operand>,
    pub(crate) local_bytes: usize,
    pub(crate) param_bytes: usize,
    /// Addresses of shared and module variables.
    module: &'l HashMap<String, u64>,
}

impl<'l> Names<'l> {
    pub(crate) fn new(module: &'l HashMap<String, u64>) -> Self {
        Self {
            scopes: vec![Scope::default()],
            registers: 0,
            frame: HashMap::new(),
            local_bytes: 0,
            param_bytes: 0,
            module,
        }
    }

    pub(crate) fn open(&mut self) {
        self.scopes.push(Scope::default());
    }

    pub(crate) fn close(&mut self) {
        if self.scopes.len() > 1 {
            self.scopes.pop();
        }
    }

    /// `.reg .b32 %r<10>, %x;` after `.reg`.
    pub(crate) fn declare_registers(&mut self, cursor: &mut Cursor<'_, '_>) -> Result<(), String> {
        let ty = cursor.next()?;
        if ty.strip_prefix('.').and_then(Type::named).is_none() {
            return Err(cursor.error(&format!("registers of type `{ty}` are not supported")));
        }
        loop {
            let name = cursor.next()?.to_string();
            let first = self.registers;
            let Some(scope) = self.scopes.last_mut() else { return Err(cursor.error("no scope")) };
            if cursor.eat("<") {
                let count = u32::try_from(cursor.number()?).map_err(|e| cursor.error(&e.to_string()))?;
                cursor.expect(">")?;
                scope.families.insert(name, (first, count));
                self.registers = self.registers.saturating_add(count);
            } else {
                scope.single.insert(name, first);
                self.registers += 1;
            }
            if self.registers > 1 << 20 {
                return Err(cursor.error("more than a million registers"));
            }
            if !cursor.eat(",") {
                return cursor.expect(";");
            }
        }
    }

    /// Gives a local variable or parameter its place in the frame.
    pub(crate) fn place(&mut self, variable: &Variable) -> usize {
        let local = variable.space == Space::Local;
        let end = if local { &mut self.local_bytes } else { &mut self.param_bytes };
        let offset = end.next_multiple_of(variable.align);
        *end = offset + variable.size;
        let at = offset as u32;
        self.frame.insert(variable.name.clone(), if local { Operand::Local(at) } else { Operand::Param(at) });
        offset
    }

    pub(crate) fn parameter(&self, name: &str) -> Option<u32> {
        match self.frame.get(name) {
            Some(Operand::Param(offset)) => Some(*offset),
            _ => None,
        }
    }

    fn register(&self, name: &str) -> Option<u32> {
        let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let number: Option<u32> = name[prefix.len()..].parse().ok();
        self.scopes.iter().rev().find_map(|scope| {
            let single = scope.single.get(name).copied();
            single.or_else(|| {
                let (first, count) = scope.families.get(prefix)?;
                number.filter(|n| n < count).map(|n| first + n)
            })
        })
    }

    /// A destination; `_` discards and becomes `u32::MAX` until the body is complete.
    pub(crate) fn destination(&self, tokens: &[Token<'_>]) -> Result<u32, String> {
        match tokens {
            [one] if one.text == "_" => Ok(u32::MAX),
            [one] => self.register(one.text).ok_or_else(|| format!("`{}` is not a declared register", one.text)),
            _ => Err(format!("expected a register, found `{}`", joined(tokens))),
        }
    }

    /// A predicate operand with its possible `!`.
    pub(crate) fn predicate(&self, tokens: &[Token<'_>]) -> Result<(Operand, bool), String> {
        match tokens {
            [not, rest @ ..] if not.text == "!" => Ok((self.operand(rest, Type::Predicate)?, true)),
            _ => Ok((self.operand(tokens, Type::Predicate)?, false)),
        }
    }

    /// A value to read.
    pub(crate) fn operand(&self, tokens: &[Token<'_>], ty: Type) -> Result<Operand, String> {
        let unknown = || format!("`{}` is no operand known here", joined(tokens));
        match tokens {
            [minus, one] if minus.text == "-" => {
                literal(one.text, true, ty).map(Operand::Immediate).ok_or_else(unknown)
            }
            [one] => self.word(one.text, ty).ok_or_else(unknown),
            [base, sign, number] if sign.text == "+" || sign.text == "-" => {
                let offset = unsigned(number.text).ok_or_else(unknown)?;
                let offset = if sign.text == "-" { offset.wrapping_neg() } else { offset };
                match self.word(base.text, ty).ok_or_else(unknown)? {
                    Operand::Immediate(v) => Ok(Operand::Immediate(v.wrapping_add(offset))),
                    Operand::Local(v) => Ok(Operand::Local(v.wrapping_add(offset as u32))),
                    Operand::Param(v) => Ok(Operand::Param(v.wrapping_add(offset as u32))),
                    _ => Err(unknown()),
                }
            }
            _ => Err(unknown()),
        }
    }

    fn word(&self, word: &str, ty: Type) -> Option<Operand> {
        if let Some(register) = self.register(word) {
            return Some(Operand::Register(register));
        }
        if let Some(index) = SPECIALS.iter().position(|s| *s == word) {
            return Some(Operand::Special(index as u8));
        }
        match word {
            "%clock" | "%clock64" | "%globaltimer" | "%globaltimer_lo" => return Some(Operand::Clock),
            "WARP_SZ" => return Some(Operand::Immediate(32)),
            _ => {}
        }
        if let Some(place) = self.frame.get(word) {
            return Some(*place);
        }
        let known = self.module.get(word).copied();
        known.or_else(|| literal(word, false, ty)).map(Operand::Immediate)
    }

    /// The inside of `[ ]`: base and offset.
    pub(crate) fn address(&self, tokens: &[Token<'_>]) -> Result<(Operand, i64), String> {
        let [open, inner @ .., close] = tokens else { return Err("expected an address".to_string()) };
        if open.text != "[" || close.text != "]" {
            return Err(format!("expected an address in brackets, found `{}`", joined(tokens)));
        }
        let wrong = || format!("`{}` is no address", joined(tokens));
        // `[x+4]`, `[x-4]` and `[x+-4]`.
        let split = inner.iter().position(|t| t.text == "+" || t.text == "-").unwrap_or(inner.len());
        let base = self.operand(&inner[..split], Type::Unsigned(64))?;
        let offset = match &inner[split..] {
            [] => 0,
            [sign, number] => {
                let value = unsigned(number.text).ok_or_else(wrong)? as i64;
                if sign.text == "-" { -value } else { value }
            }
            [_, minus, number] if minus.text == "-" => -(unsigned(number.text).ok_or_else(wrong)? as i64),
            _ => return Err(wrong()),
        };
        Ok((base, offset))
    }
}

/// Splits at commas outside of brackets.
pub(crate) fn split<'t, 'a>(tokens: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "{" | "[" | "(" => depth += 1,
            "}" | "]" | ")" => depth -= 1,
            "," if depth == 0 => {
                parts.push(&tokens[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if start < tokens.len() {
        parts.push(&tokens[start..]);
    }
    parts
}

/// The elements of `{a, b}` or `(a, b)`, or the tokens themselves as the only element.
pub(crate) fn elements<'t, 'a>(tokens: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
    match tokens {
        [open, inner @ .., _] if matches!(open.text, "{" | "(") => split(inner),
        _ => vec![tokens],
    }
}

pub(crate) fn joined(tokens: &[Token<'_>]) -> String {
    tokens.iter().map(|t| t.text).collect::<Vec<_>>().join(" ")
}
