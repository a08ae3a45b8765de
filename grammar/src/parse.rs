//! From text to AST, through the pest grammar.

mod build;
mod build_expr;
mod expected;
mod recover;
mod tokens;

use crate::ast::{Expr, File};
use crate::diagnostics::Diagnostic;
use crate::lexer::{Scan, TokenKind, scan};
use build::Builder;
use pest::Parser;
use pest::error::Error;
use pest::iterators::Pair;
use recover::Masked;

/// The parser that pest makes of `net.pest`.
#[derive(pest_derive::Parser)]
#[grammar = "net.pest"]
struct NetParser;

/// Words that cannot be names.
pub const KEYWORDS: &[&str] = &[
    "import", "block", "net", "train", "input", "let", "param", "if", "else", "repeat", "true",
    "false",
];

/// Errors after which a file is left alone.
const MOST_ERRORS: usize = 50;

/// Reads a file.
///
/// # Errors
/// Every statement that cannot be read gives one diagnostic, in order of place;
/// an unbalanced bracket hides the others.
pub fn parse(source: &str) -> Result<File, Vec<Diagnostic>> {
    parse_at(source, 0)
}

/// As [`parse`], for a source of which all spans are moved by `offset`: one of several
/// [`crate::Sources`].
///
/// # Errors
/// As [`parse`].
pub fn parse_at(source: &str, offset: usize) -> Result<File, Vec<Diagnostic>> {
    let (builder, pair) = read(source, Rule::file, offset)?;
    builder.finish(pair, Builder::file)
}

/// Reads an expression alone, as in `--set train.batch=64`; its spans are moved by `offset`.
///
/// # Errors
/// As [`parse`].
pub fn parse_expression(text: &str, offset: usize) -> Result<Expr, Vec<Diagnostic>> {
    let (builder, pair) = read(text, Rule::lone_expression, offset)?;
    builder.finish(pair, Builder::lone_expression)
}

/// Parses, masking each statement that has an error and trying again.
fn read(
    source: &str,
    rule: Rule,
    offset: usize,
) -> Result<(Builder, Pair<'_, Rule>), Vec<Diagnostic>> {
    match read_plain(source, rule) {
        Ok((scanned, pair)) => Ok((Builder::new(source, scanned, offset), pair)),
        Err(errors) => Err(errors
            .into_iter()
            .map(|error| error.moved(offset))
            .collect()),
    }
}

fn read_plain(source: &str, rule: Rule) -> Result<(Scan, Pair<'_, Rule>), Vec<Diagnostic>> {
    let scanned = scan(source);
    let mut masked = Masked::new(source);
    let mut errors = tokens::structure(source, &scanned.tokens);
    if !errors.is_empty() {
        // A string without an end may have swallowed the missing bracket.
        let open_string = scanned
            .tokens
            .iter()
            .any(|token| token.kind == TokenKind::OpenText);
        return Err(match open_string {
            true => tokens::spelling(source, &scanned.tokens, &mut masked),
            false => errors,
        });
    }
    errors = tokens::spelling(source, &scanned.tokens, &mut masked);
    if errors.is_empty() {
        match first_pair(source, rule) {
            Ok(pair) => return Ok((scanned, pair)),
            Err(error) => masked.report(rule, &error, &mut errors),
        }
    }
    while errors.len() < MOST_ERRORS {
        let text = masked.text();
        match first_pair(&text, rule) {
            Ok(_) => break,
            Err(error) => {
                let before = errors.len();
                masked.report(rule, &error, &mut errors);
                if errors.len() == before {
                    break;
                }
            }
        }
    }
    errors.sort_by_key(|error| error.span().map(|span| span.start));
    Err(errors)
}

fn first_pair(text: &str, rule: Rule) -> Result<Pair<'_, Rule>, Box<Error<Rule>>> {
    let mut pairs = NetParser::parse(rule, text).map_err(Box::new)?;
    // A successful parse has exactly one pair; an empty one is an error at the start.
    pairs.next().ok_or_else(|| {
        Box::new(Error::new_from_pos(
            pest::error::ErrorVariant::ParsingError {
                positives: vec![rule],
                negatives: Vec::new(),
            },
            pest::Position::from_start(text),
        ))
    })
}
