//! Takes the PTX of many kernels apart, so that each formula has a file of its own.

use std::collections::{BTreeMap, BTreeSet};

/// A function or variable of a PTX file.
#[derive(Debug)]
struct Item<'a> {
    text: &'a str,
    name: &'a str,
    is_entry: bool,
}

/// A PTX file, in parts.
#[derive(Debug)]
pub(crate) struct Module<'a> {
    /// `.version`, `.target` and the like.
    header: &'a str,
    items: Vec<Item<'a>>,
}

impl<'a> Module<'a> {
    /// Reads what the compiler wrote; an error if it is not as expected.
    pub(crate) fn parse(text: &'a str) -> Result<Module<'a>, String> {
        let mut module = Module { header: "", items: Vec::new() };
        let mut rest = text;
        while let Some(start) = start_of_item(rest) {
            if module.items.is_empty() {
                module.header = &text[..text.len() - rest.len() + start];
            }
            let end = end_of_item(&rest[start..]).ok_or("a function or variable has no end")?;
            let text = &rest[start..start + end];
            let (name, is_entry) = name_of(text).ok_or_else(|| format!("no name in `{}`", first_line(text)))?;
            module.items.push(Item { text, name, is_entry });
            rest = &rest[start + end..];
        }
        Ok(module)
    }

    /// Constant arrays of bytes, with their names. Without a list of values all are zero.
    pub(crate) fn arrays(&self) -> impl Iterator<Item = (&'a str, Vec<u8>)> {
        self.items.iter().filter(|item| item.text.contains(".global")).map(|item| {
            let length = item.text.split_once('[').and_then(|(_, rest)| rest.split(']').next()?.trim().parse().ok());
            let list = item.text.split_once('{').map_or("", |(_, rest)| rest.split('}').next().unwrap_or_default());
            let mut bytes: Vec<u8> = list.split(',').filter_map(|byte| byte.trim().parse().ok()).collect();
            bytes.resize(length.unwrap_or(bytes.len()), 0);
            (item.name, bytes)
        })
    }

    /// The file with the entry points whose names begin with `prefix`, which is taken off, and all they refer to.
    pub(crate) fn extract(&self, prefix: &str) -> String {
        let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (k, item) in self.items.iter().enumerate() {
            by_name.entry(item.name).or_default().push(k);
        }
        let mut open: Vec<usize> = (0..self.items.len())
            .filter(|&k| self.items[k].is_entry && self.items[k].name.starts_with(prefix))
            .collect();
        let mut wanted: BTreeSet<usize> = open.iter().copied().collect();
        while let Some(k) = open.pop() {
            for name in words(self.items[k].text) {
                open.extend(by_name.get(name).into_iter().flatten().copied().filter(|&other| wanted.insert(other)));
            }
        }
        let mut text = format!("{}\n", without_comments(self.header).trim());
        for k in wanted {
            text.push('\n');
            text.push_str(&without_comments(self.items[k].text).replace(prefix, ""));
        }
        text
    }
}

/// How many barriers each entry point has. Functions that it calls are not counted: barriers are inlined.
pub(crate) fn barriers(ptx: &str) -> Result<Vec<(&str, usize)>, String> {
    let module = Module::parse(ptx)?;
    let count = |text: &str| {
        words_with_dots(text).filter(|word| word.starts_with("bar.") || word.starts_with("barrier.")).count()
    };
    Ok(module.items.iter().filter(|item| item.is_entry).map(|item| (item.name, count(item.text))).collect())
}

/// Functions that are declared but not there.
pub(crate) fn missing_functions(ptx: &str) -> Result<Vec<&str>, String> {
    let module = Module::parse(ptx)?;
    let declared = module.items.iter().filter(|item| item.text.starts_with(".extern .func"));
    Ok(declared.map(|item| item.name).collect())
}

/// Where the next function or variable begins.
fn start_of_item(text: &str) -> Option<usize> {
    const WORDS: [&str; 10] =
        [".visible", ".extern", ".weak", ".common", ".entry", ".func", ".global", ".const", ".shared", ".alias"];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if WORDS.iter().any(|word| trimmed.strip_prefix(word).is_some_and(|rest| rest.starts_with(char::is_whitespace)))
        {
            return Some(at + line.len() - trimmed.len());
        }
        at += line.len();
    }
    None
}

