//! What can go wrong between text and program, pointing into the `.net` text.

use cnnc_grammar::diagnostics::{Code, render_in};
use cnnc_grammar::{Diagnostic, Sources};

use super::codes::{FAULT, NO_RULE, REFUSED};
use super::place::span;
use crate::autodiff;
use crate::iree::{self, Message};
use crate::network::SourceErrors;
use crate::stablehlo::{self, Location};

/// IREE repeats itself for every function; the first few tell.
const MOST_MESSAGES: usize = 5;

/// An error of the pipeline.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The text is not a right network.
    #[error("{} in the network file", count(.0.diagnostics.len()))]
    Source(SourceErrors),
    /// A pass failed.
    #[error(transparent)]
    Stablehlo(#[from] stablehlo::Error),
    /// IREE is missing, or refused what was built.
    #[error(transparent)]
    Iree(#[from] iree::Error),
}

fn count(errors: usize) -> String {
    match errors {
        1 => "1 error".to_owned(),
        errors => format!("{errors} errors"),
    }
}

impl Error {
    /// The error shown in the text that it belongs to, one of `sources` where it
    /// has none of its own; `None` for one that no text causes, such as a missing
    /// library.
    pub fn rendered(&self, sources: &Sources, color: bool) -> Option<String> {
        let diagnostics = match self {
            Error::Source(errors) => {
                return Some(render_in(&errors.diagnostics, &errors.sources, color));
            }
            Error::Stablehlo(error) => vec![of_stablehlo(error, sources)],
            Error::Iree(iree::Error::Refused { messages }) => refused(messages, sources),
            Error::Iree(_) => return None,
        };
        Some(render_in(&diagnostics, sources, color))
    }
}

fn of_stablehlo(error: &stablehlo::Error, sources: &Sources) -> Diagnostic {
    use stablehlo::Error::{Constraint, NoFunction, Pass, Syntax, UnknownOp};
    let (code, message) = match error {
        Pass { pass, message, .. } if *pass == autodiff::PASS => (NO_RULE, message.clone()),
        Pass { pass, message, .. } => (FAULT, format!("{pass}: {message}")),
        Constraint { op, message, .. } => (FAULT, format!("`stablehlo.{op}`: {message}")),
        Syntax { message, .. } => (FAULT, message.clone()),
        UnknownOp { op, .. } => (FAULT, format!("unknown operation `{op}`")),
        NoFunction { .. } => (FAULT, error.to_string()),
    };
    let location = error.location().unwrap_or(&Location::UNKNOWN);
    at(code, message, location, sources)
}

fn refused(messages: &[Message], sources: &Sources) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for message in messages {
        let refusal = format!("IREE refuses the module: {}", message.text);
        let diagnostic = at(REFUSED, refusal, &message.location, sources);
        let known = diagnostics
            .iter()
            .any(|d| d.message == diagnostic.message && d.span() == diagnostic.span());
        if !known && diagnostics.len() < MOST_MESSAGES {
            diagnostics.push(diagnostic);
        }
    }
    if diagnostics.is_empty() {
        let silent = "IREE refuses the module without saying why";
        diagnostics.push(Diagnostic::without_place(REFUSED, silent));
    }
    diagnostics
}

fn at(code: Code, message: String, location: &Location, sources: &Sources) -> Diagnostic {
    let remark = "from this layer";
    match span(sources, location) {
        Some(span) => Diagnostic::new(code, message, span, remark),
        None if location.place.is_some() => {
            Diagnostic::without_place(code, message).with_note(format!("at {location}"))
        }
        None => Diagnostic::without_place(code, message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NET: &str = "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> relu\n}\n";

    fn rendered(error: &Error) -> String {
        error.rendered(&Sources::new("a.net", NET), false).unwrap()
    }

    #[test]
    fn a_refusal_of_iree_points_at_the_layer() {
        let message = |line, text: &str| Message {
            location: Location::new("a.net", line, 10),
            text: text.to_owned(),
        };
        let twice = vec![
            message(3, "bad op"),
            message(3, "bad op"),
            message(99, "lost"),
        ];
        let error = Error::Iree(iree::Error::Refused { messages: twice });
        insta::assert_snapshot!(rendered(&error));
    }

    #[test]
    fn a_missing_rule_points_at_the_layer() {
        let error = Error::Stablehlo(stablehlo::Error::Pass {
            pass: autodiff::PASS,
            message: "no derivative rule for `stablehlo.floor`".to_owned(),
            location: Location::new("a.net", 3, 10),
        });
        insta::assert_snapshot!(rendered(&error));
    }

    #[test]
    fn a_missing_library_is_no_fault_of_the_text() {
        let error = Error::Iree(iree::Error::Missing {
            reason: "not there".to_owned(),
        });
        let sources = Sources::new("a.net", NET);
        assert_eq!(error.rendered(&sources, false), None);
    }
}
