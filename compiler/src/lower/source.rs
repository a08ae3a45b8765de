//! Byte offsets of the `.net` text as lines and columns.

use std::sync::Arc;

use cnnc_grammar::Span;

use crate::stablehlo::Location;

/// The text that locations point into.
#[derive(Debug, Clone)]
pub struct Source {
    file: Arc<str>,
    text: Arc<str>,
    lines: Arc<[usize]>,
}

impl Source {
    /// `text` of the file called `file`. Lines end with LF, CRLF or a lone CR.
    pub fn new(file: &str, text: &str) -> Self {
        let mut lines = vec![if text.starts_with('\u{feff}') { 3 } else { 0 }];
        let bytes = text.as_bytes();
        for (i, byte) in bytes.iter().enumerate() {
            let ends = match byte {
                b'\n' => true,
                b'\r' => bytes.get(i + 1) != Some(&b'\n'),
                _ => false,
            };
            if ends {
                lines.push(i + 1);
            }
        }
        Source {
            file: file.into(),
            text: text.into(),
            lines: lines.into(),
        }
    }

    /// Where `span` begins; lines and columns (in characters) count from 1.
    pub fn location(&self, span: Span) -> Location {
        let line = self
            .lines
            .partition_point(|&start| start <= span.start)
            .max(1);
        let start = self.lines.get(line - 1).copied().unwrap_or(0);
        let column = self
            .text
            .get(start..span.start)
            .map_or(0, |text| text.chars().count());
        Location::new(Arc::clone(&self.file), line as u32, column as u32 + 1)
    }

    /// The byte offset of a line and column: the inverse of
    /// [`Source::location`]. `None` for a place that the text does not have.
    pub fn offset(&self, line: u32, column: u32) -> Option<usize> {
        let start = *self.lines.get((line as usize).checked_sub(1)?)?;
        let rest = self.text.get(start..)?;
        let text = rest.split(['\n', '\r']).next()?;
        let (offset, _) = text.char_indices().nth((column as usize).checked_sub(1)?)?;
        Some(start + offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_and_marks_do_not_move_positions() {
        let plain = "net a {\n  é x\n}";
        let at = |text: &str| {
            let start = text.find('x').unwrap();
            Source::new("a.net", text)
                .location(Span::new(start, start + 1))
                .to_string()
        };
        assert_eq!(at(plain), "a.net:2:5");
        assert_eq!(at(&plain.replace('\n', "\r\n")), "a.net:2:5");
        assert_eq!(at(&plain.replace('\n', "\r")), "a.net:2:5");
        assert_eq!(at(&format!("\u{feff}{plain}")), "a.net:2:5");
        assert_eq!(at("\u{feff}x"), "a.net:1:1");
    }
}