/// Length of the function or variable that begins here: to its `;` or, for a function with a body, to its last brace.
fn end_of_item(text: &str) -> Option<usize> {
    let is_function = words_with_dots(first_line(text)).any(|word| word == ".func" || word == ".entry");
    let mut depth = 0usize;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '/' if chars.peek().is_some_and(|&(_, next)| next == '/') => {
                chars.by_ref().find(|&(_, c)| c == '\n');
            }
            '{' | '(' => depth += 1,
            '}' | ')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 && c == '}' && is_function {
                    return Some(at + 1);
                }
            }
            ';' if depth == 0 => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The name that an item declares, and whether it is an entry point.
fn name_of(text: &str) -> Option<(&str, bool)> {
    let mut words = words_with_dots(text).peekable();
    let mut last = None;
    while let Some(word) = words.next() {
        match word {
            ".entry" => return words.next().map(|name| (name, true)),
            ".func" => return function_name(text).map(|name| (name, false)),
            _ => {}
        }
        // A variable: its name is the first word that is neither a directive nor a number.
        if !word.starts_with('.') && !word.starts_with(|c: char| c.is_ascii_digit()) {
            last = Some(word);
            break;
        }
    }
    last.map(|name| (name, false))
}

/// The name of a function comes after its results, which may stand in brackets.
fn function_name(text: &str) -> Option<&str> {
    let rest = text.split_once(".func")?.1.trim_start();
    let rest = match rest.strip_prefix('(') {
        Some(results) => results.split_once(')')?.1,
        None => rest,
    };
    words_with_dots(rest).find(|word| !word.starts_with('.'))
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Names in a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$'))).filter(|word| !word.is_empty())
}

/// The same, with dots as parts of names.
fn words_with_dots(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.'))).filter(|word| !word.is_empty())
}

/// Comments hold names of the build; without them equal kernels are equal files.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let code = line.split_once("//").map_or(line, |(code, _)| code).trim_end();
        if !code.is_empty() {
            out.push_str(code);
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "//
// Generated by LLVM NVPTX Back-End
//

.version 7.0
.target sm_80
.address_size 64

	// .globl	ka__keops_Sum_f32_reduce
.extern .func  (.param .b64 func_retval0) outside
(
	.param .b64 outside_param_0
)
;
.extern .shared .align 16 .b8 keops_shared[];
.global .align 4 .b8 table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
.global .align 4 .b8 other[4] = {1, 2, 3, 4};
.visible .func deep() // {
{
	ld.global.u32 %r1, [table];
	ret;
}
.func (.param .b32 func_retval0) helper(.param .b32 helper_param_0)
{
	call.uni deep, ();
	ret;
}

.visible .entry ka__keops_Sum_f32_reduce(
	.param .align 8 .b8 ka__keops_Sum_f32_reduce_param_0[768]
)
.maxntid 128, 1, 1
{
	mov.u32 %r2, keops_shared;
	bar.sync 0;
	{ // begin inline asm
	ld.param.u64 %rd1, [ka__keops_Sum_f32_reduce_param_0];
	}
	call.uni (retval0), helper, (param0);
	barrier.sync 0;
	ret;
}
.visible .entry kb__keops_Sum_f32_reduce()
{
	ld.global.u32 %r1, [other];
	ret;
}
";

    #[test]
    fn a_kernel_takes_along_what_it_refers_to() {
        let module = Module::parse(PTX).unwrap();
        let a = module.extract("ka__");
        assert!(a.starts_with(".version 7.0\n.target sm_80\n.address_size 64\n"), "{a}");
        for part in
            ["keops_shared[];", "table[8]", "deep()", "helper(", ".visible .entry keops_Sum_f32_reduce(", ".maxntid"]
        {
            assert!(a.contains(part), "{part}: {a}");
        }
        for part in ["outside", "other", "ka__", "kb__", "//"] {
            assert!(!a.contains(part), "{part}: {a}");
        }
        assert_eq!(a.matches('{').count(), a.matches('}').count());
        let b = module.extract("kb__");
        assert!(b.contains("other[4]") && !b.contains("table") && !b.contains("keops_shared"), "{b}");
    }

    #[test]
    fn barriers_are_counted_by_kernel() {
        assert_eq!(barriers(PTX).unwrap(), [("ka__keops_Sum_f32_reduce", 2), ("kb__keops_Sum_f32_reduce", 0)]);
    }

    #[test]
    fn functions_that_nobody_brings_are_found() {
        assert_eq!(missing_functions(PTX).unwrap(), ["outside"]);
        assert_eq!(missing_functions(&Module::parse(PTX).unwrap().extract("ka__")).unwrap(), [""; 0]);
    }

    #[test]
    fn what_is_cut_off_is_an_error() {
        assert!(Module::parse(&PTX[..PTX.len() - 4]).is_err());
    }
}
