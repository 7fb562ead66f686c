//! A position in a list of tokens, and how to cut such a list into parts.

use crate::ast::Place;
use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// A position in a list of tokens.
pub(super) struct Cursor<'a> {
    tokens: &'a [TokenTree],
    /// Where the list ends in the source: the closing bracket, as a rule.
    end: Span,
    /// Last token taken.
    last: Span,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(tokens: &'a [TokenTree], end: Span) -> Self {
        let last = tokens.first().map_or(end, TokenTree::span);
        Self { tokens, end, last }
    }

    pub(super) fn peek(&self) -> Option<&'a TokenTree> {
        self.tokens.first()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Span of the next token, or of what closes the list.
    pub(super) fn span(&self) -> Span {
        self.peek().map_or(self.end, TokenTree::span)
    }

    /// Span of the token taken last.
    pub(super) fn last_span(&self) -> Span {
        self.last
    }

    pub(super) fn next(&mut self) -> Option<&'a TokenTree> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        self.last = first.span();
        Some(first)
    }

    /// Takes everything that is left.
    pub(super) fn skip_rest(&mut self) -> &'a [TokenTree] {
        std::mem::take(&mut self.tokens)
    }

    pub(super) fn peek_punct(&self, c: char) -> Option<&'a Punct> {
        match self.peek()? {
            TokenTree::Punct(p) if p.as_char() == c => Some(p),
            _ => None,
        }
    }

    /// Are the next tokens these characters, written without a gap?
    pub(super) fn peek_operator(&self, symbol: &str) -> bool {
        let mut joined = true;
        for (k, c) in symbol.chars().enumerate() {
            match self.tokens.get(k) {
                Some(TokenTree::Punct(p)) if joined && p.as_char() == c => joined = p.spacing() == Spacing::Joint,
                _ => return false,
            }
        }
        true
    }

    /// Takes an operator of these characters.
    pub(super) fn take_operator(&mut self, symbol: &str) -> Option<Place> {
        if !self.peek_operator(symbol) {
            return None;
        }
        let start = self.span();
        for _ in symbol.chars() {
            self.next();
        }
        Some(Place { start, end: self.last })
    }

    /// Are the next tokens `**`? The gap between them does not matter: Rust has no such token, so a `macro_rules!` may pull
    /// its two halves apart.
    pub(super) fn peek_power(&self) -> bool {
        matches!(self.tokens, [TokenTree::Punct(a), TokenTree::Punct(b), ..] if a.as_char() == '*' && b.as_char() == '*')
    }

    /// Takes `**`.
    pub(super) fn take_power(&mut self) -> Option<Place> {
        if !self.peek_power() {
            return None;
        }
        let start = self.span();
        self.next();
        self.next();
        Some(Place { start, end: self.last })
    }

    pub(super) fn take_ident(&mut self) -> Option<&'a Ident> {
        match self.peek()? {
            TokenTree::Ident(ident) => {
                self.next();
                Some(ident)
            }
            _ => None,
        }
    }

    /// Takes `_`.
    pub(super) fn take_underscore(&mut self) -> bool {
        let found = matches!(self.peek(), Some(TokenTree::Ident(ident)) if ident == "_");
        if found {
            self.next();
        }
        found
    }

    pub(super) fn take_literal(&mut self) -> Option<&'a Literal> {
        match self.peek()? {
            TokenTree::Literal(literal) => {
                self.next();
                Some(literal)
            }
            _ => None,
        }
    }

    pub(super) fn peek_group(&self, delimiter: Delimiter) -> Option<&'a Group> {
        match self.peek()? {
            TokenTree::Group(group) if group.delimiter() == delimiter => Some(group),
            _ => None,
        }
    }

    pub(super) fn take_group(&mut self, delimiter: Delimiter) -> Option<&'a Group> {
        let group = self.peek_group(delimiter)?;
        self.next();
        Some(group)
    }
}

/// A part of a list, and the span of what ends it.
pub(super) struct Part {
    pub(super) tokens: Vec<TokenTree>,
    pub(super) end: Span,
}

/// Cuts a list at every `separator`; the last part ends at `end` and is left out if it is empty.
pub(super) fn split(tokens: TokenStream, separator: char, end: Span) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut current = Vec::new();
    for token in tokens {
        match &token {
            TokenTree::Punct(p) if p.as_char() == separator => {
                parts.push(Part { tokens: std::mem::take(&mut current), end: p.span() });
            }
            _ => current.push(token),
        }
    }
    if !current.is_empty() {
        parts.push(Part { tokens: current, end });
    }
    parts
}

/// A token as a message names it.
pub(super) fn describe(token: Option<&TokenTree>) -> String {
    match token {
        None => "the end".to_string(),
        Some(TokenTree::Group(g)) => match g.delimiter() {
            Delimiter::Parenthesis => "`(`",
            Delimiter::Brace => "`{`",
            Delimiter::Bracket => "`[`",
            Delimiter::None => "a macro fragment",
        }
        .to_string(),
        Some(token) => format!("`{token}`"),
    }
}
