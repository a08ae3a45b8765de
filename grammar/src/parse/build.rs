//! pest's pairs as AST: items and statements.

use super::{Rule, tokens};
use crate::Span;
use crate::ast::*;
use crate::diagnostics::{Diagnostic, syntax};
use crate::lexer::Scan;
use pest::iterators::{Pair, Pairs};

/// Operators and brackets inside one another.
const DEEPEST: usize = 256;

/// Makes the AST of what the grammar has accepted.
///
/// Functions give None where the pairs are not as `net.pest` says, which
/// cannot be reached by input.
pub struct Builder {
    source_length: usize,
    offset: usize,
    scan: Scan,
    comments: Vec<Comment>,
    pub(super) errors: Vec<Diagnostic>,
    depth: usize,
}

impl Builder {
    /// All spans are moved by `offset`.
    pub fn new(source: &str, scan: Scan, offset: usize) -> Self {
        let comments = scan
            .comments
            .iter()
            .map(|span| Comment {
                text: span.text(source).to_string(),
                span: span.moved(offset),
            })
            .collect();
        Self {
            source_length: source.len(),
            offset,
            scan,
            comments,
            errors: Vec::new(),
            depth: 0,
        }
    }

    /// The value `build` makes of `pair`, or all errors.
    pub fn finish<T>(
        mut self,
        pair: Pair<'_, Rule>,
        build: fn(&mut Self, Pair<'_, Rule>) -> Option<T>,
    ) -> Result<T, Vec<Diagnostic>> {
        let rule = pair.as_rule();
        let value = build(&mut self, pair);
        match value {
            _ if !self.errors.is_empty() => Err(self.errors),
            Some(value) => Ok(value),
            None => Err(vec![Diagnostic::without_place(
                syntax::UNEXPECTED,
                format!("internal error: the grammar's {rule:?} has an unknown form"),
            )]),
        }
    }

    /// The bytes of a pair. pest lets a pair end behind blanks and comments.
    pub(super) fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        let (start, end) = (pair.as_span().start(), pair.as_span().end());
        let after = self
            .scan
            .tokens
            .partition_point(|token| token.span.end <= end);
        let last = after
            .checked_sub(1)
            .and_then(|index| self.scan.tokens.get(index))
            .map_or(start, |token| token.span.end);
        Span::new(start, last.max(start)).moved(self.offset)
    }

    /// Runs `build` with `levels` more on the depth, or reports that it is too deep.
    pub(super) fn deeper<T>(
        &mut self,
        levels: usize,
        span: Span,
        build: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        if self.depth + levels > DEEPEST {
            self.errors.push(tokens::too_deep(span));
            return None;
        }
        self.depth += levels;
        let value = build(self);
        self.depth -= levels;
        value
    }

    pub fn file(&mut self, pair: Pair<'_, Rule>) -> Option<File> {
        let mut items = Vec::new();
        for pair in pair.into_inner() {
            items.push(match pair.as_rule() {
                Rule::EOI => break,
                Rule::import => Item::Import(self.import(pair)?),
                Rule::block => Item::Block(self.definition(pair)?),
                Rule::net => Item::Net(self.definition(pair)?),
                Rule::train => Item::Train(self.train(pair)?),
                _ => return None,
            });
        }
        Some(File {
            items,
            comments: std::mem::take(&mut self.comments),
            span: Span::new(0, self.source_length).moved(self.offset),
        })
    }

    pub fn lone_expression(&mut self, pair: Pair<'_, Rule>) -> Option<Expr> {
        self.expression(pair.into_inner().next()?)
    }

    fn import(&mut self, pair: Pair<'_, Rule>) -> Option<Import> {
        let span = self.span(&pair);
        let path = parts(pair).next()?;
        Some(Import {
            path: unescape(path.as_str()),
            path_span: self.span(&path),
            span,
        })
    }

    fn definition(&mut self, pair: Pair<'_, Rule>) -> Option<Definition> {
        let span = self.span(&pair);
        let mut inner = parts(pair).peekable();
        let name = self.name(inner.next()?);
        let mut hypers = Vec::new();
        if let Some(pair) = inner.next_if(|pair| pair.as_rule() == Rule::hypers) {
            for hyper in parts(pair) {
                hypers.push(self.hyper(hyper)?);
            }
        }
        Some(Definition {
            name,
            hypers,
            body: self.body(inner.next()?)?,
            span,
        })
    }

