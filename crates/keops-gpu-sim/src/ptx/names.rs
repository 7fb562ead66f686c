//! Names in a kernel: registers in their scopes, variables, constants, operands.

use super::program::{CARRY, Initial, NOWHERE, Register};
use super::source::Variable;
use super::text::split;
use super::types::{SPECIALS, Space, Type};
use std::collections::HashMap;

/// Most registers of a kernel.
const MAX_REGISTERS: u32 = 1 << 20;

/// Where a variable lives.
pub(crate) type Place = (Space, u64);

/// What the names of a kernel mean at a place in its text.
pub(crate) struct Names {
    /// Registers of each scope. `%r<10>` is kept as its prefix; with each name go the first register and the count,
    /// which is 0 for a register of exactly this name.
    scopes: Vec<HashMap<String, (Register, u32)>>,
    /// Registers so far, those of no name included.
    pub(crate) registers: u32,
    /// Registers that hold constants and special registers.
    pub(crate) initial: HashMap<Initial, Register>,
    pub(crate) variables: HashMap<String, Place>,
    pub(crate) local_bytes: usize,
}

impl Names {
    pub(crate) fn new(module: &HashMap<String, Place>) -> Self {
        let (scopes, initial, variables) = (Vec::new(), HashMap::new(), module.clone());
        Self { scopes, registers: CARRY + 1, initial, variables, local_bytes: 0 }
    }

    pub(crate) fn open(&mut self) {
        self.scopes.push(HashMap::new());
    }

    pub(crate) fn close(&mut self) {
        self.scopes.pop();
    }

    /// `.b32 %r<10>, %x`
    pub(crate) fn declare_registers(&mut self, text: &str) -> Result<(), String> {
        let (ty, list) = text.trim().split_once(char::is_whitespace).unwrap_or((text, ""));
        if ty.strip_prefix('.').and_then(Type::named).is_none() {
            return Err(format!("registers of type `{ty}` are not supported"));
        }
        for name in split(list) {
            let (name, count) = match name.strip_suffix('>').and_then(|n| n.split_once('<')) {
                Some((prefix, count)) => {
                    (prefix, count.parse().map_err(|_| format!("`{name}` is no number of registers"))?)
                }
                None => (name, 0),
            };
            let scope = self.scopes.last_mut().ok_or("registers outside of functions")?;
            scope.insert(name.to_string(), (self.registers, count));
            self.registers = self.registers.saturating_add(count.max(1));
        }
        if self.registers < MAX_REGISTERS { Ok(()) } else { Err("more than a million registers".to_string()) }
    }

    /// Gives a name a place.
    pub(crate) fn bind(&mut self, name: &str, place: Place) {
        self.variables.insert(name.to_string(), place);
    }

    /// Gives a variable a place in local memory.
    pub(crate) fn declare_local(&mut self, variable: &Variable) {
        let offset = self.local_bytes.next_multiple_of(variable.align);
        self.local_bytes = offset + variable.size;
        self.bind(&variable.name, (Space::Local, offset as u64));
    }

    fn register(&self, name: &str) -> Option<Register> {
        let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let number: Option<u32> = name[prefix.len()..].parse().ok();
        self.scopes.iter().rev().find_map(|scope| {
            let single = scope.get(name).filter(|(_, count)| *count == 0).map(|(register, _)| *register);
            let family = scope.get(prefix).and_then(|(first, count)| number.filter(|n| n < count).map(|n| first + n));
            single.or(family)
        })
    }

    fn holding(&mut self, initial: Initial) -> Register {
        *self.initial.entry(initial).or_insert_with(|| {
            self.registers += 1;
            self.registers - 1
        })
    }

    /// A register that holds a constant.
    pub(crate) fn constant(&mut self, value: u64) -> Register {
        self.holding(Initial::Constant(value))
    }

    /// A register that is written; `_` discards.
    pub(crate) fn destination(&self, name: &str) -> Result<Register, String> {
        match name {
            "_" => Ok(NOWHERE),
            _ => self.register(name).ok_or_else(|| format!("`{name}` is not a declared register")),
        }
    }

    /// A register that holds the value of an operand.
    pub(crate) fn operand(&mut self, text: &str, ty: Type) -> Result<Register, String> {
        if let Some(register) = self.register(text) {
            return Ok(register);
        }
        if let Some(index) = SPECIALS.split(' ').position(|s| s == text) {
            return Ok(self.holding(Initial::Special(index)));
        }
        let (name, offset) = offset(text);
        let variable = self.variables.get(name).map(|(_, address)| address.wrapping_add_signed(offset));
        let value = variable.or_else(|| literal(text, ty));
        value.map(|v| self.constant(v)).ok_or_else(|| format!("`{text}` is no operand known here"))
    }

    /// The inside of `[ ]`: base, offset, and the space of a variable that is named.
    pub(crate) fn address(&mut self, text: &str) -> Result<(Register, i64, Option<Space>), String> {
        let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let (base, offset) = offset(inner.ok_or_else(|| format!("`{text}` is no address in brackets"))?);
        let space = self.variables.get(base).map(|(space, _)| *space);
        Ok((self.operand(base, Type::U64)?, offset, space))
    }
}

/// Splits the offset off `x+4`, `x+-4` and `x-4`.
fn offset(text: &str) -> (&str, i64) {
    let at = text.find('+').or(text.rfind('-')).filter(|at| *at > 0);
    let parts = at.map(|at| (text[..at].trim(), text[at..].trim_start_matches('+').trim().parse()));
    match parts {
        Some((base, Ok(offset))) => (base, offset),
        _ => (text, 0),
    }
}

/// A literal in the representation of `ty`.
pub(crate) fn literal(word: &str, ty: Type) -> Option<u64> {
    let (word, negative) = word.strip_prefix('-').map_or((word, false), |rest| (rest, true));
    let hex = |prefix: &str| word.strip_prefix(prefix).and_then(|h| u64::from_str_radix(h, 16).ok());
    let value = if let Some(single) = hex("0f") {
        f64::from(f32::from_bits(single as u32))
    } else if let Some(double) = hex("0d") {
        f64::from_bits(double)
    } else if ty.is_float() && word.contains('.') {
        word.parse().ok()?
    } else {
        let value = hex("0x").or_else(|| word.strip_suffix('U').unwrap_or(word).parse().ok());
        return value.map(|value| if negative { value.wrapping_neg() } else { value });
    };
    let value = if negative { -value } else { value };
    Some(if ty.bits == 64 { value.to_bits() } else { u64::from((value as f32).to_bits()) })
}
