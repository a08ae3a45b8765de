//! Formatting keeps the AST and the comments, and formatting twice changes nothing.

use cnnc_grammar::{ast, diagnostics, format, parse};
use proptest::prelude::*;

fn show(errors: &[cnnc_grammar::Diagnostic], source: &str) -> String {
    diagnostics::render(errors, "random.net", source, false)
}

fn comments(file: &ast::File) -> Vec<&str> {
    file.comments.iter().map(|c| c.text.as_str()).collect()
}

fn check(source: &str) {
    let before = parse(source).unwrap_or_else(|errors| panic!("{}", show(&errors, source)));
    let formatted = format(source).expect("parses");
    let after = parse(&formatted).unwrap_or_else(|errors| panic!("{}", show(&errors, &formatted)));
    assert_eq!(
        ast::dump(&before),
        ast::dump(&after),
        "{source}\n-->\n{formatted}"
    );
    assert_eq!(
        comments(&before),
        comments(&after),
        "{source}\n-->\n{formatted}"
    );
    assert_eq!(format(&formatted).expect("parses"), formatted, "{source}");
    for line in formatted.lines() {
        assert_eq!(line.trim_end(), line, "{formatted}");
    }
}

/// What may stand between two tokens.
fn gap() -> impl Strategy<Value = String> {
    prop_oneof![
        12 => Just(" ".to_string()),
        2 => Just("\n".to_string()),
        1 => Just("\r\n\t".to_string()),
        1 => Just("\r".to_string()),
        1 => Just("\n\n\n".to_string()),
        1 => Just("  # note \n".to_string()),
        1 => Just("\n# own line\n\n".to_string()),
        1 => Just(" # one\r\n# two\r".to_string()),
    ]
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("x".to_string()),
        Just("relu".to_string()),
        Just("networks".to_string()),
        Just("_a1".to_string()),
        Just("iff".to_string()),
    ]
}

/// A name with points, in one piece.
fn path() -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 2..4).prop_map(|words| words.join("."))
}

fn literal() -> impl Strategy<Value = String> {
    prop_oneof![
        (0..=i64::MAX).prop_map(|value| value.to_string()),
        (0.0..1e300_f64).prop_map(|value| format!("{value:?}")),
        Just("1e-5".to_string()),
        Just("true".to_string()),
        Just(r#""a \" # \\ b""#.to_string()),
    ]
}

/// Joins tokens by a marker that later becomes random gaps.
fn join<S: AsRef<str>>(parts: &[S]) -> String {
    parts
        .iter()
        .map(AsRef::as_ref)
        .collect::<Vec<_>>()
        .join("\u{1}")
}

fn list(open: &str, items: Vec<String>, trailing: bool, close: &str) -> String {
    let comma = if trailing && !items.is_empty() {
        "\u{1},"
    } else {
        ""
    };
    let items = items.join("\u{1},\u{1}");
    join(&[open, &format!("{items}{comma}"), close])
}

fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![word(), literal()];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let items = prop::collection::vec(inner.clone(), 1..4);
        let stage = prop_oneof![
            word(),
            path(),
            (word(), items.clone(), any::<bool>())
                .prop_map(|(name, items, comma)| join(&[name, list("(", items, comma, ")")])),
            (operand(inner.clone()), inner.clone())
                .prop_map(|(count, body)| join(&["repeat", &count, "{", &body, "}"])),
        ];
        prop_oneof![
            (inner.clone(), prop::collection::vec(stage, 1..4)).prop_map(|(first, stages)| {
                join(&[
                    format!("(\u{1}{first}\u{1})"),
                    format!("|>\u{1}{}", stages.join("\u{1}|>\u{1}")),
                ])
            }),
            (word(), inner.clone(), any::<bool>()).prop_map(|(name, value, comma)| join(&[
                "conv".to_string(),
                list("(", vec![join(&[name, "=".into(), value])], comma, ")")
            ])),
            (items.clone(), any::<bool>()).prop_map(|(items, comma)| list("(", items, comma, ")")),
            (items, any::<bool>()).prop_map(|(items, comma)| list("[", items, comma, "]")),
            (
                operand(inner.clone()),
                operand(inner.clone()),
                select(&["+", "-", "*", "/", "%", "==", "<", "||"])
            )
                .prop_map(|(a, b, op)| join(&[&a, op, &b])),
            (operand(inner.clone()), select(&["-", "!"])).prop_map(|(a, op)| join(&[op, &a])),
            word().prop_map(|name| join(&[&name, ".", "channels"])),
            path(),
            (
                operand(inner.clone()),
                inner.clone(),
                inner.clone(),
                statement(inner.clone().boxed())
            )
                .prop_map(|(c, a, b, s)| join(&[
                    "if", &c, "{", &a, "}", "else", "if", &c, "{", &s, &b, "}", "else", "{", &a,
                    "}"
                ])),
        ]
    })
}

