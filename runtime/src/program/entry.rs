//! The functions of the program contract.

use crate::manifest::Manifest;

/// A public function of the program contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// seed -> parameters, state
    Init,
    /// parameters, model state, image -> logits
    Forward,
    /// parameters, model state, image, label -> mean loss
    Loss,
    /// parameters, model state, image, label -> mean loss, gradients
    Gradients,
    /// parameters, model state, image, cotangent -> gradients
    Pullback,
    /// parameters, state, image, label, lr -> parameters, state, mean loss, number correct
    ///
    /// Where gradients are accumulated, whether to update comes last; where they are clipped,
    /// their norm does.
    TrainStep,
    /// parameters, model state, image, label, weight -> sum of losses, number correct
    Evaluate,
}

impl Entry {
    pub(super) const ALL: [Entry; 7] = [
        Entry::Init,
        Entry::Forward,
        Entry::Loss,
        Entry::Gradients,
        Entry::Pullback,
        Entry::TrainStep,
        Entry::Evaluate,
    ];

    /// The function's name in the program.
    pub fn name(self) -> &'static str {
        match self {
            Entry::Init => "init",
            Entry::Forward => "forward",
            Entry::Loss => "loss",
            Entry::Gradients => "gradients",
            Entry::Pullback => "pullback",
            Entry::TrainStep => "train_step",
            Entry::Evaluate => "evaluate",
        }
    }

    /// Numbers of arguments and results.
    pub(super) fn arity(self, manifest: &Manifest) -> (usize, usize) {
        let (p, s) = (manifest.parameters.len(), manifest.state.len());
        let m = manifest.model_state();
        match self {
            Entry::Init => (1, p + s),
            Entry::Forward => (p + m + 1, 1),
            Entry::Loss => (p + m + 2, 1),
            Entry::Gradients => (p + m + 2, p + 1),
            Entry::Pullback => (p + m + 2, p),
            Entry::TrainStep => {
                let update = usize::from(manifest.accumulate() > 1);
                (p + s + 3 + update, p + s + manifest.metrics.len())
            }
            Entry::Evaluate => (p + m + 3, 2),
        }
    }
}
