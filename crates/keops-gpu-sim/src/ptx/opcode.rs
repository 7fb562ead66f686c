//! Decoding of one instruction: opcode with modifiers, and operands.

use super::lexer::Token;
use super::operand::{Names, elements, joined};
use super::program::{Access, Alu, Atomic, Class, Combine, Comparison, Conversion, Op, Operand, Relation, Rounding};
use super::sync;
use super::types::{Space, Type};

pub(super) type Args<'t, 'a> = [&'t [Token<'a>]];

/// The modifiers of an opcode that are not understood yet. What is left at the end is an error: an interpreter that
/// ignores a modifier gives wrong answers.
pub(super) struct Modifiers<'a>(Vec<&'a str>);

impl<'a> Modifiers<'a> {
    pub(super) fn take(&mut self, name: &str) -> bool {
        let found = self.0.iter().position(|m| *m == name);
        if let Some(at) = found {
            self.0.remove(at);
        }
        found.is_some()
    }

    pub(super) fn ignore(&mut self, names: &[&str]) {
        self.0.retain(|m| !names.contains(m));
    }

    /// The first modifier that `meaning` knows.
    pub(super) fn find<T>(&mut self, meaning: impl Fn(&'a str) -> Option<T>) -> Option<T> {
        let (at, found) = self.0.iter().enumerate().find_map(|(at, m)| Some((at, meaning(m)?)))?;
        self.0.remove(at);
        Some(found)
    }

    pub(super) fn ty(&mut self) -> Result<Type, String> {
        self.find(Type::named).ok_or_else(|| "no type that is supported".to_string())
    }

    fn space(&mut self) -> Space {
        self.find(Space::named).unwrap_or(Space::Generic)
    }
}

/// Decodes an instruction other than branches and calls.
pub(crate) fn decode(names: &Names<'_>, opcode: &str, args: &Args<'_, '_>) -> Result<Op, String> {
    let mut parts = opcode.split('.');
    let name = parts.next().unwrap_or(opcode);
    let mut mods = Modifiers(parts.collect());
    let op = instruction(names, name, &mut mods, args)?;
    match mods.0.first() {
        None => Ok(op),
        Some(rest) => Err(format!("modifier `.{rest}` is not supported")),
    }
}

fn instruction(n: &Names<'_>, name: &str, mods: &mut Modifiers<'_>, args: &Args<'_, '_>) -> Result<Op, String> {
    let arity = |least: usize, most: usize| {
        let right = (least..=most).contains(&args.len());
        if right { Ok(()) } else { Err(format!("{} operands", args.len())) }
    };
    match name {
        "ret" => Ok(Op::Return),
        "exit" => Ok(Op::Exit),
        "trap" | "brkpt" => Ok(Op::Trap),
        "membar" | "fence" | "nanosleep" | "prefetch" | "prefetchu" => {
            mods.0.clear();
            Ok(Op::Nothing)
        }
        "mov" if args.len() == 2 && (args[0].len() > 1 || args[1].first().is_some_and(|t| t.text == "{")) => {
            pack(n, mods.ty()?, args)
        }
        "setp" => {
            arity(3, 4)?;
            compare(n, mods, args)
        }
        "cvt" => {
            arity(2, 2)?;
            convert(n, mods, args)
        }
        "cvta" | "isspacep" => {
            arity(2, 2)?;
            let (dst, source) = (n.destination(args[0])?, n.operand(args[1], Type::Unsigned(64))?);
            let to = mods.take("to");
            let space = mods.space();
            if name == "isspacep" {
                return Ok(Op::IsSpace { space, dst, source });
            }
            if mods.ty()? != Type::Unsigned(64) {
                return Err("only 64-bit addresses are supported".to_string());
            }
            Ok(if to { Op::ToSpace { space, dst, source } } else { Op::ToGeneric { space, dst, source } })
        }
        "bfi" => {
            arity(5, 5)?;
            let ty = mods.ty()?;
            let arg = |k: usize| n.operand(args[k], ty);
            Ok(Op::BitInsert { ty, dst: n.destination(args[0])?, args: [arg(1)?, arg(2)?, arg(3)?, arg(4)?] })
        }
        "ld" | "ldu" => {
            arity(2, 2)?;
            load(n, mods, args)
        }
        "st" => {
            arity(2, 2)?;
            store(n, mods, args)
        }
        "atom" | "red" => atomic(n, name == "atom", mods, args),
        "bar" | "barrier" => sync::barrier(n, name, mods, args),
        "shfl" | "vote" | "redux" | "activemask" => sync::warp(n, name, mods, args).map(Op::Warp),
        _ => arithmetic(n, name, mods, args),
    }
}

/// `mov` between a register and its parts.
fn pack(n: &Names<'_>, ty: Type, args: &Args<'_, '_>) -> Result<Op, String> {
    let whole = |count: usize| {
        let bits = ty.bits() / count.max(1) as u32;
        if count.is_power_of_two() && bits >= 8 { Ok(bits as u8) } else { Err("a wrong number of parts".to_string()) }
    };
    if args[0].first().is_some_and(|t| t.text == "{") {
        let parts = elements(args[0]);
        let dst = parts.iter().map(|p| n.destination(p)).collect::<Result<Vec<_>, _>>()?;
        return Ok(Op::Unpack { part_bits: whole(dst.len())?, dst, source: n.operand(args[1], ty)? });
    }
    let parts = elements(args[1]);
    let part_bits = whole(parts.len())?;
    let parts = parts.iter().map(|p| n.operand(p, Type::Bits(part_bits))).collect::<Result<Vec<_>, _>>()?;
    Ok(Op::Pack { part_bits, dst: n.destination(args[0])?, parts })
}

fn arithmetic(n: &Names<'_>, name: &str, mods: &mut Modifiers<'_>, args: &Args<'_, '_>) -> Result<Op, String> {
    let (flush, saturate) = (mods.take("ftz"), mods.take("sat"));
    let class = if name == "testp" { mods.find(class) } else { None };
    let wide = mods.take("wide");
    let (hi, nan) = (mods.take("hi"), mods.take("NaN"));
    let wrap = mods.take("wrap");
    let left = name == "shf" && mods.take("l");
    mods.ignore(match name {
        "mul" | "mad" => &["lo", "rn"],
        "ex2" | "lg2" | "sin" | "cos" | "rsqrt" | "tanh" => &["approx"],
        "div" | "rcp" | "sqrt" => &["approx", "full", "rn"],
        "add" | "sub" | "fma" => &["rn"],
        "shf" => &["clamp", "r"],
        _ => &[],
    });
    let ty = mods.ty()?;
    let (alu, count) = match name {
        "mov" => (Alu::Mov, 1),
        "add" => (Alu::Add, 2),
        "sub" => (Alu::Sub, 2),
        "mul" if wide => (Alu::MulWide, 2),
        "mul" if hi => (Alu::MulHi, 2),
        "mul" => (Alu::Mul, 2),
        "mad" if matches!(ty, Type::Float(_)) => (Alu::Fma, 3),
        "mad" if wide => (Alu::MadWide, 3),
        "mad" if hi => (Alu::MadHi, 3),
        "mad" => (Alu::Mad, 3),
        "fma" => (Alu::Fma, 3),
        "div" => (Alu::Div, 2),
        "rem" => (Alu::Rem, 2),
        "min" => (Alu::Min { nan }, 2),
        "max" => (Alu::Max { nan }, 2),
        "neg" => (Alu::Neg, 1),
        "abs" => (Alu::Abs, 1),
        "copysign" => (Alu::Copysign, 2),
        "testp" => (Alu::Testp(class.ok_or("no class to test for")?), 1),
        "and" => (Alu::And, 2),
        "or" => (Alu::Or, 2),
        "xor" => (Alu::Xor, 2),
        "not" => (Alu::Not, 1),
        "cnot" => (Alu::Cnot, 1),
        "shl" => (Alu::Shl, 2),
        "shr" => (Alu::Shr, 2),
        "shf" => (Alu::Funnel { left, wrap }, 3),
        "selp" => (Alu::Select, 3),
        "lop3" => {
            let table = args.last().and_then(|a| match n.operand(a, Type::Unsigned(32)) {
                Ok(Operand::Immediate(v)) => u8::try_from(v).ok(),
                _ => None,
            });
            (Alu::Lop3(table.ok_or("lop3 without a constant table")?), 3)
        }
        "prmt" => (Alu::Prmt, 3),
        "bfe" => (Alu::Bfe, 3),
        "popc" => (Alu::Popc, 1),
        "clz" => (Alu::Clz, 1),
        "brev" => (Alu::Brev, 1),
        "ex2" => (Alu::Exp2, 1),
        "lg2" => (Alu::Log2, 1),
        "sqrt" => (Alu::Sqrt, 1),
        "rsqrt" => (Alu::Rsqrt, 1),
        "rcp" => (Alu::Rcp, 1),
        "sin" => (Alu::Sin, 1),
        "cos" => (Alu::Cos, 1),
        "tanh" => (Alu::Tanh, 1),
        _ => return Err("this instruction is not supported".to_string()),
    };
    let expected = 1 + count + usize::from(name == "lop3");
    if args.len() != expected {
        return Err(format!("{} operands instead of {expected}", args.len()));
    }
    let mut values = [Operand::Immediate(0); 3];
    for (k, value) in values[..count].iter_mut().enumerate() {
        *value = n.operand(args[k + 1], ty)?;
    }
    Ok(Op::Alu { alu, ty, flush, saturate, dst: n.destination(args[0])?, args: values })
}

fn class(name: &str) -> Option<Class> {
    Some(match name {
        "finite" => Class::Finite,
        "infinite" => Class::Infinite,
        "number" => Class::Number,
        "notanumber" => Class::NotANumber,
        "normal" => Class::Normal,
        "subnormal" => Class::Subnormal,
        _ => return None,
    })
}

fn comparison(name: &str) -> Option<Comparison> {
    let (relation, or_unordered) = match name {
        "eq" => (Relation::Equal, false),
        "ne" => (Relation::NotEqual, false),
        "lt" | "lo" => (Relation::Less, false),
        "le" | "ls" => (Relation::LessEqual, false),
        "gt" | "hi" => (Relation::Greater, false),
        "ge" | "hs" => (Relation::GreaterEqual, false),
        "equ" => (Relation::Equal, true),
        "neu" => (Relation::NotEqual, true),
        "ltu" => (Relation::Less, true),
        "leu" => (Relation::LessEqual, true),
        "gtu" => (Relation::Greater, true),
        "geu" => (Relation::GreaterEqual, true),
        "num" => (Relation::Ordered, false),
        "nan" => (Relation::Unordered, false),
        _ => return None,
    };
    Some(Comparison { relation, or_unordered })
}

/// The destinations of `p|q`; the second may be missing.
pub(super) fn pair(n: &Names<'_>, tokens: &[Token<'_>]) -> Result<[u32; 2], String> {
    match tokens.iter().position(|t| t.text == "|") {
        None => Ok([n.destination(tokens)?, u32::MAX]),
        Some(at) => Ok([n.destination(&tokens[..at])?, n.destination(&tokens[at + 1..])?]),
    }
}

