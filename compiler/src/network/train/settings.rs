//! What is set where, in the file and by `--set`.

use super::config::TrainConfig;
use super::loss::LOSSES;
use super::optimizer::OPTIMIZERS;
use super::schedule::SCHEDULES;
use crate::network::choice::Choice;
use crate::network::codes::train;
use crate::network::expander::Expander;
use crate::network::overrides::{Overrides, with_option};
use crate::network::signature::{OptionSpec, Signature};
use cnnc_grammar::ast::{self, Argument, Call, Expr, ExprKind, Name};
use cnnc_grammar::diagnostics::nearest;
use cnnc_grammar::{Diagnostic, Span};

/// Every setting.
pub(in crate::network) const SETTINGS: &[&str] = &[
    "loss",
    "optimizer",
    "schedule",
    "clip_norm",
    "decay",
    "ema",
    "accumulate",
    "batch",
    "epochs",
    "shuffle",
    "seed",
    "augment",
    "normalize",
];

/// Settings by name; overrides have taken their places.
pub(super) struct Settings(Vec<(Name, Expr)>);

impl Settings {
    pub fn get(&self, name: &str) -> Option<&Expr> {
        self.0
            .iter()
            .find(|(known, _)| known.text == name)
            .map(|(_, expr)| expr)
    }
}

impl Expander<'_> {
    pub(super) fn settings(
        &mut self,
        section: Option<&ast::Train>,
        overrides: &Overrides,
    ) -> Settings {
        let mut settings: Vec<(Name, Expr)> = Vec::new();
        for setting in section.map_or(&[][..], |section| &section.settings) {
            let first = settings
                .iter()
                .find(|(name, _)| name.text == setting.name.text);
            if let Some((first, _)) = first {
                let error = Diagnostic::new(
                    train::SET_TWICE,
                    format!("`{}` is set twice", setting.name.text),
                    setting.name.span,
                    "set again",
                );
                self.report(error.with_place(first.span, "set first"));
                continue;
            }
            settings.push((setting.name.clone(), setting.value.clone()));
        }
        for (name, value) in &overrides.settings {
            settings.retain(|(known, _)| known.text != *name);
            let name = Name {
                text: name.clone(),
                span: value.span,
            };
            settings.push((name, value.clone()));
        }
        for ((setting, option), value) in &overrides.options {
            self.override_option(&mut settings, setting, option, value);
        }
        for (name, _) in &settings {
            self.check_setting(name);
        }
        Settings(settings)
    }

    fn check_setting(&mut self, name: &Name) {
        if SETTINGS.contains(&name.text.as_str()) {
            return;
        }
        let error = Diagnostic::new(
            train::UNKNOWN_SETTING,
            format!("there is no setting `{}`", name.text),
            name.span,
            "unknown setting",
        );
        self.report(match nearest(&name.text, SETTINGS.iter().copied()) {
            Some(near) => error.with_hint(format!("did you mean `{near}`?")),
            None if matches!(name.text.as_str(), "lr" | "learning_rate") => {
                error.with_hint("the learning rate is an option, `optimizer = sgd(lr=0.1);` or `--set train.optimizer.lr=0.1`")
            }
            None => error.with_hint(format!("the settings are `{}`", SETTINGS.join("`, `"))),
        });
    }

    fn override_option(
        &mut self,
        settings: &mut Vec<(Name, Expr)>,
        setting: &str,
        option: &str,
        value: &Expr,
    ) {
        let Some(table) = signatures(setting) else {
            self.report(
                Diagnostic::new(
                    train::UNKNOWN_KEY,
                    format!("`train.{setting}.{option}` cannot be set"),
                    value.span,
                    "",
                )
                .with_hint("`loss`, `optimizer` and `schedule` are the settings that have options"),
            );
            return;
        };
        let place = settings.iter().position(|(name, _)| name.text == setting);
        let index = place.unwrap_or_else(|| {
            let name = Name {
                text: setting.to_string(),
                span: value.span,
            };
            settings.push((name, default(setting, value.span)));
            settings.len() - 1
        });
        if let Some((_, expr)) = settings.get_mut(index) {
            let position = position(&table, expr, option);
            // What is no call has its own error.
            if let Some(changed) = with_option(expr, option, position, value) {
                *expr = changed;
            }
        }
    }
}

/// What a setting with options chooses from.
fn signatures(setting: &str) -> Option<Vec<&'static Signature>> {
    fn of<T>(table: &'static [Choice<T>]) -> Option<Vec<&'static Signature>> {
        Some(table.iter().map(|choice| &choice.signature).collect())
    }
    match setting {
        "loss" => of(LOSSES),
        "optimizer" => of(OPTIMIZERS),
        "schedule" => of(SCHEDULES),
        _ => None,
    }
}

/// What a setting with options is where it is not set.
fn default(setting: &str, span: Span) -> Expr {
    let config = TrainConfig::default();
    match setting {
        "loss" => call(config.loss.name(), &[], span),
        "optimizer" => {
            let optimizer = config.optimizer;
            call(optimizer.name(), &[("lr", optimizer.lr())], span)
        }
        _ => call("constant", &[], span),
    }
}

fn call(name: &str, options: &[(&str, f64)], span: Span) -> Expr {
    let name_at = |text: &str| Name {
        text: text.to_string(),
        span,
    };
    let arguments = options
        .iter()
        .map(|(option, value)| Argument {
            name: Some(name_at(option)),
            value: Expr {
                kind: ExprKind::Float(*value),
                span,
            },
            span,
        })
        .collect();
    Expr {
        kind: ExprKind::Call(Call {
            callee: name_at(name),
            arguments,
        }),
        span,
    }
}

/// The place of `option` among the unnamed options of what `expr` chooses.
fn position(table: &[&'static Signature], expr: &Expr, option: &str) -> Option<usize> {
    let (ExprKind::Name(callee)
    | ExprKind::Call(Call {
        callee: Name { text: callee, .. },
        ..
    })) = &expr.peel().kind
    else {
        return None;
    };
    let chosen = table.iter().find(|signature| signature.name == callee)?;
    let positional = |spec: &&OptionSpec| spec.positional;
    let mut options = chosen.options.iter().filter(positional);
    options.position(|spec| spec.name == option)
}