    fn hyper(&mut self, pair: Pair<'_, Rule>) -> Option<Hyper> {
        let span = self.span(&pair);
        let mut inner = parts(pair);
        let name = self.name(inner.next()?);
        let default = match inner.next() {
            Some(pair) => Some(self.expression(pair)?),
            None => None,
        };
        Some(Hyper {
            name,
            default,
            span,
        })
    }

    fn train(&mut self, pair: Pair<'_, Rule>) -> Option<Train> {
        let span = self.span(&pair);
        let mut settings = Vec::new();
        for pair in parts(pair) {
            let span = self.span(&pair);
            let mut inner = parts(pair);
            settings.push(Setting {
                name: self.name(inner.next()?),
                value: self.expression(inner.next()?)?,
                span,
            });
        }
        Some(Train { settings, span })
    }

    pub(super) fn body(&mut self, pair: Pair<'_, Rule>) -> Option<Body> {
        let span = self.span(&pair);
        let mut statements = Vec::new();
        let mut result = None;
        for pair in parts(pair) {
            match pair.as_rule() {
                Rule::input => statements.push(Statement::Input(self.input(pair)?)),
                Rule::let_in => statements.push(Statement::Let(self.binding(pair)?)),
                Rule::param => statements.push(Statement::Param(self.param(pair)?)),
                _ => result = Some(Box::new(self.expression(pair)?)),
            }
        }
        Some(Body {
            statements,
            result,
            span,
        })
    }

    fn input(&mut self, pair: Pair<'_, Rule>) -> Option<Input> {
        let span = self.span(&pair);
        let mut inner = parts(pair);
        let name = self.name(inner.next()?);
        let ty = match inner.next() {
            Some(pair) => Some(self.tensor_type(pair)?),
            None => None,
        };
        Some(Input { name, ty, span })
    }

    fn binding(&mut self, pair: Pair<'_, Rule>) -> Option<Let> {
        let span = self.span(&pair);
        let mut inner = parts(pair);
        Some(Let {
            name: self.name(inner.next()?),
            value: self.expression(inner.next()?)?,
            span,
        })
    }

    fn param(&mut self, pair: Pair<'_, Rule>) -> Option<Param> {
        let span = self.span(&pair);
        let mut inner = parts(pair);
        let name = self.name(inner.next()?);
        let ty = self.tensor_type(inner.next()?)?;
        let init = match inner.next() {
            Some(pair) => Some(self.expression(pair)?),
            None => None,
        };
        Some(Param {
            name,
            ty,
            init,
            span,
        })
    }

    fn tensor_type(&mut self, pair: Pair<'_, Rule>) -> Option<TensorType> {
        let span = self.span(&pair);
        let mut inner = parts(pair);
        let element = self.name(inner.next()?);
        let mut dims = Vec::new();
        for pair in inner {
            dims.push(self.expression(pair)?);
        }
        Some(TensorType {
            element,
            dims,
            span,
        })
    }

    pub(super) fn name(&self, pair: Pair<'_, Rule>) -> Name {
        Name {
            span: self.span(&pair),
            text: pair.as_str().to_string(),
        }
    }
}

/// The inner pairs that carry meaning.
pub(super) fn parts(pair: Pair<'_, Rule>) -> impl Iterator<Item = Pair<'_, Rule>> + use<'_> {
    all(pair).filter(|pair| !is_punctuation(pair.as_rule()))
}

fn all(pair: Pair<'_, Rule>) -> Pairs<'_, Rule> {
    pair.into_inner()
}

fn is_punctuation(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::open_brace
            | Rule::close_brace
            | Rule::open_paren
            | Rule::close_paren
            | Rule::open_bracket
            | Rule::close_bracket
            | Rule::semicolon
            | Rule::comma
            | Rule::colon
            | Rule::dot
            | Rule::assign
            | Rule::pipe
            | Rule::kw_import
            | Rule::kw_block
            | Rule::kw_net
            | Rule::kw_train
            | Rule::kw_input
            | Rule::kw_let
            | Rule::kw_param
            | Rule::kw_if
            | Rule::kw_else
            | Rule::kw_repeat
    )
}

/// The value of a string literal.
pub(super) fn unescape(literal: &str) -> String {
    let inner = literal
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .unwrap_or(literal);
    let mut value = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => value.extend(characters.next()),
            c => value.push(c),
        }
    }
    value
}
