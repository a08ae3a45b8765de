//! Writes the tokens of a source in their order, with the comments between them.

use crate::Span;
use crate::lexer::{Scan, Token};

/// What stands between what is written and what comes next.
#[derive(Clone, Copy, PartialEq)]
enum Gap {
    Blanks(usize),
    Line { empty_line: bool },
}

/// The text so far, and the next token.
///
/// Callers say what stands between tokens and then write [`Writer::token`] by
/// token; comments come along by themselves. A comment ends its line whatever
/// was said.
pub struct Writer<'s> {
    source: &'s str,
    scan: Scan,
    next_token: usize,
    next_comment: usize,
    out: String,
    indent: usize,
    gap: Gap,
    /// Whether the next gap may keep an empty line of the source.
    at_statement: bool,
    after_comment: bool,
    /// End in the source of what was written last.
    last: usize,
}

impl<'s> Writer<'s> {
    pub fn new(source: &'s str, scan: Scan) -> Self {
        Self {
            source,
            scan,
            next_token: 0,
            next_comment: 0,
            out: String::with_capacity(source.len() + source.len() / 8),
            indent: 0,
            gap: Gap::Blanks(0),
            at_statement: true,
            after_comment: false,
            last: 0,
        }
    }

    /// The text, with the comments behind the last token.
    pub fn finish(mut self) -> String {
        self.new_line(true);
        self.leading_comments();
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }

    /// Writes the next token, after the comments in front of it and before the
    /// one at the end of its line.
    pub fn token(&mut self) {
        self.leading_comments();
        if let Some(token) = self.peek() {
            self.put(token.span);
            self.next_token += 1;
            self.trailing_comment();
        }
    }

    /// Leaves the next token out, but not its comments.
    pub fn skip(&mut self) {
        self.leading_comments();
        if let Some(token) = self.peek() {
            self.last = token.span.end;
            self.next_token += 1;
            if !self.after_comment {
                self.trailing_comment();
            }
        }
    }

    /// Writes the comments in front of a closing bracket, as deep as what it closes.
    pub fn comments_before_closer(&mut self) {
        let comment = self.comment_before_token();
        if comment.is_some() {
            self.new_line(true);
            self.leading_comments();
        }
    }

    pub fn space(&mut self) {
        self.spaces(1);
    }

    pub fn spaces(&mut self, count: usize) {
        if let Gap::Blanks(blanks) = &mut self.gap {
            *blanks = count;
        }
    }

    /// The next token starts a line; an empty line of the source may stay above it.
    pub fn new_line(&mut self, keep_empty: bool) {
        self.gap = Gap::Line { empty_line: false };
        self.at_statement = keep_empty;
    }

    /// A blank, or a line break where the source has one.
    pub fn gap(&mut self) {
        if self.broken_here() {
            self.gap = Gap::Line { empty_line: false };
            self.at_statement = false;
        } else {
            self.space();
        }
    }

    /// Whether the source breaks the line before the next token.
    pub fn broken_here(&self) -> bool {
        self.peek()
            .is_some_and(|token| newlines(self.source, self.last, token.span.start) > 0)
            || self.after_comment
    }

    /// Whether the last thing written was a comment.
    pub fn after_comment(&self) -> bool {
        self.after_comment
    }

    pub fn next_is(&self, text: &str) -> bool {
        self.peek()
            .is_some_and(|token| token.span.text(self.source) == text)
    }

    pub fn indent(&self) -> usize {
        self.indent
    }

    /// Column, from 0, behind what is written.
    pub fn column(&self) -> usize {
        match self.gap {
            Gap::Line { .. } => self.indent,
            Gap::Blanks(blanks) => {
                let line = self.out.rfind('\n').map_or(0, |newline| newline + 1);
                self.out.get(line..).unwrap_or("").chars().count() + blanks
            }
        }
    }

    pub fn deeper(&mut self, columns: usize, write: impl FnOnce(&mut Self)) {
        self.at_indent(self.indent + columns, write);
    }

    pub fn at_indent(&mut self, indent: usize, write: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.indent, indent);
        write(self);
        self.indent = before;
    }

    fn peek(&self) -> Option<Token> {
        self.scan.tokens.get(self.next_token).copied()
    }

    /// The next comment if it stands before the next token.
    fn comment_before_token(&self) -> Option<Span> {
        let comment = self.scan.comments.get(self.next_comment).copied()?;
        let before = self
            .peek()
            .is_none_or(|token| comment.start < token.span.start);
        before.then_some(comment)
    }

    fn leading_comments(&mut self) {
        while let Some(comment) = self.comment_before_token() {
            self.gap = Gap::Line { empty_line: false };
            self.put(comment);
            self.next_comment += 1;
            self.gap = Gap::Line { empty_line: false };
            self.after_comment = true;
        }
    }

    fn trailing_comment(&mut self) {
        let Some(comment) = self.comment_before_token() else {
            return;
        };
        if newlines(self.source, self.last, comment.start) == 0 {
            let kept = std::mem::replace(&mut self.gap, Gap::Blanks(2));
            self.put(comment);
            self.next_comment += 1;
            self.gap = match kept {
                Gap::Blanks(_) => Gap::Line { empty_line: false },
                line => line,
            };
            self.after_comment = true;
        }
    }

    fn put(&mut self, span: Span) {
        match self.gap {
            _ if self.out.is_empty() => {}
            Gap::Blanks(blanks) => self.out.extend(std::iter::repeat_n(' ', blanks)),
            Gap::Line { .. } => {
                let empty_line =
                    self.at_statement && newlines(self.source, self.last, span.start) > 1;
                self.out.push('\n');
                if empty_line {
                    self.out.push('\n');
                }
                self.out.extend(std::iter::repeat_n(' ', self.indent));
            }
        }
        self.out.push_str(span.text(self.source));
        self.gap = Gap::Blanks(0);
        self.after_comment = false;
        self.last = span.end;
    }
}

/// Line ends in a part of the source.
fn newlines(source: &str, start: usize, end: usize) -> usize {
    let part = source.get(start..end).unwrap_or("");
    part.matches('\n').count() + part.matches('\r').count() - part.matches("\r\n").count()
}
