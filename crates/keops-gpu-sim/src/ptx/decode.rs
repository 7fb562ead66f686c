//! Decoding of a function body: scopes, declarations, labels, branches and calls.

use super::lexer::Token;
use super::opcode;
use super::operand::{Names, elements, joined, split};
use super::program::{Function, Instruction, Op, ParamCopy, Slot};
use super::source::{Cursor, FunctionSource, Source, Variable, declaration};
use super::types::Type;
use std::collections::HashMap;

/// What a call needs to know of the function it calls.
pub(crate) struct Signature {
    pub(crate) index: u32,
    pub(crate) defined: bool,
    pub(crate) params: Vec<Slot>,
    pub(crate) returns: Vec<Slot>,
}

/// What all bodies of a module share.
pub(crate) struct Module {
    /// Addresses of the module's variables and offsets of its shared ones.
    pub(crate) addresses: HashMap<String, u64>,
    pub(crate) signatures: HashMap<String, Signature>,
    /// Bytes of static shared memory given out so far.
    pub(crate) shared_bytes: usize,
}

/// Decodes `source`, whose body is present.
pub(crate) fn function(source: &FunctionSource<'_>, module: &Module) -> Result<Function, String> {
    let body = source.body.as_deref().unwrap_or(&[]);
    let mut names = Names::new(&module.addresses);
    let params = source.params.iter().map(|v| Slot { offset: names.place(v), size: v.size }).collect();
    for variable in &source.returns {
        names.place(variable);
    }
    let mut decoder = Decoder { names, module, code: Vec::new(), labels: HashMap::new(), tables: HashMap::new() };
    decoder.body(body)?;
    decoder.finish(source, params)
}

/// Places the shared variables that bodies declare. They become module variables: every kernel of a module sees one
/// layout, and `.extern` ones follow after all of them.
pub(crate) fn place_all_shared(source: &Source<'_>, module: &mut Module) -> Result<(), String> {
    for body in source.functions.iter().filter_map(|f| f.body.as_deref()) {
        for (at, token) in body.iter().enumerate().filter(|(_, t)| t.text == ".shared") {
            let variable = declaration(&mut Cursor::new(&body[at..]))?;
            if variable.unsized_array {
                return Err(format!("line {}: dynamic shared memory is declared outside of functions", token.line));
            }
            let offset = module.shared_bytes.next_multiple_of(variable.align);
            module.shared_bytes = offset + variable.size;
            if module.addresses.insert(variable.name, offset as u64).is_some() {
                return Err(format!("line {}: two shared variables of one name", token.line));
            }
        }
    }
    Ok(())
}

struct Decoder<'l, 'a> {
    names: Names<'l>,
    module: &'l Module,
    code: Vec<Instruction>,
    labels: HashMap<&'a str, u32>,
    tables: HashMap<&'a str, Vec<&'a str>>,
}

