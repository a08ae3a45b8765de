//! From the arguments of a call to the options of its signature.

use super::codes::options;
use super::convert::{self, convert};
use super::expander::Expander;
use super::signature::{Bound, Default, Entry, Kind, OptionSpec, Setting, Signature};
use super::value::Value;
use super::waiting::What;
use cnnc_grammar::ast::{Argument, Expr, ExprKind};
use cnnc_grammar::{Diagnostic, Span};

impl Expander<'_> {
    /// The options of one call at `span`; every fault of it is reported.
    pub(super) fn bind(
        &mut self,
        signature: &Signature,
        arguments: &[Argument],
        span: Span,
    ) -> Option<Bound> {
        let before = self.faults;
        let joined = join_extents(signature, arguments);
        let arguments = joined.as_deref().unwrap_or(arguments);
        let mut given: Vec<(&'static OptionSpec, Option<Setting>, Span)> = Vec::new();
        let mut extra = 0;
        let mut positions = signature.options.iter().filter(|option| option.positional);
        for argument in arguments {
            let option = match &argument.name {
                None => match positions.next() {
                    Some(option) => Some(option),
                    None => {
                        self.report_too_many(signature, argument, &given, extra);
                        extra += 1;
                        None
                    }
                },
                Some(name) => {
                    let option = signature.option(&name.text);
                    if option.is_none() {
                        let error = Diagnostic::new(
                            options::UNKNOWN_OPTION,
                            format!("`{}` has no option `{}`", signature.name, name.text),
                            name.span,
                            "unknown option",
                        );
                        self.report(with_known_options(error, signature, &name.text));
                    }
                    option
                }
            };
            let Some(option) = option else {
                continue;
            };
            if let Some((_, _, first)) =
                given.iter().find(|(known, _, _)| known.name == option.name)
            {
                self.report(
                    Diagnostic::new(
                        options::TWICE,
                        format!("`{}` of `{}` is given twice", option.name, signature.name),
                        argument.span,
                        "given again",
                    )
                    .with_place(*first, "given first"),
                );
                continue;
            }
            let setting = self.setting(signature, option, &argument.value);
            given.push((option, setting, argument.span));
        }
        let mut bound = Bound::default();
        for option in signature.options {
            let found = given.iter().find(|(known, _, _)| known.name == option.name);
            let (setting, place) = match (found, option.default) {
                (Some((_, setting, place)), _) => (*setting, Some(*place)),
                (None, Some(Default::Value(setting))) => (Some(setting), None),
                (None, Some(Default::As(other))) => {
                    (bound.entry(other).map(|entry| entry.setting), None)
                }
                (None, None) => {
                    self.report_missing(signature, option, arguments, span);
                    (None, None)
                }
            };
            bound.entries.extend(setting.map(|setting| Entry {
                name: option.name,
                setting,
                span: place,
            }));
        }
        (self.faults == before && bound.entries.len() == signature.options.len()).then_some(bound)
    }

    fn setting(&mut self, of: &Signature, option: &OptionSpec, expr: &Expr) -> Option<Setting> {
        if option.kind == Kind::Initializer {
            return self.initializer(expr).map(Setting::Initializer);
        }
        let words = convert::words(option.kind);
        if let ExprKind::Name(word) = &expr.peel().kind
            && !words.is_empty()
            && !words.contains(&word.as_str())
            && self.local(word).is_none()
        {
            let known = words.join("` or `");
            let error = Diagnostic::new(
                options::UNKNOWN_VALUE,
                format!("`{}` of `{}` cannot be `{word}`", option.name, of.name),
                expr.span,
                format!("expected {}", convert::expected(option.kind)),
            );
            let near = cnnc_grammar::diagnostics::nearest(word, words.iter().copied());
            self.report(match near {
                Some(near) => error.with_hint(format!("did you mean `{near}`?")),
                None => error.with_hint(format!("the words are `{known}`")),
            });
            return None;
        }
        // A word may also be the name of an op: `gelu(approximate=tanh)`.
        let value = match &expr.peel().kind {
            ExprKind::Name(word)
                if words.contains(&word.as_str()) && self.local(word).is_none() =>
            {
                Value::Word(word.clone())
            }
            _ => {
                let value = self.eval(expr)?;
                self.as_word(&value, words).unwrap_or(value)
            }
        };
        match convert(option.kind, &value) {
            Ok(setting) => Some(setting),
            Err(mismatch) => {
                let error = Diagnostic::new(
                    mismatch.code,
                    format!(
                        "`{}` of `{}` cannot be {}",
                        option.name,
                        of.name,
                        value.describe()
                    ),
                    expr.span,
                    format!("expected {}", convert::expected(option.kind)),
                );
                let error = match mismatch.hint {
                    Some(hint) => error.with_hint(hint),
                    None => error,
                };
                self.report(match value {
                    Value::Tensor(_) => {
                        error.with_hint(format!("feed a tensor with `|>`: `x |> {}`", of.name))
                    }
                    _ => error,
                });
                None
            }
        }
    }

    /// The word that an op handed on by a hyper-parameter is here.
    fn as_word(&self, value: &Value, words: &[&str]) -> Option<Value> {
        let Value::Layer(id) = value else {
            return None;
        };
        match &self.waiting.get(id.0)?.what {
            What::Op { op, .. } if words.contains(&op.signature.name) => {
                Some(Value::Word(op.signature.name.to_string()))
            }
            _ => None,
        }
    }

    fn report_too_many(
        &mut self,
        signature: &Signature,
        argument: &Argument,
        given: &[(&'static OptionSpec, Option<Setting>, Span)],
        extra: usize,
    ) {
        let positional = signature
            .options
            .iter()
            .filter(|option| option.positional)
            .count();
        let value = self.eval(&argument.value);
        if let Some(Value::Tensor(_) | Value::Parameter(_)) = value {
            self.report(
                Diagnostic::new(
                    options::TENSOR_COUNT,
                    format!("`{}` takes its tensor from `|>`", signature.name),
                    argument.span,
                    "a tensor cannot stand here",
                )
                .with_hint(format!("write `x |> {}`", signature.name)),
            );
            return;
        }
        let message = match positional {
            0 => format!("`{}` takes no value without a name", signature.name),
            1 => format!("`{}` takes one value without a name", signature.name),
            n => format!("`{}` takes {n} values without a name", signature.name),
        };
        let error = Diagnostic::new(
            options::TOO_MANY,
            message,
            argument.span,
            "which option is this?",
        );
        let next = signature
            .options
            .iter()
            .filter(|option| {
                !option.positional && !given.iter().any(|(known, _, _)| known.name == option.name)
            })
            .nth(extra);
        let text = value.as_ref().and_then(Value::text);
        self.report(match (next, text) {
            (Some(next), Some(text)) => {
                error.with_hint(format!("did you mean `{}={text}`?", next.name))
            }
            _ => error,
        });
    }

    fn report_missing(
        &mut self,
        signature: &Signature,
        option: &OptionSpec,
        arguments: &[Argument],
        span: Span,
    ) {
        // A misspelt name or a value without one may well be the missing option;
        // its own error says enough.
        let misspelt = arguments.iter().any(|argument| {
            argument
                .name
                .as_ref()
                .is_some_and(|name| signature.option(&name.text).is_none())
        });
        let unnamed = arguments
            .iter()
            .filter(|argument| argument.name.is_none())
            .count();
        let positional = signature
            .options
            .iter()
            .filter(|option| option.positional)
            .count();
        if misspelt || unnamed > positional {
            return;
        }
        let expected = convert::expected(option.kind);
        let error = Diagnostic::new(
            options::MISSING_OPTION,
            format!("`{}` needs `{}`", signature.name, option.name),
            span,
            format!("`{}` is missing: {expected}", option.name),
        );
        self.report(if option.positional {
            error.with_hint(format!("write `{}(...)`", signature.name))
        } else {
            error.with_hint(format!("add `{}=...`", option.name))
        });
    }
}

/// `reshape(16, 7, 7)` as `reshape((16, 7, 7))`.
fn join_extents(signature: &Signature, arguments: &[Argument]) -> Option<Vec<Argument>> {
    let first = signature.options.first()?;
    let unnamed = || arguments.iter().filter(|argument| argument.name.is_none());
    if !first.positional || first.kind != Kind::Extents || unnamed().count() < 2 {
        return None;
    }
    let start = unnamed().next()?.span.start;
    let span = Span::new(start, unnamed().next_back()?.span.end);
    let extents = unnamed().map(|argument| argument.value.clone()).collect();
    let tuple = Argument {
        name: None,
        value: Expr {
            kind: ExprKind::Tuple(extents),
            span,
        },
        span,
    };
    let named = arguments.iter().filter(|argument| argument.name.is_some());
    Some([tuple].into_iter().chain(named.cloned()).collect())
}

fn with_known_options(error: Diagnostic, signature: &Signature, typed: &str) -> Diagnostic {
    let known: Vec<&str> = signature.options.iter().map(|option| option.name).collect();
    let near = cnnc_grammar::diagnostics::nearest(typed, known.iter().copied());
    match near {
        Some(near) => error.with_hint(format!("did you mean `{near}`?")),
        None if known.is_empty() => error.with_hint(format!("`{}` has no options", signature.name)),
        None => error.with_hint(format!("its options are `{}`", known.join("`, `"))),
    }
}
