//! What can go wrong between text and program, pointing into the `.net` text.

use cnnc_grammar::Diagnostic;
use cnnc_grammar::diagnostics::Code;

use super::codes::{FAULT, NO_RULE, REFUSED};
use super::place::Text;
use crate::autodiff;
use crate::iree::{self, Message};
use crate::stablehlo::{self, Location};

/// IREE repeats itself for every function; the first few tell.
const MOST_MESSAGES: usize = 5;

/// An error of the pipeline.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The text is not a right network.
    #[error("{} in the network file", count(.0.len()))]
    Source(Vec<Diagnostic>),
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
    /// The error as diagnostics of `text`; `None` for one that
    /// no text causes, such as a missing library.
    pub fn diagnostics(&self, text: &Text<'_>) -> Option<Vec<Diagnostic>> {
        match self {
            Error::Source(diagnostics) => Some(diagnostics.clone()),
            Error::Stablehlo(error) => Some(vec![of_stablehlo(error, text)]),
            Error::Iree(iree::Error::Refused { messages }) => Some(refused(messages, text)),
            Error::Iree(_) => None,
        }
    }
}

fn of_stablehlo(error: &stablehlo::Error, text: &Text<'_>) -> Diagnostic {
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
    at(code, message, location, text)
}

fn refused(messages: &[Message], text: &Text<'_>) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for message in messages {
        let refusal = format!("IREE refuses the module: {}", message.text);
        let diagnostic = at(REFUSED, refusal, &message.location, text);
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

fn at(code: Code, message: String, location: &Location, text: &Text<'_>) -> Diagnostic {
    let remark = "from this layer";
    match text.span(location) {
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
        let text = Text::new("a.net", NET);
        let diagnostics = error.diagnostics(&text).unwrap();
        cnnc_grammar::diagnostics::render(&diagnostics, "a.net", NET, false)
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
        assert!(error.diagnostics(&Text::new("a.net", NET)).is_none());
    }
}
