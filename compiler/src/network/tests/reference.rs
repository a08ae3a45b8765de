//! `docs/language.md` tells the truth: its tables are those of the compiler, and
//! its examples compile.

use super::with_files;
use crate::network::choice::{Choice, INITIALIZERS};
use crate::network::ops::OPS;
use crate::network::setting_text::setting_text;
use crate::network::signature::{Default, OptionSpec, Signature};
use crate::network::{Options, print, train};
use cnnc_grammar::diagnostics::render_in;

const REFERENCE: &str = include_str!("../../../../docs/language.md");

/// The first two columns of a row: what is written without a name in parentheses,
/// then the other options; each with its default.
fn row(signature: &Signature) -> String {
    let text = |option: &OptionSpec| match option.default {
        None => option.name.to_string(),
        Some(Default::Value(setting)) => format!("{}={}", option.name, setting_text(setting)),
        Some(Default::As(other)) => format!("{}={other}", option.name),
    };
    let (unnamed, named): (Vec<&OptionSpec>, Vec<&OptionSpec>) = signature
        .options
        .iter()
        .partition(|option| option.positional);
    let call = match unnamed.as_slice() {
        [] => signature.name.to_string(),
        options => {
            let options: Vec<String> = options.iter().map(|option| text(option)).collect();
            format!("{}({})", signature.name, options.join(", "))
        }
    };
    let named: Vec<String> = named
        .iter()
        .map(|option| format!("`{}`", text(option)))
        .collect();
    match named.as_slice() {
        [] => format!("| `{call}` | |"),
        options => format!("| `{call}` | {} |", options.join(", ")),
    }
}

/// The rows of the table below `heading`, up to their second column.
fn rows(heading: &str) -> Vec<String> {
    let section = REFERENCE
        .split_once(&format!("\n{heading}\n"))
        .unwrap_or_else(|| panic!("no `{heading}`"))
        .1;
    let table = section
        .lines()
        .skip_while(|line| !line.starts_with("| `"))
        .take_while(|line| line.starts_with('|'));
    table
        .map(|line| {
            let ends: Vec<usize> = line.match_indices(" |").map(|(at, _)| at).collect();
            line.get(..ends[1] + 2).unwrap_or(line).to_string()
        })
        .collect()
}

fn check<'s>(heading: &str, signatures: impl Iterator<Item = &'s Signature>) {
    let expected: Vec<String> = signatures.map(row).collect();
    let found = rows(heading);
    assert_eq!(found, expected, "{heading}\n{}", expected.join("\n"));
}

fn signatures<T>(table: &'static [Choice<T>]) -> impl Iterator<Item = &'static Signature> {
    table.iter().map(|choice| &choice.signature)
}

#[test]
fn the_table_of_ops_is_complete() {
    check("## Ops", OPS.iter().map(|op| &op.signature));
}

#[test]
fn the_table_of_initialisers_is_complete() {
    check("### Initialisers", signatures(INITIALIZERS));
}

#[test]
fn the_tables_of_the_train_section_are_complete() {
    check("### Losses", signatures(train::loss::LOSSES));
    check("### Optimizers", signatures(train::optimizer::OPTIMIZERS));
    check("### Schedules", signatures(train::schedule::SCHEDULES));
    check(
        "### Augmentations",
        signatures(train::augment::AUGMENTATIONS),
    );
    let settings: Vec<String> = rows("### Settings")
        .iter()
        .filter_map(|row| row.split('`').nth(1).map(str::to_string))
        .collect();
    assert_eq!(settings, train::settings::SETTINGS);
}

/// The examples: text, and the name that its first line gives.
fn examples() -> Vec<(Option<&'static str>, &'static str)> {
    let mut examples = Vec::new();
    for part in REFERENCE.split("\n```net\n").skip(1) {
        let text = part.split("\n```").next().expect("an end");
        let name = text.lines().next().and_then(|line| line.strip_prefix("# "));
        examples.push((name.filter(|name| name.ends_with(".net")), text));
    }
    examples
}

#[test]
fn every_example_compiles() {
    let examples = examples();
    assert!(examples.len() >= 10);
    let files: Vec<(&str, &str)> = examples
        .iter()
        .filter_map(|(name, text)| name.map(|name| (name, *text)))
        .collect();
    for (_, text) in &examples {
        match with_files(text, &files, &Options::default()) {
            Ok(network) => {
                let printed = print(&network);
                super::good(&printed);
            }
            Err(errors) => {
                // A file of blocks has no net, and no other error.
                let codes: Vec<&str> = errors.diagnostics.iter().map(|e| e.code.name).collect();
                let message = render_in(&errors.diagnostics, &errors.sources, false);
                assert_eq!(codes, ["E0201"], "{text}\n{message}");
                assert!(!text.contains("\nnet "), "{text}");
            }
        }
        let formatted = cnnc_grammar::format(text).expect("parses");
        assert_eq!(formatted.trim_end(), *text, "{formatted}");
    }
}
