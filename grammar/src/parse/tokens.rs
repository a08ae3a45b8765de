//! What can be said of tokens before the grammar looks at them.

use super::recover::Masked;
use crate::Span;
use crate::diagnostics::{Code, Diagnostic, syntax};
use crate::lexer::{Token, TokenKind};

/// Brackets inside one another.
const DEEPEST: usize = 64;

/// The first fault of the bracket structure, if any.
pub fn structure(source: &str, tokens: &[Token]) -> Vec<Diagnostic> {
    let mut open: Vec<(&str, Span)> = Vec::new();
    for token in tokens {
        let text = token.span.text(source);
        match text {
            "(" | "[" | "{" => {
                open.push((text, token.span));
                if open.len() > DEEPEST {
                    return vec![too_deep(token.span)];
                }
            }
            ")" | "]" | "}" => match open.pop() {
                Some((opener, _)) if closer(opener) == text => {}
                Some((opener, span)) => return vec![mismatch(opener, span, text, token.span)],
                None => {
                    return vec![Diagnostic::new(
                        syntax::UNBALANCED,
                        format!("`{text}` closes nothing"),
                        token.span,
                        "no bracket is open here",
                    )];
                }
            },
            // These words only ever start a top-level item.
            "net" | "block" | "train" | "import" if token.kind == TokenKind::Word => {
                if let Some((opener, span)) = open.last() {
                    return vec![never_closed(opener, *span).with_place(
                        token.span,
                        format!("`{text}` starts here, inside the `{opener}`"),
                    )];
                }
            }
            _ => {}
        }
    }
    let end = tokens.last().map_or(0, |token| token.span.end);
    open.last()
        .map(|(opener, span)| {
            never_closed(opener, *span).with_place(Span::new(end, end), "the file ends here")
        })
        .into_iter()
        .collect()
}

fn closer(opener: &str) -> &'static str {
    match opener {
        "(" => ")",
        "[" => "]",
        _ => "}",
    }
}

fn never_closed(opener: &str, span: Span) -> Diagnostic {
    Diagnostic::new(
        syntax::UNBALANCED,
        format!("`{opener}` is never closed"),
        span,
        format!("has no `{}`", closer(opener)),
    )
}

fn mismatch(opener: &str, opened: Span, text: &str, span: Span) -> Diagnostic {
    Diagnostic::new(
        syntax::UNBALANCED,
        format!("`{opener}` is closed by `{text}`"),
        span,
        format!("expected `{}`", closer(opener)),
    )
    .with_place(opened, format!("this `{opener}` is open"))
}

pub(super) fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::new(
        syntax::TOO_DEEP,
        "this is nested too deeply",
        span,
        "too many brackets or operators inside one another",
    )
    .with_hint("give the inner part a name with `let`")
}

/// Every token that is misspelt in itself; its statement is masked.
pub fn spelling(source: &str, tokens: &[Token], masked: &mut Masked) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for token in tokens {
        if masked.hides(token.span) {
            continue;
        }
        let text = token.span.text(source);
        let error = match token.kind {
            TokenKind::Number => number(text),
            TokenKind::OpenText => Some((
                syntax::OPEN_STRING,
                "this string has no end".to_string(),
                "put `\"` at its end".to_string(),
            )),
            TokenKind::Unknown => Some(unknown(text)),
            TokenKind::Symbol => symbol(text),
            TokenKind::Word | TokenKind::Text => None,
        };
        if let Some((code, message, hint)) = error {
            errors.push(Diagnostic::new(code, message, token.span, "").with_hint(hint));
            if matches!(text, "//" | "/*") {
                masked.hide_line(token.span.start);
            } else {
                masked.hide_statement(token.span.start);
            }
        }
    }
    errors
}

type Fault = (Code, String, String);

