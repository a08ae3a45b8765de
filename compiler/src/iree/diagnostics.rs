//! IREE's diagnostics as data, with their places in the source.

use std::fmt;

use eerie::compiler::CompilerError;

use crate::stablehlo::Location;

/// One diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The place it points at.
    pub location: Location,
    /// The first line of its text.
    pub text: String,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.location.place {
            Some(_) => write!(f, "{}: {}", self.location, self.text),
            None => f.write_str(&self.text),
        }
    }
}

/// The errors among IREE's diagnostics.
pub fn messages(error: &CompilerError) -> Vec<Message> {
    let text = match error {
        CompilerError::IREECompilerError(error, diagnostics) => {
            format!("{diagnostics}Error: {error}")
        }
        CompilerError::IREECompilerDiagnosticsError(diagnostics) => diagnostics.to_string(),
        other => format!("Error: {other}"),
    };
    parse(&text)
}

/// Reads lines of the form `Error: file:line:column: error: text`; lines
/// without a severity continue the one before and are dropped.
fn parse(text: &str) -> Vec<Message> {
    text.lines()
        .filter_map(|line| line.strip_prefix("Error: "))
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            let Some((place, text)) = line.split_once(": error: ") else {
                return Message {
                    location: Location::UNKNOWN,
                    text: line.to_owned(),
                };
            };
            Message {
                location: place_of(place),
                text: text.to_owned(),
            }
        })
        .collect()
}

/// `file:line:column`, or `loc("file":line:column)`.
fn place_of(text: &str) -> Location {
    let text = text.trim_start_matches("loc(").trim_end_matches(')');
    let mut parts = text.rsplitn(3, ':');
    let column = parts.next().and_then(|c| c.parse().ok());
    let line = parts.next().and_then(|l| l.parse().ok());
    match (parts.next(), line, column) {
        (Some(file), Some(line), Some(column)) => {
            Location::new(file.trim_matches('"'), line, column)
        }
        _ => Location::UNKNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_from_diagnostics() {
        let text = "Error: net.net:7:10: error: 'stablehlo.add' op failed\nop: %1 = ...\nNote: net.net:7:10: note: see\nError: plain\n";
        let expected = [
            Message {
                location: Location::new("net.net", 7, 10),
                text: "'stablehlo.add' op failed".to_owned(),
            },
            Message {
                location: Location::UNKNOWN,
                text: "plain".to_owned(),
            },
        ];
        assert_eq!(parse(text), expected);
    }

    #[test]
    fn a_quoted_place_is_read() {
        assert_eq!(
            place_of("loc(\"a b.net\":3:4)"),
            Location::new("a b.net", 3, 4)
        );
    }
}