fn compare(n: &Names<'_>, mods: &mut Modifiers<'_>, args: &Args<'_, '_>) -> Result<Op, String> {
    let test = mods.find(comparison).ok_or("no comparison")?;
    let combine = mods.find(|m| match m {
        "and" => Some(Combine::And),
        "or" => Some(Combine::Or),
        "xor" => Some(Combine::Xor),
        _ => None,
    });
    let flush = mods.take("ftz");
    let ty = mods.ty()?;
    let (third, negate) = match args.get(3) {
        Some(arg) => n.predicate(arg)?,
        None => (Operand::Immediate(0), false),
    };
    if combine.is_some() != (args.len() == 4) {
        return Err("a combination without its predicate".to_string());
    }
    let values = [n.operand(args[1], ty)?, n.operand(args[2], ty)?, third];
    let combine = combine.unwrap_or(Combine::None);
    Ok(Op::Compare { test, ty, flush, combine, dst: pair(n, args[0])?, args: values, negate })
}

fn convert(n: &Names<'_>, mods: &mut Modifiers<'_>, args: &Args<'_, '_>) -> Result<Op, String> {
    let rounding = mods.find(|m| {
        Some(match m {
            "rn" => (Rounding::Nearest, false),
            "rz" => (Rounding::Zero, false),
            "rm" => (Rounding::Down, false),
            "rp" => (Rounding::Up, false),
            "rni" => (Rounding::Nearest, true),
            "rzi" => (Rounding::Zero, true),
            "rmi" => (Rounding::Down, true),
            "rpi" => (Rounding::Up, true),
            _ => return None,
        })
    });
    let (rounding, to_integer) = rounding.unwrap_or((Rounding::Default, false));
    let (flush, saturate) = (mods.take("ftz"), mods.take("sat"));
    let (to, from) = (mods.ty()?, mods.ty()?);
    let conversion = Conversion { to, from, rounding, to_integer, flush, saturate };
    Ok(Op::Convert { conversion, dst: n.destination(args[0])?, source: n.operand(args[1], from)? })
}

