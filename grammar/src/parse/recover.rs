//! Going on after an error: the statement that has it is blanked out.

use super::{Rule, expected};
use crate::Span;
use crate::diagnostics::Diagnostic;
use crate::lexer::{Token, scan};
use pest::error::{Error, InputLocation};

/// A source of which parts are blanked, with all places kept.
pub struct Masked<'s> {
    source: &'s str,
    hidden: Vec<Span>,
}

const ITEM_WORDS: &[&str] = &["net", "block", "train", "import"];
const STATEMENT_WORDS: &[&str] = &["let", "input", "param"];

impl<'s> Masked<'s> {
    pub fn new(source: &'s str) -> Self {
        Self {
            source,
            hidden: Vec::new(),
        }
    }

    /// The source with blanks where it is hidden.
    pub fn text(&self) -> String {
        let mut bytes = self.source.as_bytes().to_vec();
        for span in &self.hidden {
            if let Some(range) = bytes.get_mut(span.start..span.end) {
                range.fill(b' ');
            }
        }
        // Spans start and end at characters, so this replaces nothing.
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Whether all of `span` is hidden.
    pub fn hides(&self, span: Span) -> bool {
        self.hidden
            .iter()
            .any(|hidden| hidden.start <= span.start && span.end <= hidden.end)
    }

    /// Hides from `offset` to the end of its line.
    pub fn hide_line(&mut self, offset: usize) {
        let rest = self.source.get(offset..).unwrap_or("");
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        self.hidden.push(Span::new(offset, offset + length));
    }

    /// Hides the statement or item around `offset`.
    pub fn hide_statement(&mut self, offset: usize) {
        let text = self.text();
        let tokens = scan(&text).tokens;
        if let Some(span) = statement(&text, &tokens, offset) {
            self.hidden.push(span);
        }
    }

    /// Adds the diagnostic of pest's error and hides its statement; adds nothing
    /// where nothing can be hidden.
    pub fn report(&mut self, rule: Rule, error: &Error<Rule>, errors: &mut Vec<Diagnostic>) {
        let (InputLocation::Pos(offset) | InputLocation::Span((offset, _))) = error.location;
        let text = self.text();
        let tokens = scan(&text).tokens;
        let span = statement(&text, &tokens, offset);
        if span.is_some() || errors.is_empty() {
            errors.push(expected::diagnostic(&text, &tokens, rule, error, offset));
        }
        self.hidden.extend(span);
    }
}

/// The statement or setting around `offset`, or the item where `offset` is in none.
/// None where the text ends there.
fn statement(source: &str, tokens: &[Token], offset: usize) -> Option<Span> {
    let text = |index: usize| {
        tokens
            .get(index)
            .map_or("", |token| token.span.text(source))
    };
    let at = tokens.partition_point(|token| token.span.end <= offset);
    let last = tokens.len().checked_sub(1)?;
    let at = at.min(last);
    // An error at a brace's end belongs to what is in the braces.
    let inside = matches!(text(at), "}");

    let mut start = at;
    let mut closed = 0_usize;
    let mut in_braces = false;
    while let Some(before) = start.checked_sub(1) {
        match text(before) {
            "}" if closed == 0 && !is_tail_brace(source, tokens, before, at) => break,
            ")" | "]" | "}" => closed += 1,
            "(" | "[" => closed = closed.saturating_sub(1),
            "{" if closed == 0 => {
                in_braces = true;
                break;
            }
            "{" => closed -= 1,
            ";" if closed == 0 => {
                in_braces = true;
                break;
            }
            word if closed == 0 && STATEMENT_WORDS.contains(&word) => {
                start = before;
                in_braces = true;
                break;
            }
            word if closed == 0 && ITEM_WORDS.contains(&word) => {
                start = before;
                break;
            }
            _ => {}
        }
        start = before;
    }

    // A keyword at the error starts something new unless it stands for a name, as in `let net`.
    let is_start = |word| STATEMENT_WORDS.contains(&word) || ITEM_WORDS.contains(&word);
    let starts_new =
        |index: usize| index > at || (index == at && index > start && !is_start(text(index - 1)));
    let mut end = at;
    let mut opened = 0_usize;
    while end <= last {
        let word = text(end);
        match word {
            "(" | "[" | "{" => opened += 1,
            ")" | "]" => opened = opened.saturating_sub(1),
            "}" if opened == 0 => break,
            "}" => {
                opened -= 1;
                if opened == 0 && !in_braces {
                    end += 1;
                    break;
                }
            }
            ";" if opened == 0 => {
                end += 1;
                break;
            }
            _ if opened == 0 && starts_new(end) && STATEMENT_WORDS.contains(&word) && in_braces => {
                break;
            }
            _ if opened == 0 && starts_new(end) && ITEM_WORDS.contains(&word) => break,
            _ => {}
        }
        end += 1;
    }
    if start == end {
        // Nothing is left of the statement: take the brace with what opened it.
        return (!inside).then(|| tokens.get(at).map(|token| token.span))?;
    }
    let first = tokens.get(start)?.span;
    let final_token = tokens.get(end.checked_sub(1)?)?.span;
    (final_token.end > first.start).then(|| first.to(final_token))
}

/// Whether the `}` belongs to the expression that goes on behind it.
fn is_tail_brace(source: &str, tokens: &[Token], brace: usize, at: usize) -> bool {
    brace < at
        && tokens.get(brace + 1).is_some_and(|next| {
            matches!(
                next.span.text(source),
                "else" | "|>" | ";" | "+" | "-" | "*"
            )
        })
}