/// A branch whose label may still come, kept beside the code until the body ends.
enum Pending<'a> {
    Branch(usize, &'a str),
    Table(usize, &'a str),
}

impl<'a> Decoder<'_, 'a> {
    fn body(&mut self, tokens: &[Token<'a>]) -> Result<(), String> {
        let mut cursor = Cursor::new(tokens);
        let mut pending = Vec::new();
        while let Some(word) = cursor.peek() {
            match word {
                "{" => {
                    cursor.next()?;
                    self.names.open();
                }
                "}" => {
                    cursor.next()?;
                    self.names.close();
                }
                ";" => {
                    cursor.next()?;
                }
                ".reg" => {
                    cursor.next()?;
                    self.names.declare_registers(&mut cursor)?;
                }
                ".local" | ".param" => {
                    let variable = declaration(&mut cursor)?;
                    self.names.place(&variable);
                    cursor.expect(";")?;
                }
                ".shared" | ".pragma" => {
                    cursor.until(";")?;
                }
                ".loc" | ".file" => cursor.skip_line(),
                _ if cursor.peek_second() == Some(":") => {
                    cursor.next()?;
                    cursor.next()?;
                    if cursor.eat(".branchtargets") {
                        let targets = cursor.until(";")?.iter().map(|t| t.text).filter(|t| *t != ",");
                        self.tables.insert(word, targets.collect());
                    } else {
                        self.labels.insert(word, self.code.len() as u32);
                    }
                }
                _ => {
                    let line = cursor.line();
                    let statement = cursor.until(";")?;
                    let found = self.statement(statement, line, &mut pending);
                    found.map_err(|e| format!("line {line}: `{}`: {e}", joined(statement)))?;
                }
            }
        }
        self.resolve(pending)
    }

    fn statement(&mut self, tokens: &[Token<'a>], line: u32, pending: &mut Vec<Pending<'a>>) -> Result<(), String> {
        let (guard, tokens) = match tokens {
            [at, not, name, rest @ ..] if at.text == "@" && not.text == "!" => {
                (Some((self.names.destination(&[*name])?, true)), rest)
            }
            [at, name, rest @ ..] if at.text == "@" => (Some((self.names.destination(&[*name])?, false)), rest),
            _ => (None, tokens),
        };
        let [opcode, operands @ ..] = tokens else { return Err("no instruction".to_string()) };
        let args = split(operands);
        let label = |k: usize| match args.get(k) {
            Some([name]) => Ok(name.text),
            _ => Err("expected a label".to_string()),
        };
        let here = self.code.len();
        let op = match opcode.text {
            "bra" | "bra.uni" => {
                pending.push(Pending::Branch(here, label(0)?));
                Op::Branch(0)
            }
            "brx.idx" | "brx.idx.uni" => {
                pending.push(Pending::Table(here, label(1)?));
                let index = args.first().ok_or("no index")?;
                Op::BranchTable { index: self.names.operand(index, Type::Unsigned(32))?, targets: Vec::new() }
            }
            "call" | "call.uni" => self.call(&args)?,
            text => opcode::decode(&self.names, text, &args)?,
        };
        self.code.push(Instruction { op, guard, line });
        Ok(())
    }

    /// `call (returns), name, (params);`, where both lists may be missing.
    fn call(&self, args: &[&[Token<'a>]]) -> Result<Op, String> {
        let listed = |a: &[Token<'_>]| a.first().is_some_and(|t| t.text == "(");
        let (returned, args) = match args {
            [first, rest @ ..] if listed(first) => (elements(first), rest),
            _ => (Vec::new(), args),
        };
        let Some([name]) = args.first() else { return Err("expected a function's name".to_string()) };
        let passed = match args.get(1) {
            Some(list) if listed(list) => elements(list),
            None => Vec::new(),
            Some(_) => return Err("indirect calls are not supported".to_string()),
        };
        let signature = self.module.signatures.get(name.text).filter(|s| s.defined);
        let signature = signature.ok_or_else(|| format!("unresolved function `{}`", name.text))?;
        let copies = |names: &[&[Token<'_>]], slots: &[Slot], out: bool| -> Result<Vec<ParamCopy>, String> {
            if names.len() != slots.len() {
                return Err(format!("{} values where the function has {}", names.len(), slots.len()));
            }
            let mut list = Vec::new();
            for (name, slot) in names.iter().zip(slots) {
                let own = match name {
                    [one] => self.names.parameter(one.text),
                    _ => None,
                };
                let own = own.ok_or("only `.param` variables are passed to functions")?;
                let theirs = slot.offset as u32;
                list.push(if out { (theirs, own, slot.size as u32) } else { (own, theirs, slot.size as u32) });
            }
            Ok(list)
        };
        Ok(Op::Call {
            function: signature.index,
            args: copies(&passed, &signature.params, false)?,
            returns: copies(&returned, &signature.returns, true)?,
        })
    }

    fn resolve(&mut self, pending: Vec<Pending<'a>>) -> Result<(), String> {
        let find = |labels: &HashMap<&str, u32>, name: &str| {
            labels.get(name).copied().ok_or_else(|| format!("label `{name}` is not defined"))
        };
        for item in pending {
            match item {
                Pending::Branch(at, name) => self.code[at].op = Op::Branch(find(&self.labels, name)?),
                Pending::Table(at, name) => {
                    let list = self.tables.get(name).ok_or_else(|| format!("table `{name}` is not defined"))?;
                    let found = list.iter().map(|l| find(&self.labels, l)).collect::<Result<Vec<_>, _>>()?;
                    if let Op::BranchTable { targets, .. } = &mut self.code[at].op {
                        *targets = found;
                    }
                }
            }
        }
        Ok(())
    }

    fn finish(mut self, source: &FunctionSource<'_>, params: Vec<Slot>) -> Result<Function, String> {
        let line = self.code.last().map_or(0, |i| i.line);
        // A body may end in a branch: what runs past the end returns.
        self.code.push(Instruction { op: Op::Return, guard: None, line });
        let sink = self.names.registers;
        for instruction in &mut self.code {
            discard_into(&mut instruction.op, sink);
        }
        Ok(Function {
            name: source.name.clone(),
            entry: source.entry,
            code: self.code,
            registers: sink as usize + 1,
            params,
            param_bytes: self.names.param_bytes.next_multiple_of(16),
            local_bytes: self.names.local_bytes.next_multiple_of(16),
            max_threads: source.max_threads,
        })
    }
}

/// Gives the destinations that were `_` or missing the register that nobody reads.
fn discard_into(op: &mut Op, sink: u32) {
    use super::program::WarpOp;
    let fix = |dst: &mut u32| *dst = (*dst).min(sink);
    match op {
        Op::Compare { dst, .. } => dst.iter_mut().for_each(fix),
        Op::Load { dst, .. } => dst.iter_mut().for_each(fix),
        Op::Unpack { dst, .. } => dst.iter_mut().for_each(fix),
        Op::Alu { dst, .. }
        | Op::Convert { dst, .. }
        | Op::BitInsert { dst, .. }
        | Op::Pack { dst, .. }
        | Op::Atomic { dst, .. }
        | Op::ToSpace { dst, .. }
        | Op::ToGeneric { dst, .. }
        | Op::IsSpace { dst, .. } => fix(dst),
        Op::Warp(WarpOp::Shuffle { dst, inside, .. }) => {
            fix(dst);
            fix(inside);
        }
        Op::Warp(WarpOp::Vote { dst, .. } | WarpOp::Reduce { dst, .. } | WarpOp::ActiveMask { dst }) => fix(dst),
        _ => {}
    }
}

/// The slots of a function's parameters and results in its own parameter memory.
pub(crate) fn signature(source: &FunctionSource<'_>, index: u32, none: &HashMap<String, u64>) -> Signature {
    let mut names = Names::new(none);
    let mut slots = |list: &[Variable]| -> Vec<Slot> {
        list.iter().map(|v| Slot { offset: names.place(v), size: v.size }).collect()
    };
    let params = slots(&source.params);
    let returns = slots(&source.returns);
    Signature { index, defined: source.body.is_some(), params, returns }
}
