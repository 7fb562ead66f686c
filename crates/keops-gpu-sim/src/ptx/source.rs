//! The outer structure of a PTX file: version, target, variables, and functions with undecoded bodies.

use super::lexer::{Token, tokens};
use super::types::{Space, Type};

/// One element of a variable's initialiser.
#[derive(Clone, Debug)]
pub(crate) enum Init {
    /// A number, already in the variable's type.
    Value(u64),
    /// An address plus an offset, of which a byte-wise mask may pick a part.
    Address { name: String, offset: i64, mask: Option<u64> },
}

/// A declared variable or parameter.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) space: Space,
    pub(crate) ty: Type,
    pub(crate) align: usize,
    pub(crate) size: usize,
    /// `.extern .shared s[]`: its size comes with the launch.
    pub(crate) unsized_array: bool,
    pub(crate) external: bool,
    pub(crate) init: Vec<Init>,
}

/// A function before its body is decoded.
pub(crate) struct FunctionSource<'a> {
    pub(crate) name: String,
    pub(crate) entry: bool,
    pub(crate) params: Vec<Variable>,
    pub(crate) returns: Vec<Variable>,
    pub(crate) body: Option<Vec<Token<'a>>>,
    /// Product of `.maxntid` or `.reqntid`, if any.
    pub(crate) max_threads: Option<u32>,
}

/// A parsed file.
pub(crate) struct Source<'a> {
    pub(crate) version: (u32, u32),
    /// 80 for `sm_80`.
    pub(crate) target: u32,
    pub(crate) variables: Vec<Variable>,
    pub(crate) functions: Vec<FunctionSource<'a>>,
}

/// A position in a token list.
pub(crate) struct Cursor<'t, 'a> {
    tokens: &'t [Token<'a>],
    at: usize,
}

impl<'t, 'a> Cursor<'t, 'a> {
    pub(crate) fn new(tokens: &'t [Token<'a>]) -> Self {
        Self { tokens, at: 0 }
    }

    pub(crate) fn peek(&self) -> Option<&'a str> {
        self.tokens.get(self.at).map(|t| t.text)
    }

    pub(crate) fn peek_second(&self) -> Option<&'a str> {
        self.tokens.get(self.at + 1).map(|t| t.text)
    }

    pub(crate) fn line(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(0, |t| t.line)
    }

    pub(crate) fn next(&mut self) -> Result<&'a str, String> {
        let token = self.peek().ok_or_else(|| self.error("the text ends too early"))?;
        self.at += 1;
        Ok(token)
    }

    pub(crate) fn eat(&mut self, text: &str) -> bool {
        let found = self.peek() == Some(text);
        self.at += usize::from(found);
        found
    }

    pub(crate) fn expect(&mut self, text: &str) -> Result<(), String> {
        let found = self.peek().unwrap_or("the end of the text");
        if self.eat(text) { Ok(()) } else { Err(self.error(&format!("expected `{text}`, found `{found}`"))) }
    }

    pub(crate) fn number(&mut self) -> Result<u64, String> {
        let word = self.next()?;
        unsigned(word).ok_or_else(|| self.error(&format!("expected a number, found `{word}`")))
    }

    /// The tokens up to `end`, which is consumed as well.
    pub(crate) fn until(&mut self, end: &str) -> Result<&'t [Token<'a>], String> {
        let start = self.at;
        while self.next()? != end {}
        Ok(&self.tokens[start..self.at - 1])
    }

    pub(crate) fn skip_line(&mut self) {
        let line = self.line();
        while self.tokens.get(self.at).is_some_and(|t| t.line == line) {
            self.at += 1;
        }
    }

    /// The tokens between a brace (already consumed) and its partner, which is consumed as well.
    fn braced(&mut self) -> Result<&'t [Token<'a>], String> {
        let start = self.at;
        let mut depth = 1;
        while depth > 0 {
            match self.next()? {
                "{" => depth += 1,
                "}" => depth -= 1,
                _ => {}
            }
        }
        Ok(&self.tokens[start..self.at - 1])
    }

    pub(crate) fn error(&self, what: &str) -> String {
        format!("line {}: {what}", self.line())
    }
}

