//! Lines and columns back to places: the inverse of [`Source::location`].

use cnnc_grammar::{Sources, Span};

use crate::lower::Source;
use crate::stablehlo::Location;

/// The word at `location`, or one character where none is; `None` for a place
/// that the texts do not have.
pub fn span(sources: &Sources, location: &Location) -> Option<Span> {
    let (file, line, column) = location.place.as_ref()?;
    let start = Source::of(sources).offset(file, *line, *column)?;
    let (_, file) = sources.at(start)?;
    let word = file.text.get(start - file.start..)?;
    let first = word.chars().next()?;
    let length = word
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(word.len())
        .max(first.len_utf8());
    Some(Span::new(start, start + length))
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
            let sources = Sources::new("a.net", text.as_str());
            for (word, length) in [("net", 3), ("conv", 4), ("(", 1), ("é", 2), ("}", 1)] {
                let start = text.find(word).unwrap();
                let place = Span::new(start, start + length);
                let location = Source::of(&sources).location(place);
                assert_eq!(span(&sources, &location), Some(place), "{text:?}");
                let other = Sources::new("b.net", text.as_str());
                assert_eq!(span(&other, &location), None);
            }
        }
    }

    #[test]
    fn places_outside_are_none() {
        let sources = Sources::new("a", "x\ny");
        let at = |line, column| span(&sources, &Location::new("a", line, column));
        assert_eq!(at(2, 1), Some(Span::new(2, 3)));
        for (line, column) in [(0, 1), (1, 0), (1, 2), (3, 1)] {
            assert_eq!(at(line, column), None, "{line}:{column}");
        }
        assert_eq!(span(&sources, &Location::UNKNOWN), None);
    }
}
