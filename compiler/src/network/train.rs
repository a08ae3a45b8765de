//! The `train` section.

use super::choice::{Choice, LOSSES, OPTIMIZERS};
use super::codes::{names, train};
use super::convert::{convert, expected};
use super::expander::Expander;
use super::graph::{Optimizer, TrainConfig};
use super::overrides::{Overrides, with_option};
use super::signature::{Kind, Setting};
use cnnc_grammar::ast::{self, Argument, Call, Expr, ExprKind, Name};
use cnnc_grammar::diagnostics::nearest;
use cnnc_grammar::{Diagnostic, Span};

/// Settings of this version.
const SETTINGS: &[&str] = &[
    "loss",
    "optimizer",
    "batch",
    "epochs",
    "shuffle",
    "seed",
    "normalize",
];

/// Settings of the language that this version lacks.
const PLANNED: &[&str] = &[
    "schedule",
    "clip_norm",
    "decay",
    "ema",
    "accumulate",
    "augment",
];

/// Settings by name; overrides have taken their places.
struct Settings(Vec<(Name, Expr)>);

impl Expander {
    /// The configuration of `section`, where one is given, with `overrides`; None
    /// where anything of it is refused.
    pub(super) fn train(
        &mut self,
        section: Option<&ast::Train>,
        overrides: &mut Overrides,
    ) -> Option<TrainConfig> {
        let before = self.errors.len();
        let settings = self.settings(section, overrides);
        let default = TrainConfig::default();
        let loss = self.chosen(&settings, "loss", LOSSES, default.loss);
        let optimizer = self.chosen(&settings, "optimizer", OPTIMIZERS, default.optimizer);
        let mut config = TrainConfig {
            loss: loss.unwrap_or(default.loss),
            optimizer: optimizer.unwrap_or(default.optimizer),
            ..default
        };
        let count = Kind::Integer { least: 1 };
        if let Some(Setting::Integer(value)) = self.plain(&settings, "batch", count) {
            config.batch = value;
        }
        if let Some(Setting::Integer(value)) = self.plain(&settings, "epochs", count) {
            config.epochs = value;
        }
        if let Some(Setting::Bool(value)) = self.plain(&settings, "shuffle", Kind::Bool) {
            config.shuffle = value;
        }
        let seed = self.plain(&settings, "seed", Kind::Integer { least: 0 });
        if let Some(Setting::Integer(value)) = seed {
            config.seed = value.unsigned_abs();
        }
        let normalize = self.plain(&settings, "normalize", Kind::MeanAndStd);
        if let Some(Setting::MeanAndStd(mean, std)) = normalize {
            config.normalize = Some((mean, std));
        }
        (self.errors.len() == before).then_some(config)
    }

    fn settings(&mut self, section: Option<&ast::Train>, overrides: &Overrides) -> Settings {
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
        if PLANNED.contains(&name.text.as_str()) {
            self.report(Diagnostic::new(
                names::NOT_YET,
                format!("the setting `{}` is not supported yet", name.text),
                name.span,
                "this version cannot compile it",
            ));
            return;
        }
        let error = Diagnostic::new(
            train::UNKNOWN_SETTING,
            format!("there is no setting `{}`", name.text),
            name.span,
            "unknown setting",
        );
        let known = SETTINGS.iter().chain(PLANNED).copied();
        self.report(match nearest(&name.text, known) {
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
        let default = match setting {
            "loss" => Some(call("softmax_cross_entropy", &[], value.span)),
            "optimizer" => {
                let Optimizer::Sgd { lr } = TrainConfig::default().optimizer;
                Some(call("sgd", &[("lr", lr)], value.span))
            }
            _ => None,
        };
        let Some(default) = default else {
            self.report(
                Diagnostic::new(
                    train::UNKNOWN_KEY,
                    format!("`train.{setting}.{option}` cannot be set"),
                    value.span,
                    "",
                )
                .with_hint("`loss` and `optimizer` are the settings that have options"),
            );
            return;
        };
        let place = settings.iter().position(|(name, _)| name.text == setting);
        let index = place.unwrap_or_else(|| {
            let name = Name {
                text: setting.to_string(),
                span: value.span,
            };
            settings.push((name, default));
            settings.len() - 1
        });
        if let Some((_, expr)) = settings.get_mut(index) {
            let position = position(setting, expr, option);
            // What is no call has its own error.
            if let Some(changed) = with_option(expr, option, position, value) {
                *expr = changed;
            }
        }
    }

    fn chosen<T: Copy>(
        &mut self,
        settings: &Settings,
        name: &'static str,
        table: &'static [Choice<T>],
        default: T,
    ) -> Option<T> {
        match settings.get(name) {
            Some(expr) => self.choose(table, name, expr),
            None => Some(default),
        }
    }

    fn plain(&mut self, settings: &Settings, name: &str, kind: Kind) -> Option<Setting> {
        let expr = settings.get(name)?;
        let value = self.eval(expr)?;
        match convert(kind, &value) {
            Ok(setting) => Some(setting),
            Err(mismatch) => {
                let error = Diagnostic::new(
                    mismatch.code,
                    format!("`{name}` cannot be {}", value.describe()),
                    expr.span,
                    format!("expected {}", expected(kind)),
                );
                self.report(match mismatch.hint {
                    Some(hint) => error.with_hint(hint),
                    None => error,
                });
                None
            }
        }
    }
}

impl Settings {
    fn get(&self, name: &str) -> Option<&Expr> {
        self.0
            .iter()
            .find(|(known, _)| known.text == name)
            .map(|(_, expr)| expr)
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
fn position(setting: &str, expr: &Expr, option: &str) -> Option<usize> {
    let (ExprKind::Name(callee)
    | ExprKind::Call(Call {
        callee: Name { text: callee, .. },
        ..
    })) = &expr.peel().kind
    else {
        return None;
    };
    let options = match setting {
        "optimizer" => options_of(OPTIMIZERS, callee)?,
        _ => options_of(LOSSES, callee)?,
    };
    options
        .iter()
        .filter(|spec| spec.positional)
        .position(|spec| spec.name == option)
}

fn options_of<T>(
    table: &'static [Choice<T>],
    name: &str,
) -> Option<&'static [super::signature::OptionSpec]> {
    table
        .iter()
        .find(|choice| choice.signature.name == name)
        .map(|choice| choice.signature.options)
}
