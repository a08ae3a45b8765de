//! pest's errors in words.

use super::{KEYWORDS, Rule};
use crate::Span;
use crate::diagnostics::{Diagnostic, nearest, syntax};
use crate::lexer::Token;
use pest::error::{Error, ErrorVariant};

/// The diagnostic of `error`, which pest found at `offset`.
pub fn diagnostic(
    source: &str,
    tokens: &[Token],
    rule: Rule,
    error: &Error<Rule>,
    offset: usize,
) -> Diagnostic {
    let index = tokens.partition_point(|token| token.span.end <= offset);
    let found = tokens.get(index).map(|token| token.span);
    let before = index
        .checked_sub(1)
        .and_then(|previous| tokens.get(previous))
        .map(|token| token.span);
    let found_text = found.map_or("", |span| span.text(source));
    let before_text = before.map_or("", |span| span.text(source));
    let wanted = match before_text {
        "|>" => vec!["an op", "`if`", "`repeat`"],
        _ => wanted(rule, error),
    };
    let missing_semicolon = wanted.contains(&"`;`")
        && (found_text == "}" || KEYWORDS.contains(&found_text) || starts_line(source, found));
    if let (true, Some(before)) = (missing_semicolon, before) {
        return Diagnostic::new(
            syntax::UNEXPECTED,
            format!("`;` is missing after `{before_text}`"),
            Span::new(before.end, before.end),
            "expected `;` here",
        )
        .with_hint("`;` ends `let`, `input`, `param`, `import` and settings");
    }
    let what = match (found, rule) {
        (Some(_), _) => format!("`{found_text}`"),
        (None, Rule::lone_expression) => "end".to_string(),
        (None, _) => "end of the file".to_string(),
    };
    let place = found.unwrap_or_else(|| {
        let end = before.map_or(0, |span| span.end);
        Span::new(end, end)
    });
    let remark = match wanted.as_slice() {
        [] => "not expected here".to_string(),
        list => format!("expected {}", one_of(list)),
    };
    let mut diagnostic = Diagnostic::new(
        syntax::UNEXPECTED,
        format!("unexpected {what}"),
        place,
        remark,
    );
    if let Some(hint) = hint(before_text, found_text, &wanted) {
        diagnostic = diagnostic.with_hint(hint);
    }
    diagnostic
}

fn starts_line(source: &str, found: Option<Span>) -> bool {
    let Some(found) = found else {
        return true;
    };
    let before = source.get(..found.start).unwrap_or("");
    let word = found.text(source);
    // An operator at the start of a line goes on with the line before.
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && before.trim_end_matches([' ', '\t']).ends_with(['\n', '\r'])
}

/// What the grammar allows there, in words, each once.
fn wanted(rule: Rule, error: &Error<Rule>) -> Vec<&'static str> {
    let ErrorVariant::ParsingError { positives, .. } = &error.variant else {
        return Vec::new();
    };
    let mut words: Vec<&'static str> = Vec::new();
    for positive in positives {
        let word = describe(*positive);
        // Where an operator may follow, pest lists each; one word is enough.
        if !word.is_empty() && !words.contains(&word) {
            words.push(word);
        }
    }
    if words.is_empty() {
        // pest names the whole where its very first token is wrong.
        words = match rule {
            Rule::lone_expression => vec!["an expression"],
            _ => vec!["`net`", "`block`", "`train`", "`import`"],
        };
    }
    words.sort_by_key(|word| *word == "an operator");
    words
}

fn one_of(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).to_string(),
        [init @ .., last] => format!("{} or {last}", init.join(", ")),
    }
}

fn describe(rule: Rule) -> &'static str {
    match rule {
        Rule::semicolon => "`;`",
        Rule::comma => "`,`",
        Rule::colon => "`:`",
        Rule::assign => "`=`",
        Rule::open_brace | Rule::body => "`{`",
        Rule::close_brace => "`}`",
        Rule::open_paren | Rule::hypers => "`(`",
        Rule::close_paren => "`)`",
        Rule::open_bracket => "`[`",
        Rule::close_bracket => "`]`",
        Rule::pipe => "`|>`",
        Rule::name | Rule::path | Rule::setting => "a name",
        Rule::hyper => "a hyper-parameter",
        Rule::tensor_type => "a type such as `f32[N, 1, 28, 28]`",
        Rule::string => "a file name in `\"`",
        Rule::import | Rule::kw_import => "`import`",
        Rule::block | Rule::kw_block => "`block`",
        Rule::net | Rule::kw_net => "`net`",
        Rule::train | Rule::kw_train => "`train`",
        Rule::kw_else => "`else`",
        Rule::input | Rule::kw_input => "`input`",
        Rule::let_in | Rule::kw_let => "`let`",
        Rule::param | Rule::kw_param => "`param`",
        Rule::argument => "an argument",
        Rule::repeat | Rule::call | Rule::variable | Rule::member => "an op",
        Rule::expression
        | Rule::operation
        | Rule::postfix
        | Rule::integer
        | Rule::float
        | Rule::boolean
        | Rule::if_else
        | Rule::kw_if
        | Rule::parens
        | Rule::list
        | Rule::negate
        | Rule::not => "an expression",
        Rule::or
        | Rule::and
        | Rule::equal
        | Rule::not_equal
        | Rule::at_most
        | Rule::at_least
        | Rule::less
        | Rule::greater
        | Rule::add
        | Rule::subtract
        | Rule::multiply
        | Rule::divide
        | Rule::remainder => "an operator",
        _ => "",
    }
}

/// What people who come from elsewhere are likely to have meant.
fn hint(before: &str, found: &str, wanted: &[&str]) -> Option<String> {
    let fixed = match (before, found) {
        (_, ";") if wanted.contains(&"`}`") => {
            "the value of a body comes last and has no `;`; name other values with `let`"
        }
        (_, ":") => "an argument or setting is `name=value`",
        (_, "and") => "write `&&`",
        (_, "or") => "write `||`",
        ("not", _) => "write `!`",
        (_, "elif") | ("elif", _) => "write `else if`",
        (_, "for" | "while") | ("for" | "while", _) => "write `repeat n { ... }`",
        ("return", _) | (_, "return") => "the last expression of a body is its value",
        ("def" | "fn" | "class" | "function" | "module", _)
        | (_, "def" | "fn" | "class" | "function" | "module") => {
            "write `net name { ... }` or `block name(...) { ... }`"
        }
        ("model" | "network", _) | (_, "model" | "network") => "write `net name { ... }`",
        ("var" | "const" | "val", _) => "write `let name = value;`",
        (_, ".") => "write the digit before the point, such as `0.5`",
        (_, "+" | "-" | "*" | "/" | "%" | "==" | "<" | ">") if wanted.contains(&"`|>`") => {
            "`|>` binds loosest: put the chain in parentheses, as in `(x |> relu) + y`"
        }
        (_, "=") if !wanted.contains(&"`=`") => "a new name starts with `let`",
        (_, word) if KEYWORDS.contains(&word) && wanted.contains(&"a name") => {
            return Some(format!("`{word}` is a keyword and cannot be a name"));
        }
        _ => {
            return [found, before]
                .into_iter()
                .filter(|word| !KEYWORDS.contains(word))
                .find_map(|word| {
                    nearest(word, KEYWORDS.iter().copied())
                        .filter(|near| wanted.iter().any(|w| w.trim_matches('`') == *near))
                })
                .map(|near| format!("did you mean `{near}`?"));
        }
    };
    Some(fixed.to_string())
}
