//! Decoding of one instruction other than branches: opcode with modifiers, and operands.

use super::names::Names;
use super::program::{ARGUMENTS, Access, Carry, NOWHERE, Op};
use super::text::elements;
use super::types::{Kind, Space, Type, truncate};
use crate::exec::compute::{self, Computation};
use crate::exec::convert::convert;
use crate::memory::window;

/// The modifiers of an opcode that are not understood yet. What is left at the end is an error: an interpreter that
/// ignores a modifier gives wrong answers.
struct Modifiers<'a>(Vec<&'a str>);

impl<'a> Modifiers<'a> {
    fn take(&mut self, name: &str) -> bool {
        self.find(|m| (m == name).then_some(())).is_some()
    }

    fn ignore(&mut self, names: &[&str]) {
        self.0.retain(|m| !names.contains(m));
    }

    /// The first modifier that `meaning` knows.
    fn find<T>(&mut self, meaning: impl Fn(&'a str) -> Option<T>) -> Option<T> {
        let (at, found) = self.0.iter().enumerate().find_map(|(at, m)| Some((at, meaning(m)?)))?;
        self.0.remove(at);
        Some(found)
    }

    fn ty(&mut self) -> Result<Type, String> {
        self.find(Type::named).ok_or_else(|| "no type that is supported".to_string())
    }
}

/// Decodes an instruction other than branches.
pub(super) fn decode(names: &mut Names, opcode: &str, args: &[&str]) -> Result<Op, String> {
    let mut parts = opcode.split('.');
    let name = parts.next().unwrap_or(opcode);
    let mut mods = Modifiers(parts.collect());
    let op = match (name, args) {
        ("ret" | "exit", []) => Op::Exit,
        ("trap", []) => Op::Trap,
        ("mov", [dst, source]) if dst.starts_with('{') || source.starts_with('{') => {
            halves(names, mods.ty()?, dst, source)?
        }
        ("ld", [dst, address]) => {
            let (parts, mut registers) = (elements(dst), [NOWHERE; 4]);
            for (register, part) in registers.iter_mut().zip(&parts) {
                *register = names.destination(part)?;
            }
            Op::Load(registers, access(names, &mut mods, address, parts.len())?)
        }
        ("st", [address, value]) => {
            let (parts, mut values) = (elements(value), [NOWHERE; 4]);
            let access = access(names, &mut mods, address, parts.len())?;
            for (register, part) in values.iter_mut().zip(&parts) {
                *register = names.operand(part, access.ty)?;
            }
            Op::Store(access, values)
        }
        ("addc" | "subc", [dst, a, b]) => carry(names, &mut mods, name, dst, [a, b])?,
        ("add" | "sub", [dst, a, b]) if mods.0.contains(&"cc") => carry(names, &mut mods, name, dst, [a, b])?,
        ("bar" | "barrier", [id]) if mods.take("sync") && names.operand(id, Type::U32)? == names.constant(0) => {
            mods.ignore(&["cta", "aligned"]);
            Op::Barrier
        }
        _ => return computation(names, name, mods, args),
    };
    match mods.0.first() {
        None => Ok(op),
        Some(rest) => Err(format!("modifier `.{rest}` is not supported")),
    }
}

/// Instructions that only compute: their name with the modifiers that change the result is the key of a table.
fn computation(names: &mut Names, name: &str, mut mods: Modifiers<'_>, args: &[&str]) -> Result<Op, String> {
    let flush = mods.take("ftz");
    mods.ignore(&["rn", "lo", "approx", "full"]);
    let (found, ty) = match name {
        "cvt" => {
            let (to, from) = (mods.ty()?, mods.ty()?);
            let rounding = mods.0.pop();
            (convert(to, from, rounding).filter(|_| !flush), from)
        }
        "cvta" => {
            let to = mods.take("to");
            let start = window(mods.find(Space::named).ok_or("no state space")?);
            mods.ignore(&["u64"]);
            let start = if to { start.wrapping_neg() } else { start };
            (Some(compute::unary(move |a: u64| a.wrapping_add(start))), Type::U64)
        }
        _ => {
            let ty = mods.0.pop().and_then(Type::named).ok_or("no such instruction, or no type that is supported")?;
            let key = [&[name], &std::mem::take(&mut mods.0)[..]].concat().join(".");
            (compute::find(&key, ty, flush), ty)
        }
    };
    let found = found.filter(|_| mods.0.is_empty());
    let Computation { arity, compute } = found.ok_or("this instruction is not supported")?;
    let [dst, args @ ..] = args else { return Err("no operands".to_string()) };
    if args.len() != arity {
        return Err(format!("{} arguments instead of {arity}", args.len()));
    }
    let mut values = [NOWHERE; ARGUMENTS];
    for (value, arg) in values.iter_mut().zip(args) {
        *value = names.operand(arg, ty)?;
    }
    Ok(Op::Compute(names.destination(dst)?, compute, values))
}

/// `mov` between a register and its two halves.
fn halves(names: &mut Names, ty: Type, dst: &str, source: &str) -> Result<Op, String> {
    let bits = ty.bits / 2;
    let half = Type { kind: Kind::Bits, bits };
    match (&elements(dst)[..], &elements(source)[..]) {
        ([low, high], [whole]) => {
            let dst = [names.destination(low)?, names.destination(high)?];
            Ok(Op::Unpack(dst, names.operand(whole, ty)?, bits))
        }
        ([whole], [low, high]) => {
            let both = move |low: u64, high: u64| truncate(low, bits) | high << bits;
            let args = [names.operand(low, half)?, names.operand(high, half)?, NOWHERE];
            Ok(Op::Compute(names.destination(whole)?, compute::binary(both).compute, args))
        }
        _ => Err("a wrong number of parts".to_string()),
    }
}

/// An access to as many `parts` as the opcode says.
fn access(names: &mut Names, mods: &mut Modifiers<'_>, address: &str, parts: usize) -> Result<Access, String> {
    mods.ignore(&["volatile", "nc"]);
    let elements = mods.find(|m| ["v2", "v4"].iter().position(|v| *v == m)).map_or(1, |k| 2 << k);
    if parts != elements {
        return Err(format!("{parts} elements instead of {elements}"));
    }
    let stated = mods.find(Space::named);
    let (base, offset, named) = names.address(address)?;
    let space = match (stated, named) {
        // Parameters of calls live in local memory.
        (Some(Space::Param) | None, Some(named)) => named,
        _ => stated.unwrap_or(Space::Generic),
    };
    Ok(Access { space, ty: mods.ty()?, elements, base, offset })
}

fn carry(n: &mut Names, mods: &mut Modifiers<'_>, name: &str, dst: &str, args: [&str; 2]) -> Result<Op, String> {
    let (output, ty) = (mods.take("cc"), mods.ty()?);
    let carry = Carry { subtract: name.starts_with("sub"), input: name.ends_with('c'), output, bits: ty.bits };
    let [a, b] = args.map(|arg| n.operand(arg, ty));
    Ok(Op::Carry(n.destination(dst)?, [a?, b?], carry))
}