fn operand(inner: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    inner.prop_map(|text| join(&["(", &text, ")"]))
}

fn select(symbols: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop::sample::select(symbols)
}

fn statement(value: BoxedStrategy<String>) -> impl Strategy<Value = String> {
    prop_oneof![
        (word(), value.clone()).prop_map(|(name, value)| join(&["let", &name, "=", &value, ";"])),
        (path(), value.clone()).prop_map(|(name, value)| join(&["let", &name, "=", &value, ";"])),
        (path(), value.clone()).prop_map(|(name, value)| join(&[
            "param",
            &name,
            ":",
            "f32",
            "[",
            &value,
            "]",
            "=",
            "normal(0.1)",
            ";"
        ])),
        word().prop_map(|name| join(&["input", &name, ";"])),
        (word(), value.clone()).prop_map(|(name, value)| join(&[
            "param", &name, ":", "f32", "[", &value, "]", "=", "ones", ";"
        ])),
    ]
}

fn item() -> impl Strategy<Value = String> {
    let body = (
        prop::collection::vec(statement(expression().boxed()), 0..4),
        expression(),
    );
    prop_oneof![
        (word(), body, any::<bool>()).prop_map(|(name, (statements, result), has_hypers)| {
            let hypers = if has_hypers {
                "(\u{1}c\u{1},\u{1}s\u{1}=\u{1}1\u{1})"
            } else {
                ""
            };
            let mut parts = vec!["net".to_string(), name, hypers.to_string(), "{".to_string()];
            parts.extend(statements);
            parts.extend([result, "}".to_string()]);
            join(&parts)
        }),
        prop::collection::vec((word(), expression()), 0..4).prop_map(|settings| {
            let mut parts = vec!["train".to_string(), "{".to_string()];
            for (name, value) in settings {
                parts.push(join(&[&name, "=", &value, ";"]));
            }
            parts.push("}".to_string());
            join(&parts)
        }),
        Just(join(&["import", "\"b.net\"", ";"])),
        Just(join(&["block", "empty", "{", "}"])),
    ]
}

fn source() -> impl Strategy<Value = String> {
    let items = prop::collection::vec(item(), 0..4).prop_map(|items| items.join("\u{1}"));
    (items, prop::collection::vec(gap(), 400), any::<bool>()).prop_map(|(text, gaps, mark)| {
        let mut gaps = gaps.iter().cycle();
        let mut out = String::from(if mark { "\u{FEFF}" } else { "" });
        for (index, part) in text.split('\u{1}').enumerate() {
            if index > 0 {
                out.push_str(gaps.next().map_or(" ", String::as_str));
            }
            out.push_str(part);
        }
        out
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn parse_format_parse_is_the_identity(source in source()) {
        check(&source);
    }

    #[test]
    fn any_text_is_parsed_or_refused_with_a_message(text in "[a-z(){}\\[\\];,=|>#\"\n .0-9+\u{e9}]{0,200}") {
        if let Err(errors) = parse(&text) {
            prop_assert!(!errors.is_empty());
            prop_assert!(show(&errors, &text).contains("error[E01"));
        }
    }

    #[test]
    fn tokens_in_any_order_are_parsed_or_refused(
        words in prop::collection::vec(prop::sample::select(vec![
            "net", "let", "train", "if", "else", "repeat", "x", "=", "3", "{", "}", "(", ")", ";",
            "|>", "+", "relu", ",", "input", ":", "\"a\"", "//", "\n",
        ]), 0..60)
    ) {
        let text = words.join(" ");
        if let Err(errors) = parse(&text) {
            prop_assert!(!errors.is_empty());
            for error in &errors {
                let span = error.span().expect("syntax errors have a place");
                prop_assert!(span.start <= span.end && span.end <= text.len());
            }
        }
    }
}
