//! Lines and columns back to byte offsets: the inverse of
//! [`Source::location`](crate::lower::Source::location).

use cnnc_grammar::Span;

use crate::lower::Source;
use crate::stablehlo::Location;

/// A text and the name of its file.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    /// The name that locations carry.
    pub file: &'a str,
    /// The text.
    pub text: &'a str,
}

impl<'a> Text<'a> {
    /// The `text` of `file`.
    pub fn new(file: &'a str, text: &'a str) -> Self {
        Text { file, text }
    }

    /// The word at `location`, or one character where none is; `None` for a
    /// place that this text does not have.
    pub fn span(&self, location: &Location) -> Option<Span> {
        let (file, line, column) = location.place.as_ref()?;
        if &**file != self.file {
            return None;
        }
        let start = Source::new(self.file, self.text).offset(*line, *column)?;
        let word = self.text.get(start..)?;
        let first = word.chars().next()?;
        let length = word
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(word.len())
            .max(first.len_utf8());
        Some(Span::new(start, start + length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_found_again() {
        let plain = "net a {\n  é conv(3)\n\n}\n";
        for text in [
            plain.to_owned(),
            plain.replace('\n', "\r\n"),
            plain.replace('\n', "\r"),
            format!("\u{feff}{plain}"),
        ] {
            let source = Source::new("a.net", &text);
            for (word, length) in [("net", 3), ("conv", 4), ("(", 1), ("é", 2), ("}", 1)] {
                let start = text.find(word).unwrap();
                let span = Span::new(start, start + length);
                let location = source.location(span);
                assert_eq!(
                    Text::new("a.net", &text).span(&location),
                    Some(span),
                    "{text:?}"
                );
                assert_eq!(Text::new("b.net", &text).span(&location), None);
            }
        }
    }

    #[test]
    fn places_outside_are_none() {
        let text = Text::new("a", "x\ny");
        let at = |line, column| text.span(&Location::new("a", line, column));
        assert_eq!(at(2, 1), Some(Span::new(2, 3)));
        for (line, column) in [(0, 1), (1, 0), (1, 2), (3, 1)] {
            assert_eq!(at(line, column), None, "{line}:{column}");
        }
        assert_eq!(text.span(&Location::UNKNOWN), None);
    }
}
