//! `normalize = (mean, std)`

use super::config::Normalize;
use crate::network::codes::{options, train};
use crate::network::expander::Expander;
use crate::network::value::Value;
use cnnc_grammar::ast::Expr;
use cnnc_grammar::{Diagnostic, Span};

const EXPECTED: &str = "expected (mean, std): each a number, or a tuple of one number per channel";

/// Why a value is no `(mean, std)`.
enum Fault {
    Type,
    Range,
    Lengths(usize, usize),
}

impl Expander<'_> {
    /// `(mean, std)`, each one number or one per channel, standard deviations
    /// above 0.
    pub(super) fn normalize(&mut self, expr: &Expr) -> Option<Normalize> {
        let value = self.eval(expr)?;
        let fault = match normalize(&value) {
            Ok(normalize) => return Some(normalize),
            Err(fault) => fault,
        };
        let refused = format!("`normalize` cannot be {}", value.describe());
        self.report(match fault {
            Fault::Type => Diagnostic::new(options::WRONG_TYPE, refused, expr.span, EXPECTED),
            Fault::Range => Diagnostic::new(
                options::OUT_OF_RANGE,
                refused,
                expr.span,
                "expected standard deviations above 0",
            ),
            Fault::Lengths(means, stds) => Diagnostic::new(
                train::CONFLICT,
                format!("`normalize` has {means} means and {stds} standard deviations"),
                expr.span,
                EXPECTED,
            ),
        });
        None
    }

    /// Checks that there is one mean for all channels of the image or one for
    /// each; `place` is where `normalize` is set.
    pub(in crate::network) fn check_normalize(&mut self, normalize: &Normalize, place: Span) {
        let image = self.inputs.first().map(|input| input.tensor);
        let shape = image.and_then(|image| self.tensor(image)).map(|t| &t.shape);
        let Some(&channels) = shape.and_then(|shape| shape.first()) else {
            return;
        };
        let given = normalize.mean.len();
        if given == 1 || i64::try_from(given) == Ok(channels) {
            return;
        }
        self.report(
            Diagnostic::new(
                train::CONFLICT,
                format!("`normalize` is for {given} channels, the images have {channels}"),
                place,
                EXPECTED,
            )
            .with_hint("one number stands for all channels"),
        );
    }
}

fn normalize(value: &Value) -> Result<Normalize, Fault> {
    let Value::Tuple(items) = value else {
        return Err(Fault::Type);
    };
    let [mean, std] = items.as_slice() else {
        return Err(Fault::Type);
    };
    let (mean, std) = (numbers(mean)?, numbers(std)?);
    if std.iter().any(|&std| std <= 0.0) {
        return Err(Fault::Range);
    }
    if mean.len() != std.len() {
        return Err(Fault::Lengths(mean.len(), std.len()));
    }
    Ok(Normalize { mean, std })
}

fn numbers(value: &Value) -> Result<Vec<f64>, Fault> {
    match value {
        Value::Tuple(items) if !items.is_empty() => items.iter().map(number).collect(),
        value => number(value).map(|number| vec![number]),
    }
}

fn number(value: &Value) -> Result<f64, Fault> {
    match value {
        Value::Integer(value) => Ok(*value as f64),
        // Always finite.
        Value::Float(value) => Ok(*value),
        _ => Err(Fault::Type),
    }
}
