//! `augment = [...]` and `decay = ...`

use super::config::{Augmentation, Decay};
use crate::network::choice::{Choice, plain, with_options};
use crate::network::codes::options;
use crate::network::expander::Expander;
use crate::network::signature::{Kind, OptionSpec};
use cnnc_grammar::Diagnostic;
use cnnc_grammar::ast::{Expr, ExprKind};

/// What happens to training images.
pub(in crate::network) static AUGMENTATIONS: &[Choice<Augmentation>] = &[
    with_options(
        "pad_crop",
        &[OptionSpec::required("pad", Kind::Integer { least: 1 }).positional()],
        |bound| Augmentation::PadCrop(bound.integer("pad")),
    ),
    plain("flip", |_| Augmentation::Flip),
];

/// What weight decay acts on.
pub(in crate::network) static DECAYS: &[Choice<Decay>] = &[
    plain("all", |_| Decay::All),
    plain("weights", |_| Decay::Weights),
];

impl Expander<'_> {
    /// The augmentations of a list.
    pub(super) fn augmentations(&mut self, expr: &Expr) -> Option<Vec<Augmentation>> {
        let ExprKind::List(items) = &expr.peel().kind else {
            self.report(
                Diagnostic::new(
                    options::WRONG_TYPE,
                    "`augment` is a list",
                    expr.span,
                    "expected a list",
                )
                .with_hint("write `[pad_crop(4), flip]`, or `[]` for none"),
            );
            return None;
        };
        // All are looked at, so that all errors are found.
        let chosen: Vec<Option<Augmentation>> = items
            .iter()
            .map(|item| self.choose(AUGMENTATIONS, "augmentation", item))
            .collect();
        chosen.into_iter().collect()
    }
}
