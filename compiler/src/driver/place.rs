//! Lines and columns back to byte offsets: the inverse of
//! [`Source::location`](crate::lower::Source::location).

use cnnc_grammar::Span;

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
        let line = lines(self.text).nth((*line as usize).checked_sub(1)?)?;
        let column = (*column as usize).checked_sub(1)?;
        let (offset, first) = line.text.char_indices().nth(column)?;
        let word = line.text.get(offset..)?;
        let length = word
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(word.len())
            .max(first.len_utf8());
        let start = line.start + offset;
        Some(Span::new(start, start + length))
    }
}

struct Line<'a> {
    start: usize,
    text: &'a str,
}

/// Lines end with LF, CRLF or a lone CR; a byte-order mark is on none.
fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mark = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut next = Some(mark);
    std::iter::from_fn(move || {
        let start = next?;
        let rest = text.get(start..)?;
        let end = rest.find(['\n', '\r']);
        next = end.map(|end| {
            let ending = rest.get(end..).unwrap_or("");
            start + end + if ending.starts_with("\r\n") { 2 } else { 1 }
        });
        let text = end.map_or(Some(rest), |end| rest.get(..end))?;
        Some(Line { start, text })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::Source;

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
