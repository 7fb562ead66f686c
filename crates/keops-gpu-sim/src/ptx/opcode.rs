//! Decoding of one instruction other than branches: opcode with modifiers, and operands.

use super::names::Names;
use super::program::{ARGUMENTS, Access, Carry, Mode, NOWHERE, Op, Shuffle};
use super::text::elements;
use super::types::{Kind, Space, Type};
use crate::exec::compute::{self, Computation};
use crate::exec::convert::convert;
use crate::memory::{space_of, window};

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
        ("membar" | "fence", []) => {
            mods.0.clear();
            Op::Nothing
        }
        ("mov", [dst, source]) if dst.starts_with('{') || source.starts_with('{') => {
            vector_move(names, mods.ty()?, dst, source)?
        }
        ("ld", [dst, address]) => {
            let (access, mut registers) = (access(names, &mut mods, address)?, [NOWHERE; 4]);
            for (register, part) in registers.iter_mut().zip(vector(&access, dst)?) {
                *register = names.destination(part)?;
            }
            Op::Load(registers, access)
        }
        ("st", [address, value]) => {
            let (access, mut values) = (access(names, &mut mods, address)?, [NOWHERE; 4]);
            for (register, part) in values.iter_mut().zip(vector(&access, value)?) {
                *register = names.operand(part, access.ty)?;
            }
            Op::Store(access, values)
        }
        ("addc" | "subc", [dst, a, b]) => carry(names, &mut mods, name, dst, [a, b])?,
        ("add" | "sub", [dst, a, b]) if mods.0.contains(&"cc") => carry(names, &mut mods, name, dst, [a, b])?,
        ("atom", [dst, address, value]) => atomic(names, &mut mods, names.destination(dst)?, address, value)?,
        ("red", [address, value]) => atomic(names, &mut mods, NOWHERE, address, value)?,
        ("bar" | "barrier" | "shfl", [.., mask]) => {
            let mask = names.operand(mask, Type::U32)?;
            if !mods.take("sync") {
                return Err("only the `.sync` form is supported".to_string());
            }
            match (mods.take("warp"), args) {
                (true, [_]) => Op::Meet(None, mask),
                (_, [_]) if mask == names.constant(0) => {
                    mods.ignore(&["cta", "aligned"]);
                    Op::Barrier
                }
                (_, [dst, value, lane, clamp, _]) => {
                    Op::Meet(Some(shuffle(names, &mut mods, dst, [value, lane, clamp])?), mask)
                }
                _ => return Err("only barrier 0 of all threads is supported".to_string()),
            }
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
            let saturate = mods.take("sat");
            let (to, from) = (mods.ty()?, mods.ty()?);
            let rounding = mods.0.pop();
            (convert(to, from, rounding, flush, saturate), from)
        }
        "cvta" | "isspacep" => {
            let to = mods.take("to");
            let space = mods.find(Space::named).ok_or("no state space")?;
            let start = window(space);
            mods.ignore(&["u64"]);
            let found = match (name, to) {
                ("isspacep", _) => compute::unary(move |a: u64| space_of(a) == space),
                (_, true) => compute::unary(move |a: u64| a.wrapping_sub(start)),
                _ => compute::unary(move |a: u64| a.wrapping_add(start)),
            };
            (Some(found), Type::U64)
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

/// `mov` between a register and its parts.
fn vector_move(names: &mut Names, ty: Type, dst: &str, source: &str) -> Result<Op, String> {
    let parts = elements(if dst.starts_with('{') { dst } else { source });
    let bits = ty.bits / parts.len().max(1) as u32;
    if !matches!((parts.len(), bits), (2 | 4, 8..)) {
        return Err("a wrong number of parts".to_string());
    }
    if dst.starts_with('{') {
        let dst = parts.into_iter().map(|p| names.destination(p)).collect::<Result<_, _>>()?;
        return Ok(Op::Unpack(dst, names.operand(source, ty)?, bits));
    }
    let part = Type { kind: Kind::Bits, bits };
    let parts = parts.into_iter().map(|p| names.operand(p, part)).collect::<Result<_, _>>()?;
    Ok(Op::Pack(names.destination(dst)?, parts, bits))
}

fn access(names: &mut Names, mods: &mut Modifiers<'_>, address: &str) -> Result<Access, String> {
    let strong = mods.take("relaxed") | mods.take("acquire") | mods.take("release") | mods.take("acq_rel");
    // Scopes and hints to the cache.
    mods.ignore(&["cta", "gpu", "sys", "weak", "volatile", "nc", "ca", "cg", "cs", "lu", "cv", "wb", "wt"]);
    let elements = mods.find(|m| ["v2", "v4"].iter().position(|v| *v == m)).map_or(1, |k| 2 << k);
    let stated = mods.find(Space::named);
    let (base, offset, named) = names.address(address)?;
    let space = match (stated, named) {
        // Parameters of calls live in local memory.
        (Some(Space::Param) | None, Some(named)) => named,
        _ => stated.unwrap_or(Space::Generic),
    };
    Ok(Access { space, ty: mods.ty()?, elements, base, offset, strong })
}

fn vector<'t>(access: &Access, operand: &'t str) -> Result<Vec<&'t str>, String> {
    let parts = elements(operand);
    let right = parts.len() == access.elements;
    if right { Ok(parts) } else { Err(format!("`{operand}` has the wrong number of elements")) }
}

fn carry(n: &mut Names, mods: &mut Modifiers<'_>, name: &str, dst: &str, args: [&str; 2]) -> Result<Op, String> {
    let (output, ty) = (mods.take("cc"), mods.ty()?);
    let carry = Carry { subtract: name.starts_with("sub"), input: name.ends_with('c'), output, bits: ty.bits };
    let [a, b] = args.map(|arg| n.operand(arg, ty));
    Ok(Op::Carry(n.destination(dst)?, [a?, b?], carry))
}

/// The computation of an atomic operation is the instruction of the same name.
fn atomic(names: &mut Names, mods: &mut Modifiers<'_>, dst: u32, address: &str, value: &str) -> Result<Op, String> {
    let op = mods.find(|m| ["add", "min", "max", "and", "or", "xor"].contains(&m).then_some(m));
    let access = Access { strong: true, ..access(names, mods, address)? };
    let found = compute::find(op.ok_or("no atomic operation that is supported")?, access.ty, false);
    let Computation { compute, .. } = found.ok_or("no such operation on this type")?;
    Ok(Op::Atomic(dst, access, compute, names.operand(value, access.ty)?))
}

fn shuffle(names: &mut Names, mods: &mut Modifiers<'_>, dst: &str, args: [&str; 3]) -> Result<Shuffle, String> {
    mods.ignore(&["b32"]);
    let modes = [Mode::Up, Mode::Down, Mode::Butterfly, Mode::Index];
    let mode = mods.find(|m| ["up", "down", "bfly", "idx"].iter().position(|v| *v == m));
    let (dst, inside) = dst.split_once('|').unwrap_or((dst, "_"));
    let (dst, inside) = (names.destination(dst.trim())?, names.destination(inside.trim())?);
    let [value, lane, clamp] = args.map(|arg| names.operand(arg, Type::U32));
    let mode = modes[mode.ok_or("no shuffle mode")?];
    Ok(Shuffle { mode, dst, inside, value: value?, lane: lane?, clamp: clamp? })
}
