//! Links a parsed file and decodes its kernels: declarations, labels, branches. A function that is called is decoded
//! again in the place of each call, so that programs have no calls.

use super::names::{Names, Place};
use super::opcode;
use super::program::{Instruction, Kernel, Op, Program};
use super::source::{Function, Source, Variable, declaration};
use super::text::{Piece, split};
use super::types::{Space, Type};
use std::collections::HashMap;

/// Instructions of a kernel after which no further call is decoded.
const MAX_INSTRUCTIONS: usize = 1 << 20;

/// Decodes all kernels of `source`; `addresses` holds those of the variables in device memory.
pub(crate) fn link(source: &Source<'_>, text: &str, addresses: HashMap<String, u64>) -> Result<Program, String> {
    let mut module: HashMap<String, Place> =
        addresses.into_iter().map(|(name, address)| (name, (Space::Global, address))).collect();
    // Shared variables of bodies, too: every kernel of a module sees one layout, and dynamic memory follows all of it.
    let bodies = source.functions.iter().flat_map(|f| &f.body).filter(|piece| piece.text.starts_with(".shared"));
    let bodies: Vec<Variable> = bodies.map(|piece| declaration(piece.text)).collect::<Result<_, _>>()?;
    let shared = source.variables.iter().chain(&bodies).filter(|v| v.space == Space::Shared);
    let (dynamic, fixed): (Vec<_>, Vec<_>) = shared.partition(|v| v.dynamic);
    let mut end = 0;
    for variable in fixed {
        let offset = usize::next_multiple_of(end, variable.align);
        end = offset + variable.size;
        if module.insert(variable.name.clone(), (Space::Shared, offset as u64)).is_some() {
            return Err(format!("two variables called `{}`", variable.name));
        }
    }
    end = dynamic.iter().fold(end, |end, v| end.next_multiple_of(v.align));
    module.extend(dynamic.iter().map(|v| (v.name.clone(), (Space::Shared, end as u64))));
    let kernels =
        source.functions.iter().filter(|f| f.entry).map(|f| kernel(f, source, &module)).collect::<Result<_, _>>()?;
    Ok(Program { kernels, shared_bytes: end, lines: text.lines().map(|l| l.trim().to_string()).collect() })
}

fn kernel(function: &Function<'_>, source: &Source<'_>, module: &HashMap<String, Place>) -> Result<Kernel, String> {
    let names = Names::new(module);
    let mut decoder = Decoder { names, code: Vec::new(), source, calls: Vec::new(), jumps: Jumps::default() };
    let (mut params, mut end) = (Vec::new(), 0);
    for variable in &function.params {
        let offset = usize::next_multiple_of(end, variable.align);
        end = offset + variable.size;
        params.push((offset, variable.size));
        decoder.names.bind(&variable.name, (Space::Param, offset as u64));
    }
    decoder.body(function)?;
    let Decoder { names, mut code, .. } = decoder;
    let line = code.last().map_or(0, |i| i.line);
    code.push(Instruction { op: Op::Exit, guard: None, line });
    Ok(Kernel {
        name: function.name.to_string(),
        code,
        registers: names.registers as usize,
        initial: names.initial,
        params,
        param_bytes: end,
        local_bytes: names.local_bytes.next_multiple_of(16),
        max_threads: function.max_threads,
    })
}

/// The names in `(a, b)`.
fn parameters(list: &str) -> Option<Vec<&str>> {
    list.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).map(split)
}

struct Decoder<'a> {
    names: Names,
    code: Vec<Instruction>,
    source: &'a Source<'a>,
    /// Functions whose bodies are being decoded.
    calls: Vec<&'a str>,
    jumps: Jumps<'a>,
}