const SCOPES: [&str; 4] = ["cta", "cluster", "gpu", "sys"];

fn access(n: &Names<'_>, mods: &mut Modifiers<'_>, address: &[Token<'_>]) -> Result<Access, String> {
    let strong = mods.take("relaxed") | mods.take("acquire") | mods.take("release") | mods.take("acq_rel");
    mods.ignore(&SCOPES);
    mods.ignore(&["weak", "volatile", "nc", "ca", "cg", "cs", "lu", "cv", "wb", "wt"]);
    mods.0.retain(|m| !m.starts_with("L1::") && !m.starts_with("L2::"));
    let lanes = if mods.take("v2") {
        2
    } else if mods.take("v4") {
        4
    } else {
        1
    };
    let space = mods.space();
    let (base, offset) = n.address(address)?;
    Ok(Access { space, ty: mods.ty()?, lanes, base, offset, strong })
}

fn vector<'t, 'a>(access: &Access, tokens: &'t [Token<'a>]) -> Result<Vec<&'t [Token<'a>]>, String> {
    let parts = elements(tokens);
    let right = parts.len() == usize::from(access.lanes);
    if right { Ok(parts) } else { Err(format!("`{}` has the wrong number of elements", joined(tokens))) }
}

fn load(n: &Names<'_>, mods: &mut Modifiers<'_>, args: &Args<'_, '_>) -> Result<Op, String> {
    let access = access(n, mods, args[1])?;
    let mut dst = [u32::MAX; 4];
    for (d, part) in dst.iter_mut().zip(vector(&access, args[0])?) {
        *d = n.destination(part)?;
    }
    Ok(Op::Load { access, dst })
}

