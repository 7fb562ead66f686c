//! A formula as text, for documentation and messages.

use proc_macro2::{Delimiter, Spacing, TokenTree};

/// Writes tokens as a person would.
pub(super) fn of(tokens: &[TokenTree]) -> String {
    let mut out = String::new();
    write(tokens, &mut out);
    out
}

/// Operators of two characters.
const PAIRS: &[&str] = &["**", "<=", ">=", "==", "!="];

fn write(tokens: &[TokenTree], out: &mut String) {
    // After an operand an operator is infix and takes spaces; elsewhere it is a sign.
    let mut after_operand = false;
    let mut rest = tokens;
    while let [token, tail @ ..] = rest {
        rest = tail;
        match token {
            TokenTree::Punct(p) => {
                let mut operator = p.as_char().to_string();
                if let (Spacing::Joint, Some(TokenTree::Punct(second))) = (p.spacing(), tail.first()) {
                    let pair = format!("{operator}{}", second.as_char());
                    if PAIRS.contains(&pair.as_str()) {
                        operator = pair;
                        rest = &tail[1..];
                    }
                }
                match operator.as_str() {
                    "," => out.push_str(", "),
                    "." | "**" => out.push_str(&operator),
                    _ if after_operand => {
                        out.push(' ');
                        out.push_str(&operator);
                        out.push(' ');
                    }
                    _ => out.push_str(&operator),
                }
                after_operand = false;
            }
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::None => ("", ""),
                };
                out.push_str(open);
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                write(&inner, out);
                out.push_str(close);
                after_operand = true;
            }
            TokenTree::Ident(_) | TokenTree::Literal(_) => {
                out.push_str(&token.to_string());
                after_operand = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(source: &str) -> String {
        let tokens: Vec<TokenTree> = source.parse::<proc_macro2::TokenStream>().unwrap().into_iter().collect();
        of(&tokens)
    }

    #[test]
    fn reads_like_a_formula() {
        for text in [
            "Sum_Reduction(Exp(-gamma * SqDist(x_i, y_j)) * b_j, 0)",
            "(x_i - y_j).sqnorm2().exp().sum_reduction(0)",
            "TensorDot(x_i, y_j, [2, 3], [3, 2], [1], [0])",
            "a <= b",
            "-x - -y",
            "x**-2 * y",
        ] {
            assert_eq!(round_trip(text), text);
        }
    }
}
