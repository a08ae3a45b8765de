//! Statistics of a batch need more than one value.

use super::codes::shapes;
use super::expander::Expander;
use super::graph::{LayerOp, TrainConfig};
use cnnc_grammar::{Diagnostic, Span};

impl Expander<'_> {
    /// Refuses each `batch_norm` that would see one value per channel.
    pub(super) fn check_statistics(&mut self, config: &TrainConfig) {
        if config.batch > 1 {
            return;
        }
        let layers = self.layers.iter().filter(|layer| {
            let input = layer.inputs.first().and_then(|id| self.tensor(*id));
            let alone = input.is_some_and(|tensor| is_one_per_channel(&tensor.shape));
            alone && matches!(layer.op, LayerOp::BatchNorm { .. })
        });
        let places: Vec<Span> = layers.map(|layer| layer.span).collect();
        for place in places {
            self.report(
                Diagnostic::new(
                    shapes::ONE_VALUE,
                    "`batch_norm` needs more than one value per channel",
                    place,
                    "one value per channel with N = 1",
                )
                .with_hint("choose a larger `batch`, or use `layer_norm`"),
            );
        }
    }
}

/// A vector, one token, or one pixel.
fn is_one_per_channel(shape: &[i64]) -> bool {
    matches!(shape, [_] | [1, _] | [_, 1, 1])
}
