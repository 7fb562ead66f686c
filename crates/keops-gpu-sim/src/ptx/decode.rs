//! Links a parsed file and decodes its kernels: declarations, labels, branches.

use super::names::{Names, Place};
use super::opcode;
use super::program::{Instruction, Kernel, Op, Program};
use super::source::{KernelSource, Source, Variable, declaration};
use super::text::{Piece, split};
use super::types::{Space, Type};
use std::collections::HashMap;

/// Decodes all kernels of `source`; `addresses` holds those of the variables in device memory.
pub(crate) fn link(source: &Source<'_>, text: &str, addresses: HashMap<String, u64>) -> Result<Program, String> {
    let mut module: HashMap<String, Place> =
        addresses.into_iter().map(|(name, address)| (name, (Space::Global, address))).collect();
    // Shared variables of bodies, too: every kernel of a module sees one layout, and dynamic memory follows all of it.
    let bodies = source.kernels.iter().flat_map(|k| &k.body).filter(|piece| piece.text.starts_with(".shared"));
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
    let kernels = source.kernels.iter().map(|k| kernel(k, &module)).collect::<Result<_, _>>()?;
    Ok(Program { kernels, shared_bytes: end, lines: text.lines().map(|l| l.trim().to_string()).collect() })
}

fn kernel(source: &KernelSource<'_>, module: &HashMap<String, Place>) -> Result<Kernel, String> {
    let mut decoder = Decoder {
        names: Names::new(module),
        code: Vec::new(),
        labels: HashMap::new(),
        tables: HashMap::new(),
        latest: "",
        branches: Vec::new(),
        indexed: Vec::new(),
    };
    let (mut params, mut end) = (Vec::new(), 0);
    for variable in &source.params {
        let offset = usize::next_multiple_of(end, variable.align);
        end = offset + variable.size;
        params.push((offset, variable.size));
        decoder.names.bind(&variable.name, (Space::Param, offset as u64));
    }
    decoder.names.open();
    for piece in &source.body {
        let done = decoder.piece(piece);
        done.map_err(|what| format!("line {}: `{}`: {what}", piece.line, piece.text))?;
    }
    decoder.resolve()?;
    let Decoder { names, mut code, .. } = decoder;
    let line = code.last().map_or(0, |i| i.line);
    code.push(Instruction { op: Op::Exit, guard: None, line });
    Ok(Kernel {
        name: source.name.to_string(),
        code,
        registers: names.registers as usize,
        initial: names.initial,
        params,
        param_bytes: end,
        local_bytes: names.local_bytes.next_multiple_of(16),
        max_threads: source.max_threads,
    })
}

struct Decoder<'a> {
    names: Names,
    code: Vec<Instruction>,
    labels: HashMap<&'a str, usize>,
    tables: HashMap<&'a str, Vec<&'a str>>,
    /// Label that stood last.
    latest: &'a str,
    /// Branches and indexed branches, with the names of their labels and tables.
    branches: Vec<(usize, &'a str)>,
    indexed: Vec<(usize, &'a str)>,
}

impl<'a> Decoder<'a> {
    fn piece(&mut self, piece: &Piece<'a>) -> Result<(), String> {
        let (word, rest) = piece.text.split_once(char::is_whitespace).unwrap_or((piece.text, ""));
        match word {
            "{" => self.names.open(),
            "}" => self.names.close(),
            ".reg" => self.names.declare_registers(rest)?,
            ".local" => self.names.declare_local(&declaration(piece.text)?),
            ".branchtargets" => {
                self.tables.insert(self.latest, split(rest));
            }
            ".shared" | ".pragma" | ".loc" => {}
            _ if word.ends_with(':') => {
                self.latest = word.trim_end_matches(':');
                self.labels.insert(self.latest, self.code.len());
            }
            _ => {
                let (guard, statement) = match piece.text.strip_prefix('@') {
                    Some(guarded) => {
                        let (predicate, rest) = guarded.split_once(char::is_whitespace).ok_or("no instruction")?;
                        let negated = predicate.starts_with('!');
                        (Some((self.names.destination(predicate.trim_start_matches('!'))?, negated)), rest.trim())
                    }
                    None => (None, piece.text),
                };
                let op = self.instruction(statement)?;
                self.code.push(Instruction { op, guard, line: piece.line });
            }
        }
        Ok(())
    }

    fn instruction(&mut self, statement: &'a str) -> Result<Op, String> {
        let (opcode, operands) = statement.split_once(char::is_whitespace).unwrap_or((statement, ""));
        let (here, args) = (self.code.len(), split(operands));
        match (opcode.trim_end_matches(".uni"), &args[..]) {
            ("bra", [label]) => {
                self.branches.push((here, *label));
                Ok(Op::Branch(here))
            }
            ("brx.idx", [index, table]) => {
                self.indexed.push((here, *table));
                Ok(Op::BranchTable { index: self.names.operand(index, Type::U32)?, targets: Vec::new() })
            }
            _ => opcode::decode(&mut self.names, opcode, &args),
        }
    }

    /// Gives the branches their targets.
    fn resolve(&mut self) -> Result<(), String> {
        let find = |name: &str| self.labels.get(name).copied().ok_or_else(|| format!("label `{name}` is not defined"));
        for (at, name) in &self.branches {
            self.code[*at].op = Op::Branch(find(name)?);
        }
        for (at, name) in &self.indexed {
            let list = self.tables.get(name).ok_or_else(|| format!("table `{name}` is not defined"))?;
            if let Op::BranchTable { targets, .. } = &mut self.code[*at].op {
                *targets = list.iter().map(|label| find(label)).collect::<Result<_, _>>()?;
            }
        }
        Ok(())
    }
}