/// An unsigned integer literal in any of PTX's spellings.
pub(crate) fn unsigned(word: &str) -> Option<u64> {
    let word = word.strip_suffix('U').unwrap_or(word);
    match word.strip_prefix("0x").or(word.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => word.parse().ok(),
    }
}

/// A literal in the representation of `ty`.
pub(crate) fn literal(word: &str, negative: bool, ty: Type) -> Option<u64> {
    let hex = |prefix: [&str; 2]| {
        prefix.iter().find_map(|p| word.strip_prefix(p)).and_then(|h| u64::from_str_radix(h, 16).ok())
    };
    let float = if let Some(single) = hex(["0f", "0F"]) {
        if ty != Type::Float(64) && !negative {
            return Some(single);
        }
        Some(f64::from(f32::from_bits(single as u32)))
    } else if let Some(double) = hex(["0d", "0D"]) {
        if ty != Type::Float(32) && !negative {
            return Some(double);
        }
        Some(f64::from_bits(double))
    } else if matches!(ty, Type::Float(_)) && word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.') {
        word.parse().ok()
    } else {
        None
    };
    if let Some(value) = float {
        let value = if negative { -value } else { value };
        return Some(if ty == Type::Float(64) { value.to_bits() } else { u64::from((value as f32).to_bits()) });
    }
    unsigned(word).map(|value| if negative { value.wrapping_neg() } else { value })
}

/// Reads a declaration from its state space to just before `,`, `)`, `;` or `=`.
pub(crate) fn declaration(cursor: &mut Cursor<'_, '_>) -> Result<Variable, String> {
    let (mut space, mut ty, mut align, mut lanes, mut pointer) = (None, None, None, 1, false);
    let mut external = false;
    let name = loop {
        let word = cursor.next()?;
        let Some(directive) = word.strip_prefix('.') else { break word };
        match directive {
            // What follows `.ptr` describes the pointee.
            "ptr" => pointer = true,
            "align" => {
                let bytes = cursor.number()? as usize;
                if !pointer {
                    align = Some(bytes);
                }
            }
            "v2" => lanes = 2,
            "v4" => lanes = 4,
            "extern" => external = true,
            "visible" | "weak" | "common" | "volatile" => {}
            _ => match (Space::named(directive), Type::named(directive)) {
                (Some(s), _) if !pointer && space.is_none() => space = Some(s),
                (Some(_), _) if pointer => {}
                (_, Some(t)) => ty = Some(t),
                _ => return Err(cursor.error(&format!("unknown directive `{word}` in a declaration"))),
            },
        }
    };
    let ty = ty.ok_or_else(|| cursor.error("a declaration without a type"))?;
    let space = space.ok_or_else(|| cursor.error("a declaration without a state space"))?;
    let (mut count, mut unsized_array) = (lanes, false);
    while cursor.eat("[") {
        if cursor.eat("]") {
            unsized_array = true;
        } else {
            count *= cursor.number()? as usize;
            cursor.expect("]")?;
        }
    }
    let align = align.unwrap_or(ty.bytes() * lanes).max(1);
    if !align.is_power_of_two() {
        return Err(cursor.error("an alignment that is no power of two"));
    }
    let size = if unsized_array { 0 } else { count * ty.bytes() };
    Ok(Variable { name: name.to_string(), space, ty, align, size, unsized_array, external, init: Vec::new() })
}

fn initialiser(cursor: &mut Cursor<'_, '_>, ty: Type, init: &mut Vec<Init>) -> Result<(), String> {
    if cursor.eat("{") {
        while !cursor.eat("}") {
            initialiser(cursor, ty, init)?;
            cursor.eat(",");
        }
        return Ok(());
    }
    let negative = cursor.eat("-");
    let word = cursor.next()?;
    if let Some(value) = literal(word, negative, ty) {
        if !cursor.eat("(") {
            init.push(Init::Value(value));
            return Ok(());
        }
        // `0xFF00(address)`: one byte of an address.
        initialiser(cursor, ty, init)?;
        cursor.expect(")")?;
        if let Some(Init::Address { mask, .. }) = init.last_mut() {
            *mask = Some(value);
        }
        return Ok(());
    }
    let name = if word == "generic" {
        cursor.expect("(")?;
        let name = cursor.next()?;
        cursor.expect(")")?;
        name
    } else {
        word
    };
    let offset = if cursor.eat("+") { cursor.number()? as i64 } else { 0 };
    init.push(Init::Address { name: name.to_string(), offset, mask: None });
    Ok(())
}

