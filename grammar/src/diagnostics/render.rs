//! Diagnostics as text for people.

use super::source_text::Shown;
use super::{Diagnostic, Label};
use crate::Sources;
use codespan_reporting::diagnostic::{self as codespan, Severity};
use codespan_reporting::files::SimpleFiles;
use codespan_reporting::term::{self, Chars, Config, DisplayStyle};

/// The errors one after another, with their lines of `source` and carets.
///
/// Positions are those of [`super::position`]. With `color`, ANSI escapes are added.
pub fn render(diagnostics: &[Diagnostic], file_name: &str, source: &str, color: bool) -> String {
    render_in(diagnostics, &Sources::new(file_name, source), color)
}

/// As [`render`], of errors in several files.
pub fn render_in(diagnostics: &[Diagnostic], sources: &Sources, color: bool) -> String {
    let shown: Vec<Shown> = sources
        .files()
        .iter()
        .map(|file| Shown::new(&file.text))
        .collect();
    let mut files = SimpleFiles::new();
    for (file, shown) in sources.files().iter().zip(&shown) {
        files.add(file.name.as_str(), shown.text.as_str());
    }
    let config = Config {
        chars: Chars::ascii(),
        display_style: DisplayStyle::Rich,
        ..Config::default()
    };
    let mut out = String::new();
    for diagnostic in diagnostics {
        let report = convert(diagnostic, sources, &shown);
        // The only errors are of a missing file, and of the writer.
        let written = if color {
            let mut buffer = term::termcolor::Buffer::ansi();
            let result = term::emit_to_write_style(&mut buffer, &config, &files, &report);
            out.push_str(&String::from_utf8_lossy(buffer.as_slice()));
            result
        } else {
            let mut text = String::new();
            let result = term::emit_to_string(&mut text, &config, &files, &report);
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

fn convert(
    diagnostic: &Diagnostic,
    sources: &Sources,
    shown: &[Shown],
) -> codespan::Diagnostic<usize> {
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
                .filter_map(|label| convert_label(label, sources, shown))
                .collect(),
        )
        .with_notes(help.chain(notes).chain([explain]).collect())
}

fn convert_label(
    label: &Label,
    sources: &Sources,
    shown: &[Shown],
) -> Option<codespan::Label<usize>> {
    // A place behind all files is shown at the end of the last one.
    let place = label.span.start.min(sources.end());
    let (index, file) = sources.at(place)?;
    let shown = shown.get(index)?;
    let start = shown.offset(place - file.start);
    let end = shown.offset(label.span.end.saturating_sub(file.start));
    let range = start..end.max(start);
    let shown_label = if label.primary {
        codespan::Label::primary(index, range)
    } else {
        codespan::Label::secondary(index, range)
    };
    Some(shown_label.with_message(&label.text))
}
