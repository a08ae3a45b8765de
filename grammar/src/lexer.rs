//! Tokens and comments with their places. Structure is the grammar's business;
//! tokens serve error messages, recovery and the formatter.

use crate::Span;

/// The sort of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or keyword.
    Word,
    /// Starts with a digit; may be malformed.
    Number,
    /// Starts with `"`.
    Text,
    /// Starts with `"` and has no end on its line.
    OpenText,
    /// An operator or bracket, also some that the language lacks, such as `//`.
    Symbol,
    /// Any other character.
    Unknown,
}

/// A token of the source.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// Its sort.
    pub kind: TokenKind,
    /// Its bytes.
    pub span: Span,
}

/// All tokens and comments of a source, each in order.
#[derive(Debug, Default)]
pub struct Scan {
    /// The tokens.
    pub tokens: Vec<Token>,
    /// From `#` to before the line end and the blanks in front of it.
    pub comments: Vec<Span>,
}

/// Longest first. Those the language lacks are here to be named in errors.
const SYMBOLS: &[&str] = &[
    "<<<<<<<", ">>>>>>>", "=======", "===", "!==", "|>", "||", "&&", "==", "!=", "<=", ">=", "//",
    "/*", "**", "+=", "-=", "*=", "/=", "%=", "->", "=>", "<-", ">>", "<<", "++", "::",
];

/// Byte-order mark.
pub const MARK: char = '\u{FEFF}';

/// Splits `source` into tokens; accepts any text.
pub fn scan(source: &str) -> Scan {
    let mut scan = Scan::default();
    let mut at = if source.starts_with(MARK) {
        MARK.len_utf8()
    } else {
        0
    };
    while let Some(rest) = source.get(at..) {
        let Some(first) = rest.chars().next() else {
            break;
        };
        if matches!(first, ' ' | '\t' | '\n' | '\r') {
            at += 1;
            continue;
        }
        if first == '#' {
            let text = rest.split(['\n', '\r']).next().unwrap_or(rest);
            scan.comments
                .push(Span::new(at, at + text.trim_end_matches([' ', '\t']).len()));
            at += text.len();
            continue;
        }
        let (kind, length) = token(rest, first);
        scan.tokens.push(Token {
            kind,
            span: Span::new(at, at + length),
        });
        at += length;
    }
    scan
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn token(rest: &str, first: char) -> (TokenKind, usize) {
    if first.is_ascii_digit() {
        return (TokenKind::Number, number(rest));
    }
    if is_word(first) {
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        return (TokenKind::Word, length);
    }
    if first == '"' {
        return text(rest);
    }
    if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
        return (TokenKind::Symbol, symbol.len());
    }
    if "{}()[];,:.=+-*/%<>!".contains(first) {
        return (TokenKind::Symbol, 1);
    }
    (TokenKind::Unknown, first.len_utf8())
}

/// Digits, letters, `_`, points, and a sign after `e`.
fn number(rest: &str) -> usize {
    let mut previous = ' ';
    let hexadecimal = rest.starts_with("0x") || rest.starts_with("0X");
    for (offset, c) in rest.char_indices() {
        let signed = matches!(c, '+' | '-') && matches!(previous, 'e' | 'E') && !hexadecimal;
        if !is_word(c) && c != '.' && !signed {
            return offset;
        }
        previous = c;
    }
    rest.len()
}

fn text(rest: &str) -> (TokenKind, usize) {
    let mut escaped = false;
    for (offset, c) in rest.char_indices().skip(1) {
        match c {
            '\n' | '\r' => return (TokenKind::OpenText, offset),
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return (TokenKind::Text, offset + 1),
            _ => {}
        }
    }
    (TokenKind::OpenText, rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        scan(source)
            .tokens
            .iter()
            .map(|token| token.span.text(source))
            .collect()
    }

    #[test]
    fn longest_symbol_wins() {
        assert_eq!(
            texts("a|>b||c===1//2"),
            ["a", "|>", "b", "||", "c", "===", "1", "//", "2"]
        );
    }

    #[test]
    fn numbers_keep_their_sign() {
        assert_eq!(texts("1e-5-3 2.5 1_0"), ["1e-5", "-", "3", "2.5", "1_0"]);
        assert_eq!(texts("0x1e-5"), ["0x1e", "-", "5"]);
    }

    #[test]
    fn comments_end_before_any_line_end() {
        let source = "\u{FEFF}a # one \t\r\n# two\r# three";
        let comments: Vec<_> = scan(source)
            .comments
            .iter()
            .map(|span| span.text(source))
            .collect();
        assert_eq!(comments, ["# one", "# two", "# three"]);
    }

    #[test]
    fn an_open_string_ends_with_its_line() {
        let scan = scan("\"a\\\" b\nlet");
        assert_eq!(scan.tokens[0].kind, TokenKind::OpenText);
        assert_eq!(scan.tokens[0].span, Span::new(0, 6));
        assert_eq!(scan.tokens.len(), 2);
    }
}