fn store(n: &Names<'_>, mods: &mut Modifiers<'_>, args: &Args<'_, '_>) -> Result<Op, String> {
    let access = access(n, mods, args[0])?;
    if access.space == Space::Const {
        return Err("a store to constant memory".to_string());
    }
    let mut values = [Operand::Immediate(0); 4];
    for (v, part) in values.iter_mut().zip(vector(&access, args[1])?) {
        *v = n.operand(part, access.ty)?;
    }
    Ok(Op::Store { access, values })
}

pub(super) fn atomic_op(name: &str) -> Option<Atomic> {
    Some(match name {
        "add" => Atomic::Add,
        "min" => Atomic::Min,
        "max" => Atomic::Max,
        "exch" => Atomic::Exchange,
        "cas" => Atomic::CompareAndSwap,
        "and" => Atomic::And,
        "or" => Atomic::Or,
        "xor" => Atomic::Xor,
        "inc" => Atomic::Increment,
        "dec" => Atomic::Decrement,
        _ => return None,
    })
}

fn atomic(n: &Names<'_>, returns: bool, mods: &mut Modifiers<'_>, args: &Args<'_, '_>) -> Result<Op, String> {
    let op = mods.find(atomic_op).ok_or("no atomic operation")?;
    let first = usize::from(returns);
    let values = 1 + usize::from(op == Atomic::CompareAndSwap);
    if args.len() != first + 1 + values {
        return Err(format!("{} operands instead of {}", args.len(), first + 1 + values));
    }
    let mut access = access(n, mods, args[first])?;
    access.strong = true;
    let dst = if returns { n.destination(args[0])? } else { u32::MAX };
    let mut operands = [Operand::Immediate(0); 2];
    for (k, operand) in operands[..values].iter_mut().enumerate() {
        *operand = n.operand(args[first + 1 + k], access.ty)?;
    }
    Ok(Op::Atomic { access, op, dst, args: operands })
}