/// Where the branches of a body go to.
#[derive(Default)]
struct Jumps<'a> {
    /// Labels; the end of the body is the one without a name.
    labels: HashMap<&'a str, usize>,
    tables: HashMap<&'a str, Vec<&'a str>>,
    /// Label that stood last.
    latest: &'a str,
    /// Branches and indexed branches, with the names of their labels and tables.
    branches: Vec<(usize, &'a str)>,
    indexed: Vec<(usize, &'a str)>,
}

impl<'a> Decoder<'a> {
    /// Appends the code of a function.
    fn body(&mut self, function: &'a Function<'a>) -> Result<(), String> {
        let outer = (std::mem::take(&mut self.jumps), self.names.variables.clone());
        self.calls.push(function.name);
        self.names.open();
        for piece in &function.body {
            let done = self.piece(piece);
            done.map_err(|what| format!("line {}: `{}`: {what}", piece.line, piece.text))?;
        }
        self.jumps.labels.insert("", self.code.len());
        self.resolve()?;
        self.names.close();
        self.calls.pop();
        (self.jumps, self.names.variables) = outer;
        Ok(())
    }

    /// `call (result), name, (arguments)`, where both lists may be missing: the function's body, in which the
    /// parameters are other names of the variables that are passed.
    fn call(&mut self, args: &[&str]) -> Result<(), String> {
        let indirect = "only direct calls are supported";
        let results = args.first().and_then(|arg| parameters(arg));
        let (name, passed) = match &args[usize::from(results.is_some())..] {
            [name] => (name, Vec::new()),
            [name, passed] => (name, parameters(passed).ok_or(indirect)?),
            _ => return Err(indirect.to_string()),
        };
        let function = self.source.functions.iter().find(|f| f.name == *name);
        let function = function.ok_or_else(|| format!("`{name}` is no function with a body"))?;
        if self.calls.contains(name) || self.code.len() > MAX_INSTRUCTIONS {
            return Err(format!("calls of `{name}` do not end"));
        }
        let own: Vec<&str> = results.unwrap_or_default().into_iter().chain(passed).collect();
        let formal: Vec<&Variable> = function.returns.iter().chain(&function.params).collect();
        if own.len() != formal.len() {
            return Err(format!("{} arguments and results instead of {}", own.len(), formal.len()));
        }
        let places: Option<Vec<Place>> = own.iter().map(|name| self.names.variables.get(*name).copied()).collect();
        let places = places.ok_or("only `.param` variables are passed to functions")?;
        let outer = self.names.variables.clone();
        formal.into_iter().zip(places).for_each(|(variable, place)| self.names.bind(&variable.name, place));
        self.body(function)?;
        self.names.variables = outer;
        Ok(())
    }

    fn piece(&mut self, piece: &Piece<'a>) -> Result<(), String> {
        let (word, rest) = piece.text.split_once(char::is_whitespace).unwrap_or((piece.text, ""));
        match word {
            "{" => self.names.open(),
            "}" => self.names.close(),
            ".reg" => self.names.declare_registers(rest)?,
            ".local" | ".param" => self.names.declare_local(&declaration(piece.text)?),
            ".branchtargets" => {
                self.jumps.tables.insert(self.jumps.latest, split(rest));
            }
            ".shared" | ".pragma" | ".loc" | ".callprototype" => {}
            _ if piece.text.ends_with(':') => {
                self.jumps.latest = piece.text.trim_end_matches(':').trim_end();
                self.jumps.labels.insert(self.jumps.latest, self.code.len());
            }
            _ => {
                let (guard, statement) = match piece.text.strip_prefix('@') {
                    Some(_) => {
                        let (negated, name) = (word.starts_with("@!"), word.trim_start_matches(['@', '!']));
                        (Some((self.names.destination(name)?, negated)), rest.trim())
                    }
                    None => (None, piece.text),
                };
                let (opcode, operands) = statement.split_once(char::is_whitespace).unwrap_or((statement, ""));
                if guard.is_none() && matches!(opcode, "call" | "call.uni") {
                    return self.call(&split(operands));
                }
                let op = self.instruction(opcode, &split(operands))?;
                self.code.push(Instruction { op, guard, line: piece.line });
            }
        }
        Ok(())
    }

    fn instruction(&mut self, opcode: &str, args: &[&'a str]) -> Result<Op, String> {
        let here = self.code.len();
        match (opcode.trim_end_matches(".uni"), args) {
            ("ret", []) if self.calls.len() > 1 => {
                self.jumps.branches.push((here, ""));
                Ok(Op::Branch(here))
            }
            ("bra", [label]) => {
                self.jumps.branches.push((here, *label));
                Ok(Op::Branch(here))
            }
            ("brx.idx", [index, table]) => {
                self.jumps.indexed.push((here, *table));
                Ok(Op::BranchTable(self.names.operand(index, Type::U32)?, Vec::new()))
            }
            _ => opcode::decode(&mut self.names, opcode, args),
        }
    }

    /// Gives the branches their targets.
    fn resolve(&mut self) -> Result<(), String> {
        let find =
            |name: &str| self.jumps.labels.get(name).copied().ok_or_else(|| format!("label `{name}` is not defined"));
        for (at, name) in &self.jumps.branches {
            self.code[*at].op = Op::Branch(find(name)?);
        }
        for (at, name) in &self.jumps.indexed {
            let list = self.jumps.tables.get(name).ok_or_else(|| format!("table `{name}` is not defined"))?;
            if let Op::BranchTable(_, targets) = &mut self.code[*at].op {
                *targets = list.iter().map(|label| find(label)).collect::<Result<_, _>>()?;
            }
        }
        Ok(())
    }
}
