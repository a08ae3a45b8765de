//! Source text as it is shown: one position for every way of saving a file.

use crate::lexer::MARK;

/// Columns per tab stop.
const TAB: usize = 4;

/// A place for people, both counted from 1.
///
/// Lines end at LF, CRLF or a lone CR. A column is a character; a tab counts up
/// to the next multiple of 4, a byte-order mark does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
}

/// The position of a byte offset in `source`; offsets past the end are at the end.
pub fn position(source: &str, offset: usize) -> Position {
    let shown = Shown::new(source);
    let before = shown.text.get(..shown.offset(offset)).unwrap_or("");
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Position {
        line: before.matches('\n').count() + 1,
        column: before.get(line_start..).unwrap_or("").chars().count() + 1,
    }
}

/// A source without byte-order mark, tabs, carriage returns and control characters.
pub(super) struct Shown {
    /// Lines end with LF.
    pub(super) text: String,
    /// Pairs (offset in the source, offset in `text`), one per character, in order.
    offsets: Vec<(usize, usize)>,
}

impl Shown {
    pub(super) fn new(source: &str) -> Self {
        let mut text = String::with_capacity(source.len());
        let mut offsets = Vec::with_capacity(source.len());
        let mut column = 0;
        let mut characters = source.char_indices().peekable();
        while let Some((offset, c)) = characters.next() {
            offsets.push((offset, text.len()));
            match c {
                MARK if offset == 0 => continue,
                '\t' => {
                    let width = TAB - column % TAB;
                    text.extend(std::iter::repeat_n(' ', width));
                    column += width;
                    continue;
                }
                '\r' if matches!(characters.peek(), Some((_, '\n'))) => continue,
                '\r' | '\n' => {
                    text.push('\n');
                    column = 0;
                    continue;
                }
                // An escape sequence in a file must not reach a terminal.
                c if c.is_control() => text.push(char::REPLACEMENT_CHARACTER),
                c => text.push(c),
            }
            column += 1;
        }
        Self { text, offsets }
    }

    /// Where a byte of the source is in `text`.
    pub(super) fn offset(&self, offset: usize) -> usize {
        let index = self.offsets.partition_point(|(from, _)| *from < offset);
        self.offsets
            .get(index)
            .map_or(self.text.len(), |(_, to)| *to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_of_saving_gives_the_same_position() {
        let plain = "net a {\n    input x;\n    x |> @\n}\n";
        let expected = Position {
            line: 3,
            column: 10,
        };
        for source in [
            plain.to_string(),
            plain.replace('\n', "\r\n"),
            plain.replace('\n', "\r"),
            plain.replace("    ", "\t"),
            format!("\u{FEFF}{plain}"),
            plain.trim_end().to_string(),
        ] {
            let offset = source.find('@').unwrap();
            assert_eq!(position(&source, offset), expected, "{source:?}");
        }
    }

    #[test]
    fn a_tab_fills_up_to_its_stop() {
        assert_eq!(position("ab\tc", 3), Position { line: 1, column: 5 });
        assert_eq!(position("\u{e9}x", 2), Position { line: 1, column: 2 });
    }

    #[test]
    fn the_end_is_a_position_too() {
        assert_eq!(position("ab\n", 99), Position { line: 2, column: 1 });
        assert_eq!(position("", 0), Position { line: 1, column: 1 });
    }
}
