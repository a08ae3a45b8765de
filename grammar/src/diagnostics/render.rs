//! Diagnostics as text for people.

use super::source_text::Shown;
use super::{Diagnostic, Label};
use codespan_reporting::diagnostic::{self as codespan, Severity};
use codespan_reporting::files::SimpleFile;
use codespan_reporting::term::{self, Chars, Config, DisplayStyle};

/// The errors one after another, with their lines of `source` and carets.
///
/// Positions are those of [`super::position`]. With `color`, ANSI escapes are added.
pub fn render(diagnostics: &[Diagnostic], file_name: &str, source: &str, color: bool) -> String {
    let shown = Shown::new(source);
    let file = SimpleFile::new(file_name, shown.text.as_str());
    let config = Config {
        chars: Chars::ascii(),
        display_style: DisplayStyle::Rich,
        ..Config::default()
    };
    let mut out = String::new();
    for diagnostic in diagnostics {
        let report = convert(diagnostic, &shown);
        // The only errors are of a missing file, and of the writer.
        let written = if color {
            let mut buffer = term::termcolor::Buffer::ansi();
            let result = term::emit_to_write_style(&mut buffer, &config, &file, &report);
            out.push_str(&String::from_utf8_lossy(buffer.as_slice()));
            result
        } else {
            let mut text = String::new();
            let result = term::emit_to_string(&mut text, &config, &file, &report);
            for line in text.lines() {
                out.push_str(line.trim_end());
                out.push('\n');
            }
            result
        };
        if written.is_err() {
            out.push_str(&format!(
                "error[{}]: {}\n",
                diagnostic.code, diagnostic.message
            ));
        }
    }
    out
}

fn convert(diagnostic: &Diagnostic, shown: &Shown) -> codespan::Diagnostic<()> {
    let help = diagnostic.hints.iter().map(|hint| format!("help: {hint}"));
    let notes = diagnostic.notes.iter().map(|note| format!("note: {note}"));
    let explain = format!("note: `cnnc explain {}`", diagnostic.code);
    codespan::Diagnostic::new(Severity::Error)
        .with_code(diagnostic.code.name)
        .with_message(&diagnostic.message)
        .with_labels(
            diagnostic
                .labels
                .iter()
                .map(|label| convert_label(label, shown))
                .collect(),
        )
        .with_notes(help.chain(notes).chain([explain]).collect())
}

fn convert_label(label: &Label, shown: &Shown) -> codespan::Label<()> {
    let start = shown.offset(label.span.start);
    let end = shown.offset(label.span.end).max(start);
    if label.primary {
        codespan::Label::primary((), start..end)
    } else {
        codespan::Label::secondary((), start..end)
    }
    .with_message(&label.text)
}
