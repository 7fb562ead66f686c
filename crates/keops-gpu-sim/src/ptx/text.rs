//! PTX text cut into pieces, and lists cut at their commas.

/// A statement without its semicolon, a brace of a scope, or a label with its colon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'a> {
    pub(crate) text: &'a str,
    pub(crate) line: u32,
}

/// Directives that end with their line.
const LINES: [&str; 5] = [".version", ".target", ".address_size", ".file", ".loc"];

/// The text without comments, and with a semicolon after every directive that lacks one.
pub(crate) fn clean(text: &str) -> String {
    let line = |line: &str| {
        let code = line.split("//").next().unwrap_or(line).trim_end();
        let directive = LINES.iter().any(|d| code.trim_start().starts_with(d));
        format!("{code}{}\n", if directive { ";" } else { "" })
    };
    text.lines().map(line).collect()
}

/// The pieces of a text that has been cleaned.
pub(crate) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let (mut found, mut start, mut line, mut depth) = (Vec::new(), 0, 1, 0);
    let mut piece = |end: usize, next: usize| {
        let raw = &text[start..end];
        let first = line + raw[..raw.len() - raw.trim_start().len()].matches('\n').count() as u32;
        found.extend(Some(Piece { text: raw.trim(), line: first }).filter(|p| !p.text.is_empty()));
        line += raw.matches('\n').count() as u32;
        start = next;
        next
    };
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate().filter(|(_, byte)| b"{};:".contains(byte)) {
        let before = text[from..at].trim();
        match byte {
            // Other braces belong to vectors and initialisers.
            b'{' if depth == 0 && (before.is_empty() || before.contains(".entry ") || before.contains(".func ")) => {
                piece(at, at);
                from = piece(at + 1, at + 1);
            }
            b'{' => depth += 1,
            b'}' if depth > 0 => depth -= 1,
            b'}' => {
                piece(at, at);
                from = piece(at + 1, at + 1);
            }
            b';' => {
                from = piece(at, at + 1);
                depth = 0;
            }
            // `shared::cta` is no label.
            _ if !before.contains([' ', '\t', '{', '.']) => from = piece(at + 1, at + 1),
            _ => {}
        }
    }
    piece(text.len(), text.len());
    found
}

/// The parts of a list between commas outside of brackets.
pub(crate) fn split(list: &str) -> Vec<&str> {
    let mut depth = 0;
    let comma = |c: char| {
        match c {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth -= 1,
            _ => {}
        }
        depth == 0 && c == ','
    };
    list.split(comma).map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// The elements of `{a, b}`, or the operand itself as the only element.
pub(crate) fn elements(operand: &str) -> Vec<&str> {
    match operand.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        Some(inner) => split(inner),
        None => vec![operand],
    }
}
