//! Several files in one range of places.

use crate::Span;

/// The files of a compilation, one behind the other: a [`Span`] says by its
/// place which of them it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sources {
    files: Vec<SourceFile>,
}

/// A text and what to call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its name, as it is shown.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The place of its first byte.
    pub start: usize,
}

impl Sources {
    /// One file, whose places are those of its text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            files: vec![SourceFile {
                name: name.into(),
                text: text.into(),
                start: 0,
            }],
        }
    }

    /// Adds a file, and gives the place of its first byte.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> usize {
        let start = self.end() + 1;
        self.files.push(SourceFile {
            name: name.into(),
            text: text.into(),
            start,
        });
        start
    }

    /// The files in the order they were added.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// One past the last place.
    pub fn end(&self) -> usize {
        self.files.last().map_or(0, SourceFile::end)
    }

    /// The file `place` is in: its index and the file.
    pub fn at(&self, place: usize) -> Option<(usize, &SourceFile)> {
        let index = self
            .files
            .partition_point(|file| file.start <= place)
            .checked_sub(1)?;
        let file = self.files.get(index)?;
        (place <= file.end()).then_some((index, file))
    }

    /// What a span covers; empty where it fits no file.
    pub fn text(&self, span: Span) -> &str {
        self.at(span.start)
            .and_then(|(_, file)| {
                let end = span.end.checked_sub(file.start)?;
                file.text.get(span.start - file.start..end)
            })
            .unwrap_or("")
    }
}

impl SourceFile {
    /// One past the place of its last byte.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_belongs_to_one_file() {
        let mut sources = Sources::new("a", "xy");
        let b = sources.add("b", "");
        let c = sources.add("c", "uvw");
        assert_eq!((b, c, sources.end()), (3, 4, 7));
        let found: Vec<Option<usize>> = (0..9)
            .map(|place| sources.at(place).map(|(index, _)| index))
            .collect();
        let expected = [0, 0, 0, 1, 2, 2, 2, 2].map(Some);
        assert_eq!(found[..8], expected);
        assert_eq!(found[8], None);
        assert_eq!(sources.text(Span::new(5, 7)), "vw");
        assert_eq!(sources.text(Span::new(1, 2)), "y");
        assert_eq!(sources.text(Span::new(1, 6)), "");
    }
}
