//! Machine code as `nvdisasm -c` prints it: its functions, and the loops in them.

use std::collections::BTreeMap;

/// A function.
#[derive(Debug)]
pub(crate) struct Function<'a> {
    pub(crate) name: &'a str,
    /// Without predicates: `FFMA R1, R2, R3, R4`.
    pub(crate) instructions: Vec<&'a str>,
    /// Those that had a predicate: they may do nothing.
    predicated: Vec<bool>,
    /// Which instruction a label stands before.
    labels: BTreeMap<&'a str, usize>,
}

/// A loop: from the target of a jump backwards to the jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Loop {
    pub(crate) instructions: usize,
    /// Instructions that jumps within it can pass over.
    pub(crate) skippable: usize,
    /// Is there no loop in it?
    pub(crate) is_innermost: bool,
    /// Bytes that a thread loads from shared memory each time round, and instructions that do so.
    pub(crate) shared_bytes: usize,
    pub(crate) shared_loads: usize,
    /// Instructions of the unit for special functions.
    pub(crate) special: usize,
    /// Instructions that access the stack.
    pub(crate) stack: usize,
}

/// All functions.
pub(crate) fn functions(code: &str) -> Vec<Function<'_>> {
    let mut all: Vec<Function<'_>> = Vec::new();
    for line in code.lines() {
        if let Some(name) = line.strip_prefix(".text.").and_then(|rest| rest.trim_end().strip_suffix(':')) {
            all.push(Function { name, instructions: Vec::new(), predicated: Vec::new(), labels: BTreeMap::new() });
            continue;
        }
        let Some(function) = all.last_mut() else { continue };
        if let Some(label) = line.trim_end().strip_suffix(':').filter(|label| label.starts_with(".L_")) {
            function.labels.insert(label, function.instructions.len());
        } else if let Some((instruction, predicated)) = instruction(line) {
            function.instructions.push(instruction);
            function.predicated.push(predicated);
        }
    }
    all
}

/// `        /*0010*/              @P0 BRA `(.L_x_1) ;`, without its predicate, and whether it has one.
fn instruction(line: &str) -> Option<(&str, bool)> {
    let (address, rest) = line.trim_start().strip_prefix("/*")?.split_once("*/")?;
    if address.len() < 4 || !address.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let text = rest.split(';').next()?.trim();
    let (instruction, predicated) = match text.strip_prefix('@') {
        Some(predicated) => (predicated.split_once(char::is_whitespace)?.1.trim_start(), true),
        None => (text, false),
    };
    (!instruction.is_empty()).then_some((instruction, predicated))
}

impl Function<'_> {
    /// How many instructions of this name there are, whatever their variants.
    pub(crate) fn count(&self, name: &str) -> usize {
        self.instructions.iter().filter(|instruction| is(instruction, name)).count()
    }

    /// All loops.
    pub(crate) fn loops(&self) -> Vec<Loop> {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for (at, instruction) in self.instructions.iter().enumerate() {
            if let Some(target) = self.target(instruction)
                // A jump to itself is what pads the end of a function.
                && target < at
            {
                ranges.push((target, at));
            }
        }
        ranges.sort();
        ranges.dedup();
        let within = |a: (usize, usize), b: (usize, usize)| a != b && b.0 <= a.0 && a.1 <= b.1;
        ranges.iter().map(|&range| self.of_range(range, !ranges.iter().any(|&other| within(other, range)))).collect()
    }

    /// Where a jump goes to.
    fn target(&self, instruction: &str) -> Option<usize> {
        if is(instruction, "BRA") { self.labels.get(label_of(instruction)?).copied() } else { None }
    }

    /// Instructions between these that conditional jumps forwards pass over.
    fn skippable(&self, first: usize, last: usize) -> usize {
        let mut skipped = vec![false; last + 1 - first];
        for at in (first..=last).filter(|&at| self.predicated[at]) {
            if let Some(target) = self.target(self.instructions[at]).filter(|target| (at + 1..=last).contains(target)) {
                skipped[at + 1 - first..target - first].fill(true);
            }
        }
        skipped.into_iter().filter(|skipped| *skipped).count()
    }

    fn of_range(&self, (first, last): (usize, usize), is_innermost: bool) -> Loop {
        let body = &self.instructions[first..=last];
        let count = |name: &str| body.iter().filter(|instruction| is(instruction, name)).count();
        Loop {
            instructions: body.len(),
            skippable: self.skippable(first, last),
            is_innermost,
            shared_bytes: body.iter().filter(|i| is(i, "LDS")).map(|i| width(i)).sum(),
            shared_loads: count("LDS"),
            special: count("MUFU"),
            stack: count("LDL") + count("STL"),
        }
    }
}

/// Is it `name`, or a variant of it such as `name.X`?
fn is(instruction: &str, name: &str) -> bool {
    instruction.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ' ']))
}

/// Bytes that a load moves: `LDS.128` sixteen, `LDS.64` eight, `LDS` four.
fn width(instruction: &str) -> usize {
    let name = instruction.split_whitespace().next().unwrap_or_default();
    let bits = name.split('.').find_map(|part| match part {
        "128" => Some(128),
        "64" => Some(64),
        "U16" | "S16" => Some(16),
        "U8" | "S8" => Some(8),
        _ => None,
    });
    bits.unwrap_or(32) / 8
}

/// The label a jump goes to, with or without quotes and brackets around it.
fn label_of(instruction: &str) -> Option<&str> {
    let start = instruction.find(".L_")?;
    let end = instruction[start..].find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_')));
    Some(&instruction[start..end.map_or(instruction.len(), |end| start + end)])
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "
.section	.text.f,\"ax\",@progbits
.text.f:
        /*0000*/                   MOV R1, c[0x0][0x28] ;
.L_x_1:
        /*0010*/                   S2R R0, SR_TID.X ;
.L_x_0:
        /*0020*/                   LDS.128 R4, [R2] ;
        /*0030*/                   LDS R8, [R2+0x10] ;
        /*0040*/                   MUFU.EX2 R9, -R8 ;
        /*0044*/              @P4  BRA `(.L_x_3) ;
        /*0048*/                   MOV R7, R9 ;
.L_x_3:
        /*0050*/              @!P1 FFMA R3, R9, R4, R3 ;
        /*0060*/              @P0  BRA `(.L_x_0) ;
        /*0070*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*0080*/               @P2 BRA P3, `(.L_x_1) ;
        /*0090*/                   EXIT ;
.L_x_2:
        /*00a0*/                   BRA `(.L_x_2);
.text.g:
        /*0000*/                   EXIT ;
";

    #[test]
    fn loops_are_jumps_backwards() {
        let functions = functions(CODE);
        assert_eq!(functions.iter().map(|f| (f.name, f.instructions.len())).collect::<Vec<_>>(), [("f", 13), ("g", 1)]);
        let outer = Loop {
            instructions: 10,
            skippable: 1,
            is_innermost: false,
            shared_bytes: 20,
            shared_loads: 2,
            special: 1,
            stack: 0,
        };
        assert_eq!(functions[0].loops(), [outer, Loop { instructions: 7, is_innermost: true, ..outer }]);
        assert_eq!(functions[0].count("BAR"), 1);
    }
}
