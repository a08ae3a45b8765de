//! Byte offsets of the `.net` texts as lines and columns.

use std::sync::Arc;

use cnnc_grammar::{Sources, Span};

use crate::stablehlo::Location;

/// The texts that locations point into.
#[derive(Debug, Clone)]
pub struct Source {
    files: Arc<[File]>,
}

#[derive(Debug)]
struct File {
    name: Arc<str>,
    text: String,
    /// The place of the first byte of the text.
    start: usize,
    /// Where its lines begin.
    lines: Vec<usize>,
}

impl Source {
    /// `text` of the file called `file`.
    pub fn new(file: &str, text: &str) -> Self {
        Source::of(&Sources::new(file, text))
    }

    /// Several texts. Lines end with LF, CRLF or a lone CR.
    pub fn of(sources: &Sources) -> Self {
        let files = sources.files().iter().map(|file| File {
            name: file.name.as_str().into(),
            text: file.text.clone(),
            start: file.start,
            lines: lines(&file.text),
        });
        Source {
            files: files.collect(),
        }
    }

    /// Where `span` begins; lines and columns (in characters) count from 1.
    pub fn location(&self, span: Span) -> Location {
        let index = self.files.partition_point(|file| file.start <= span.start);
        let Some(file) = index.checked_sub(1).and_then(|index| self.files.get(index)) else {
            return Location::UNKNOWN;
        };
        let offset = span.start - file.start;
        let line = file.lines.partition_point(|&start| start <= offset).max(1);
        let start = file.lines.get(line - 1).copied().unwrap_or(0);
        let column = file
            .text
            .get(start..offset)
            .map_or(0, |text| text.chars().count());
        Location::new(Arc::clone(&file.name), line as u32, column as u32 + 1)
    }

    /// The place of a line and column of `file`: the inverse of
    /// [`Source::location`]. `None` for a place that the texts do not have.
    pub fn offset(&self, file: &str, line: u32, column: u32) -> Option<usize> {
        let file = self.files.iter().find(|known| &*known.name == file)?;
        let start = *file.lines.get((line as usize).checked_sub(1)?)?;
        let rest = file.text.get(start..)?;
        let text = rest.split(['\n', '\r']).next()?;
        let (offset, _) = text.char_indices().nth((column as usize).checked_sub(1)?)?;
        Some(file.start + start + offset)
    }
}

/// Where the lines of a text begin.
fn lines(text: &str) -> Vec<usize> {
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
    lines
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

    #[test]
    fn every_file_counts_its_own_lines() {
        let mut sources = Sources::new("a.net", "x\ny");
        let start = sources.add("b.net", "u\n v");
        let source = Source::of(&sources);
        let at = |place| source.location(Span::new(place, place + 1)).to_string();
        assert_eq!(at(2), "a.net:2:1");
        assert_eq!(at(start), "b.net:1:1");
        assert_eq!(at(start + 3), "b.net:2:2");
        assert_eq!(source.offset("b.net", 2, 2), Some(start + 3));
        assert_eq!(source.offset("a.net", 2, 1), Some(2));
        assert_eq!(source.offset("c.net", 1, 1), None);
    }
}
