//! The canonical text of a file.

mod expr;
mod writer;

use crate::ast::{Body, Definition, File, Item, Setting, Statement, TensorType};
use crate::diagnostics::Diagnostic;
use crate::lexer::scan;
use writer::Writer;

/// Columns of one level of braces.
const INDENT: usize = 4;

/// The canonical text of `source`: the same AST, with the same comments.
///
/// Braces of items hold one statement per line, four blanks deep; settings have
/// their `=` in one column. A chain of `|>` is broken where the author broke it,
/// and then goes on below its first `|>`, or two blanks deep where that starts a
/// line. Other line breaks of the author stay behind `,`, operators and opening
/// brackets. Of blank lines, one stays. Formatting twice changes nothing.
///
/// # Errors
/// Those of [`crate::parse`].
pub fn format(source: &str) -> Result<String, Vec<Diagnostic>> {
    let file = crate::parse(source)?;
    let mut writer = Writer::new(source, scan(source));
    writer.file(&file);
    Ok(writer.finish())
}

impl Writer<'_> {
    fn file(&mut self, file: &File) {
        for item in &file.items {
            self.new_line(true);
            match item {
                Item::Import(_) => {
                    self.token();
                    self.space();
                    self.token();
                    self.token();
                }
                Item::Block(definition) | Item::Net(definition) => self.definition(definition),
                Item::Train(train) => {
                    self.token();
                    self.space();
                    self.settings(&train.settings);
                }
            }
        }
    }

    fn definition(&mut self, definition: &Definition) {
        self.token();
        self.space();
        self.token();
        if self.next_is("(") {
            self.list(&definition.hypers, |writer, hyper| {
                writer.token();
                if let Some(default) = &hyper.default {
                    writer.token();
                    writer.expr(default);
                }
            });
        }
        self.space();
        self.body(&definition.body, true);
    }

    fn settings(&mut self, settings: &[Setting]) {
        let width = settings
            .iter()
            .map(|setting| setting.name.text.len())
            .max()
            .unwrap_or(0);
        self.token();
        self.deeper(INDENT, |writer| {
            for (index, setting) in settings.iter().enumerate() {
                writer.new_line(index > 0);
                writer.token();
                writer.spaces(width + 1 - setting.name.text.len());
                writer.token();
                writer.space();
                writer.expr(&setting.value);
                writer.token();
            }
            writer.comments_before_closer();
        });
        if !settings.is_empty() || self.after_comment() {
            self.new_line(false);
        }
        self.token();
    }

    /// Braces; on one line where `tall` is false and the author had it so.
    pub(super) fn body(&mut self, body: &Body, tall: bool) {
        self.token();
        let empty = body.statements.is_empty() && body.result.is_none();
        let tall = (tall && !empty) || !body.statements.is_empty() || self.broken_here();
        let before = self.indent();
        self.deeper(INDENT, |writer| {
            let mut first = true;
            for statement in &body.statements {
                writer.new_line(!first);
                writer.statement(statement);
                first = false;
            }
            if let Some(result) = &body.result {
                if tall {
                    writer.new_line(!first);
                } else {
                    writer.space();
                }
                writer.expr(result);
            }
            writer.comments_before_closer();
        });
        self.at_indent(before, |writer| {
            if (tall && !empty) || writer.after_comment() {
                writer.new_line(false);
            } else if !empty {
                writer.space();
            }
            writer.token();
        });
    }

    fn statement(&mut self, statement: &Statement) {
        self.token();
        self.space();
        self.token();
        while self.next_is(".") {
            self.token();
            self.token();
        }
        match statement {
            Statement::Input(input) => {
                if let Some(ty) = &input.ty {
                    self.token();
                    self.space();
                    self.tensor_type(ty);
                }
            }
            Statement::Let(binding) => {
                self.space();
                self.token();
                self.gap();
                self.expr(&binding.value);
            }
            Statement::Param(param) => {
                self.token();
                self.space();
                self.tensor_type(&param.ty);
                if let Some(init) = &param.init {
                    self.space();
                    self.token();
                    self.space();
                    self.expr(init);
                }
            }
        }
        self.token();
    }

    fn tensor_type(&mut self, ty: &TensorType) {
        self.token();
        self.list(&ty.dims, Self::expr);
    }
}
