//! The `train` section: one file per setting with options, `settings` for what
//! is set where, `config` for what comes out, `text` for the way back.

pub(super) mod augment;
pub(super) mod config;
pub(super) mod loss;
mod normalize;
pub(super) mod optimizer;
pub(super) mod schedule;
pub(super) mod settings;
mod text;

pub(super) use text::train_text;

use super::codes::train as codes;
use super::convert::{convert, expected};
use super::expander::Expander;
use super::overrides::Overrides;
use super::signature::{Kind, Range, Setting};
use augment::DECAYS;
use cnnc_grammar::ast::{self, Expr};
use cnnc_grammar::{Diagnostic, Span};
use config::{Schedule, TrainConfig};
use loss::LOSSES;
use optimizer::OPTIMIZERS;
use schedule::SCHEDULES;
use settings::Settings;

/// A `train` section without errors of its own.
pub(super) struct Section {
    pub config: TrainConfig,
    /// Where `normalize` is set.
    pub normalize: Option<Span>,
}

impl Expander<'_> {
    /// The configuration of `section`, where one is given, with `overrides`; None
    /// where anything of it is refused.
    pub(super) fn train(
        &mut self,
        section: Option<&ast::Train>,
        overrides: &Overrides,
    ) -> Option<Section> {
        let before = self.faults;
        let settings = self.settings(section, overrides);
        let mut config = TrainConfig::default();
        self.set(&mut config, &settings);
        self.check_schedule(&config, &settings);
        (self.faults == before).then(|| Section {
            config,
            normalize: settings.get("normalize").map(|expr| expr.span),
        })
    }

    fn set(&mut self, config: &mut TrainConfig, settings: &Settings) {
        macro_rules! chosen {
            ($($field:ident from $table:ident;)*) => {$(
                if let Some(expr) = settings.get(stringify!($field))
                    && let Some(value) = self.choose($table, stringify!($field), expr)
                {
                    config.$field = value;
                }
            )*};
        }
        macro_rules! plain {
            ($($field:ident: $kind:expr => $setting:ident($value:ident) => $result:expr;)*) => {$(
                if let Some(expr) = settings.get(stringify!($field))
                    && let Some(Setting::$setting($value)) =
                        self.plain(stringify!($field), expr, $kind)
                {
                    config.$field = $result;
                }
            )*};
        }
        chosen! {
            loss from LOSSES;
            optimizer from OPTIMIZERS;
            schedule from SCHEDULES;
            decay from DECAYS;
        }
        plain! {
            clip_norm: Kind::Float(Range::NotNegative) => Float(norm) => Some(norm);
            ema: Kind::Float(Range::Fraction) => Float(kept) => Some(kept);
            accumulate: Kind::Integer { least: 1 } => Integer(count) => count;
            batch: Kind::Integer { least: 1 } => Integer(count) => count;
            epochs: Kind::Integer { least: 1 } => Integer(count) => count;
            shuffle: Kind::Bool => Bool(shuffle) => shuffle;
            seed: Kind::Integer { least: 0 } => Integer(seed) => seed.unsigned_abs();
        }
        if let Some(expr) = settings.get("augment") {
            config.augment = self.augmentations(expr).unwrap_or_default();
        }
        if let Some(expr) = settings.get("normalize") {
            config.normalize = self.normalize(expr);
        }
    }

    /// A schedule that ends above where it begins is a slip.
    fn check_schedule(&mut self, config: &TrainConfig, settings: &Settings) {
        let Schedule::Cosine { min, .. } = config.schedule else {
            return;
        };
        let lr = config.optimizer.lr();
        let Some(expr) = settings.get("schedule").filter(|_| min > lr) else {
            return;
        };
        self.report(
            Diagnostic::new(
                codes::CONFLICT,
                format!("`min` of `cosine` is {min:?}, above the learning rate {lr:?}"),
                expr.span,
                "would end above where it begins",
            )
            .with_hint("`min` is the learning rate after the last update, `lr` of the optimizer the one it falls from"),
        );
    }

    fn plain(&mut self, name: &str, expr: &Expr, kind: Kind) -> Option<Setting> {
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