fn parameters(cursor: &mut Cursor<'_, '_>) -> Result<Vec<Variable>, String> {
    let mut list = Vec::new();
    while !cursor.eat(")") {
        list.push(declaration(cursor)?);
        cursor.eat(",");
    }
    Ok(list)
}

fn function<'a>(cursor: &mut Cursor<'_, 'a>, entry: bool) -> Result<FunctionSource<'a>, String> {
    let returns = if cursor.eat("(") { parameters(cursor)? } else { Vec::new() };
    let name = cursor.next()?.to_string();
    let params = if cursor.eat("(") { parameters(cursor)? } else { Vec::new() };
    let mut max_threads = None;
    let body = loop {
        match cursor.next()? {
            "{" => break Some(cursor.braced()?.to_vec()),
            ";" => break None,
            ".maxntid" | ".reqntid" => {
                let mut product = cursor.number()? as u32;
                while cursor.eat(",") {
                    product = product.saturating_mul(cursor.number()? as u32);
                }
                max_threads = Some(product);
            }
            ".minnctapersm" | ".maxnreg" | ".maxnctapersm" => {
                cursor.number()?;
            }
            ".noreturn" => {}
            other => return Err(cursor.error(&format!("unknown directive `{other}` after a function's name"))),
        }
    };
    Ok(FunctionSource { name, entry, params, returns, body, max_threads })
}

/// Parses the structure of `text`.
pub(crate) fn parse(text: &str) -> Result<Source<'_>, String> {
    let all = tokens(text);
    let mut cursor = Cursor::new(&all);
    let mut source = Source { version: (0, 0), target: 0, variables: Vec::new(), functions: Vec::new() };
    while let Some(word) = cursor.peek() {
        match word {
            ".version" => {
                cursor.next()?;
                let word = cursor.next()?;
                let parts = word.split_once('.').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
                source.version = parts.ok_or_else(|| cursor.error(&format!("`{word}` is no PTX version")))?;
            }
            ".target" => {
                cursor.next()?;
                let word = cursor.next()?;
                let digits = word.strip_prefix("sm_").map(|s| s.trim_end_matches(['a', 'f']));
                let target = digits.and_then(|s| s.parse().ok());
                source.target = target.ok_or_else(|| cursor.error(&format!("`{word}` is no PTX target")))?;
                while cursor.eat(",") {
                    cursor.next()?;
                }
            }
            ".address_size" => {
                cursor.next()?;
                if cursor.number()? != 64 {
                    return Err(cursor.error("only 64-bit addresses are supported"));
                }
            }
            ".file" => cursor.skip_line(),
            ".section" => {
                cursor.until("{")?;
                cursor.braced()?;
            }
            ".visible" | ".extern" | ".weak" | ".common"
                if matches!(cursor.peek_second(), Some(".entry" | ".func")) =>
            {
                cursor.next()?;
            }
            ".entry" | ".func" => {
                cursor.next()?;
                let found = function(&mut cursor, word == ".entry")?;
                source.functions.push(found);
            }
            _ => {
                let mut variable = declaration(&mut cursor)?;
                if cursor.eat("=") {
                    initialiser(&mut cursor, variable.ty, &mut variable.init)?;
                    variable.size = variable.size.max(variable.init.len() * variable.ty.bytes());
                }
                cursor.expect(";")?;
                source.variables.push(variable);
            }
        }
    }
    if source.version == (0, 0) || source.target == 0 {
        return Err("line 1: no `.version` or no `.target`: this is not PTX".to_string());
    }
    Ok(source)
}
