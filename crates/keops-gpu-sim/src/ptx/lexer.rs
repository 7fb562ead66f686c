//! PTX text into tokens: words (names, opcodes with their dots, literals) and single punctuation characters.

/// A piece of PTX text with the line it stands on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a str,
    pub(crate) line: u32,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%' | b'.')
}

/// All tokens of `text`, without comments.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut line = 1;
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let first = bytes[at];
        at += 1;
        if first == b'\n' {
            line += 1;
        } else if first.is_ascii_whitespace() {
        } else if bytes[start..].starts_with(b"//") {
            while at < bytes.len() && bytes[at] != b'\n' {
                at += 1;
            }
        } else if bytes[start..].starts_with(b"/*") {
            let end = text[start..].find("*/").map_or(bytes.len(), |e| start + e + 2);
            line += text[start..end].matches('\n').count() as u32;
            at = end;
        } else {
            if first == b'"' {
                while at < bytes.len() && bytes[at] != b'"' {
                    at += 1;
                }
                at = (at + 1).min(bytes.len());
            } else if is_word(first) {
                // `shared::cta` is one word, a label's single colon is not part of it.
                while at < bytes.len() && (is_word(bytes[at]) || bytes[at..].starts_with(b"::")) {
                    at += if bytes[at] == b':' { 2 } else { 1 };
                }
            } else {
                // A character of a foreign script is one token, so that slices stay on character boundaries.
                while !text.is_char_boundary(at) {
                    at += 1;
                }
            }
            found.push(Token { text: &text[start..at], line });
        }
    }
    found
}
