//! The outer structure of a PTX file: version, target, variables, and kernels with undecoded bodies.

use super::names::literal;
use super::text::{Piece, elements, pieces, split};
use super::types::{Space, Type};

/// A declared variable or parameter.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) space: Space,
    pub(crate) ty: Type,
    pub(crate) align: usize,
    pub(crate) size: usize,
    /// `.extern .shared s[]`: its size comes with the launch.
    pub(crate) dynamic: bool,
    /// Numbers of the initialiser, in the variable's type.
    pub(crate) init: Vec<u64>,
}

/// A kernel or another function before its body is decoded.
pub(crate) struct Function<'a> {
    pub(crate) name: &'a str,
    pub(crate) entry: bool,
    pub(crate) returns: Vec<Variable>,
    pub(crate) params: Vec<Variable>,
    pub(crate) body: Vec<Piece<'a>>,
    /// Product of `.maxntid` or `.reqntid`, if any.
    pub(crate) max_threads: Option<u32>,
}

/// A parsed file.
#[derive(Default)]
pub(crate) struct Source<'a> {
    pub(crate) version: (u32, u32),
    /// 80 for `sm_80`.
    pub(crate) target: u32,
    pub(crate) variables: Vec<Variable>,
    pub(crate) functions: Vec<Function<'a>>,
}

/// Parses a declaration such as `.shared .align 4 .b8 name[16]`, with or without an initialiser.
pub(crate) fn declaration(text: &str) -> Result<Variable, String> {
    let error = |what: &str| format!("`{text}`: {what} in a declaration");
    let (declared, init) = text.split_once('=').unwrap_or((text, ""));
    let (mut space, mut ty, mut align, mut pointer) = (None, None, None, false);
    let mut words = declared.split_whitespace();
    let name = loop {
        let word = words.next().ok_or_else(|| error("no name"))?;
        let Some(directive) = word.strip_prefix('.') else { break word };
        match directive {
            "visible" | "extern" | "weak" | "common" => {}
            "align" => {
                let bytes = words.next().and_then(|w| w.parse::<usize>().ok()).filter(|n| n.is_power_of_two());
                let bytes = bytes.ok_or_else(|| error("no alignment"))?;
                align = align.or(Some(bytes).filter(|_| !pointer));
            }
            // What follows describes the pointee.
            "ptr" => pointer = true,
            _ if pointer => {}
            _ => match (Space::named(directive), Type::named(directive)) {
                (None, None) => return Err(error(&format!("unknown directive `{word}`"))),
                (found, None) => space = found,
                (_, found) => ty = found,
            },
        }
    };
    let (ty, space) = (ty.ok_or_else(|| error("no type"))?, space.ok_or_else(|| error("no state space"))?);
    let (name, lengths) = name.split_once('[').unwrap_or((name, "1]"));
    let dynamic = lengths == "]";
    let mut count = usize::from(!dynamic);
    for length in lengths.split(['[', ']']).filter(|l| !l.is_empty()) {
        count *= length.parse::<usize>().map_err(|_| error("a length that is no number"))?;
    }
    let init = elements(init.trim()).into_iter().filter(|v| !v.is_empty());
    let init = init.map(|v| literal(v, ty).ok_or_else(|| error("an initialiser that is no list of numbers")));
    let (init, align) = (init.collect::<Result<_, _>>()?, align.unwrap_or(ty.bytes()));
    Ok(Variable { name: name.to_string(), space, ty, align, size: count * ty.bytes(), dynamic, init })
}

/// Parses `.visible .entry name(parameters) .maxntid 128, 1, 1` or `.func (result) name(parameters)`.
fn function<'a>(head: &'a str, body: Vec<Piece<'a>>) -> Result<Function<'a>, String> {
    let (entry, declared) = match (head.split_once(".entry"), head.split_once(".func")) {
        (Some((_, rest)), _) => (true, rest.trim()),
        (_, Some((_, rest))) => (false, rest.trim()),
        _ => return Err(format!("`{head}` is no function")),
    };
    let (returns, declared) = declared.strip_prefix('(').and_then(|d| d.split_once(')')).unwrap_or(("", declared));
    let (name, rest) = declared.split_once('(').unwrap_or((declared, ")"));
    let (params, directives) = rest.rsplit_once(')').unwrap_or((rest, ""));
    let mut max_threads = None;
    for directive in directives.split('.').map(str::trim).filter(|d| !d.is_empty()) {
        let (word, numbers) = directive.split_once(char::is_whitespace).unwrap_or((directive, ""));
        let numbers: Option<Vec<u32>> = split(numbers).into_iter().map(|n| n.parse().ok()).collect();
        match (word, numbers) {
            ("maxntid" | "reqntid", Some(numbers)) => max_threads = Some(numbers.iter().product()),
            ("minnctapersm" | "maxnreg" | "noreturn", Some(_)) => {}
            _ => return Err(format!("`.{directive}` after the parameters of `{name}`")),
        }
    }
    let list = |text| split(text).into_iter().map(declaration).collect::<Result<Vec<_>, _>>();
    let (returns, params) = (list(returns)?, list(params)?);
    Ok(Function { name: name.trim(), entry, returns, params, body, max_threads })
}

/// Parses a text that has been cleaned.
pub(crate) fn parse(text: &str) -> Result<Source<'_>, String> {
    let mut source = Source::default();
    let mut all = pieces(text).into_iter().peekable();
    while let Some(Piece { text, line }) = all.next() {
        let located = |what: String| format!("line {line}: {what}");
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match word {
            ".version" => {
                let parts = rest.trim().split_once('.').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
                source.version = parts.ok_or_else(|| located(format!("`{text}` is no PTX version")))?;
            }
            ".target" => {
                let target = rest.trim().strip_prefix("sm_").map(|s| s.trim_end_matches(|c: char| !c.is_ascii_digit()));
                let target = target.and_then(|s| s.parse().ok());
                source.target = target.ok_or_else(|| located(format!("`{text}` is no PTX target")))?;
            }
            ".address_size" | ".file" => {}
            _ if all.next_if(|p| p.text == "{").is_some() => {
                let (mut body, mut depth) = (Vec::new(), 1);
                for piece in all.by_ref() {
                    depth += i32::from(piece.text == "{") - i32::from(piece.text == "}");
                    if depth == 0 {
                        break;
                    }
                    body.push(piece);
                }
                if depth > 0 {
                    return Err(located("a body without an end".to_string()));
                }
                source.functions.push(function(text, body).map_err(located)?);
            }
            // A prototype.
            _ if text.contains(".func") => {}
            _ => source.variables.push(declaration(text).map_err(located)?),
        }
    }
    if source.version == (0, 0) || source.target == 0 {
        return Err("line 1: no `.version` or no `.target`: this is not PTX".to_string());
    }
    Ok(source)
}