fn number(text: &str) -> Option<Fault> {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if digits(text) {
        return text.parse::<i64>().is_err().then(|| {
            (
                syntax::BAD_NUMBER,
                format!("the integer {text} is too large"),
                format!("the largest is {}", i64::MAX),
            )
        });
    }
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (
            mantissa,
            Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)),
        ),
        None => (text, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let well_formed = digits(whole) && fraction.is_none_or(digits) && exponent.is_none_or(digits);
    if !well_formed {
        let hint = if fraction == Some("") && exponent.is_none() && digits(whole) {
            format!("write `{whole}` for an integer, `{whole}.0` for a float")
        } else if text.contains('_') {
            "write the digits without `_`".to_string()
        } else if text.starts_with("0x") || text.starts_with("0X") || text.starts_with("0b") {
            "write it in decimal digits".to_string()
        } else {
            "a number is like `32`, `0.1` or `1e-5`; a name starts with a letter".to_string()
        };
        return Some((
            syntax::BAD_NUMBER,
            format!("`{text}` is not a number"),
            hint,
        ));
    }
    // Rust reads what is well-formed here; only its size is open.
    let finite = text.parse::<f64>().is_ok_and(f64::is_finite);
    (!finite).then(|| {
        (
            syntax::BAD_NUMBER,
            format!("the float {text} is too large"),
            format!("the largest is about {:e}", f64::MAX),
        )
    })
}

fn unknown(text: &str) -> Fault {
    let (name, hint) = match text {
        "'" | "`" | "\u{2018}" | "\u{2019}" | "\u{201C}" | "\u{201D}" => {
            (None, "strings stand in `\"`")
        }
        "\u{2212}" | "\u{2013}" | "\u{2014}" => (Some("a dash"), "write `-`"),
        "\u{D7}" | "\u{B7}" => (Some("a multiplication sign"), "write `*`"),
        "\u{A0}" | "\u{2009}" | "\u{3000}" | "\u{200B}" => {
            (Some("an unusual blank"), "write an ordinary blank")
        }
        "\u{FEFF}" => (
            Some("a byte-order mark"),
            "it may only stand at the start of a file",
        ),
        "|" => (None, "write `|>` to feed a tensor to an op, `||` for `or`"),
        "&" => (None, "write `&&`"),
        "^" => (None, "there is no power or exclusive or; multiply out"),
        "@" => (None, "a matrix product is the op `dense`"),
        "?" => (None, "write `if condition { a } else { b }`"),
        "\\" => (None, "a statement may go over several lines as it is"),
        "$" | "~" => (None, "names are of letters, digits and `_`"),
        _ => (None, "names are of ASCII letters, digits and `_`"),
    };
    let code = text.chars().next().map_or(0, u32::from);
    let message = match name {
        Some(name) => format!("{name} (U+{code:04X}) stands here"),
        None if text.is_ascii() && code >= 0x20 => {
            format!("`{text}` has no meaning in a `.net` file")
        }
        None => format!("the character U+{code:04X} has no meaning in a `.net` file"),
    };
    (syntax::UNKNOWN_SYMBOL, message, hint.to_string())
}

fn symbol(text: &str) -> Option<Fault> {
    let hint = match text {
        "//" => "comments start with `#`; integer division is `/`",
        "/*" => "comments start with `#` and end with their line",
        "===" => "write `==`",
        "!==" => "write `!=`",
        "**" => "there is no power; multiply out",
        "+=" | "-=" | "*=" | "/=" | "%=" | "++" => {
            "a name keeps its value; use `let` with a new name"
        }
        "->" => "feed an op with `|>`",
        "=>" => "write `=` to set a value, `>=` to compare",
        "<-" => "write `=` to set a value; put a blank between `<` and `-` to compare",
        ">>" | "<<" => "feed an op with `|>`",
        "::" => "there are no modules; `import \"file.net\";` brings blocks in",
        "<<<<<<<" | ">>>>>>>" | "=======" => "this is the mark of a merge conflict; resolve it",
        _ => return None,
    };
    let message = format!("`{text}` has no meaning in a `.net` file");
    Some((syntax::UNKNOWN_SYMBOL, message, hint.to_string()))
}
