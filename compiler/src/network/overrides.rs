//! `--set key=value` and `--net 'name(key=value)'`: values that take the place of
//! those in the file.
//!
//! Each value is parsed at places behind the end of the file, so that errors in
//! it can be told from errors in the file.

use super::codes::names::NO_SUCH_NET;
use super::codes::train::UNKNOWN_KEY;
use cnnc_grammar::ast::{Argument, Call, Expr, ExprKind, Name};
use cnnc_grammar::{Diagnostic, Span, parse_expression};
use std::collections::BTreeMap;

/// The parsed overrides.
#[derive(Default)]
pub(super) struct Overrides {
    /// The net, and its hyper-parameters as a call.
    pub net: Option<Call>,
    /// Of hyper-parameters of the net.
    pub hypers: BTreeMap<String, Expr>,
    /// Of settings, such as `batch`.
    pub settings: BTreeMap<String, Expr>,
    /// Of options of settings, such as `(optimizer, lr)`.
    pub options: BTreeMap<(String, String), Expr>,
    texts: Vec<Text>,
}

struct Text {
    span: Span,
    shown: String,
}

impl Overrides {
    /// Parses `net` and `given`; the files end at `end`.
    pub fn read(
        net: Option<&str>,
        given: &[(String, String)],
        end: usize,
        errors: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut overrides = Self::default();
        let mut offset = end + 1;
        if let Some(net) = net {
            let span = Span::new(offset, offset + net.len());
            overrides.texts.push(Text {
                span,
                shown: format!("--net {net}"),
            });
            offset = span.end + 1;
            overrides.net = named_net(net, span, errors);
        }
        for (key, value) in given {
            let span = Span::new(offset, offset + value.len());
            overrides.texts.push(Text {
                span,
                shown: format!("--set {key}={value}"),
            });
            offset = span.end + 1;
            match parse_expression(value, span.start) {
                Ok(expr) => overrides.insert(key, expr, span, errors),
                Err(faults) => errors.extend(faults),
            }
        }
        overrides
    }

    fn insert(&mut self, key: &str, expr: Expr, span: Span, errors: &mut Vec<Diagnostic>) {
        let parts: Vec<&str> = key.split('.').collect();
        match parts.as_slice() {
            ["train", setting, option] => {
                let key = (setting.to_string(), option.to_string());
                self.options.insert(key, expr);
            }
            ["train", setting] => {
                self.settings.insert(setting.to_string(), expr);
            }
            [hyper] => {
                self.hypers.insert(hyper.to_string(), expr);
            }
            _ => errors.push(
                Diagnostic::new(UNKNOWN_KEY, format!("`{key}` cannot be set"), span, "")
                    .with_hint("keys are like `classes`, `train.batch` or `train.optimizer.lr`"),
            ),
        }
    }

    /// Replaces places in overrides by a note that shows the override.
    pub fn without_virtual_places(&self, errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
        errors.into_iter().map(|error| self.plain(error)).collect()
    }

    fn plain(&self, mut error: Diagnostic) -> Diagnostic {
        let mut notes = Vec::new();
        error.labels.retain(|label| {
            let found = self.texts.iter().find(|text| {
                text.span.start <= label.span.start && label.span.start <= text.span.end
            });
            if let Some(text) = found {
                notes.push(match label.text.as_str() {
                    "" => format!("in `{}`", text.shown),
                    remark => format!("in `{}`: {remark}", text.shown),
                });
            }
            found.is_none()
        });
        // A place in the file is shown as the main one where no other is left.
        if !error.labels.iter().any(|label| label.primary)
            && let Some(first) = error.labels.first_mut()
        {
            first.primary = true;
        }
        error.notes.splice(0..0, notes);
        error
    }
}

/// `resnet18` or `resnet18(classes=10)`. What cannot be read is taken for a name.
fn named_net(text: &str, span: Span, errors: &mut Vec<Diagnostic>) -> Option<Call> {
    let plain = |text: &str| Call {
        callee: Name {
            text: text.to_string(),
            span,
        },
        arguments: Vec::new(),
    };
    match parse_expression(text, span.start) {
        Ok(Expr {
            kind: ExprKind::Call(call),
            ..
        }) => Some(call),
        Ok(Expr {
            kind: ExprKind::Name(name),
            ..
        }) => Some(plain(&name)),
        Err(faults) if text.contains('(') => {
            errors.extend(faults);
            None
        }
        _ if text.contains('(') => {
            let message = format!("`{text}` does not name a net");
            let error = Diagnostic::new(NO_SUCH_NET, message, span, "");
            errors.push(error.with_hint("write `--net name` or `--net 'name(key=value)'`"));
            None
        }
        _ => Some(plain(text)),
    }
}

/// `expr` with its option `option` set to `value`; `position` is the place of
/// that option among those that need no name.
pub(super) fn with_option(
    expr: &Expr,
    option: &str,
    position: Option<usize>,
    value: &Expr,
) -> Option<Expr> {
    let mut call = match &expr.peel().kind {
        ExprKind::Name(name) => Call {
            callee: Name {
                text: name.clone(),
                span: expr.span,
            },
            arguments: Vec::new(),
        },
        ExprKind::Call(call) => call.clone(),
        _ => return None,
    };
    let named = call.arguments.iter().position(|argument| {
        argument
            .name
            .as_ref()
            .is_some_and(|name| name.text == option)
    });
    let unnamed = position.filter(|index| {
        call.arguments
            .get(*index)
            .is_some_and(|argument| argument.name.is_none())
    });
    match named
        .or(unnamed)
        .and_then(|index| call.arguments.get_mut(index))
    {
        Some(argument) => argument.value = value.clone(),
        None => call.arguments.push(Argument {
            name: Some(Name {
                text: option.to_string(),
                span: value.span,
            }),
            value: value.clone(),
            span: value.span,
        }),
    }
    Some(Expr {
        kind: ExprKind::Call(call),
        span: expr.span,
    })
}
