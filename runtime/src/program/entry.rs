//! The functions of the program contract.

/// A public function of the program contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// seed -> parameters, state
    Init,
    /// parameters, image -> logits
    Forward,
    /// parameters, image, label -> mean loss
    Loss,
    /// parameters, image, label -> mean loss, gradients
    Gradients,
    /// parameters, image, cotangent -> gradients
    Pullback,
    /// parameters, state, image, label, lr -> parameters, state, mean loss, number correct
    TrainStep,
    /// parameters, image, label, weight -> sum of losses, number correct
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

    /// Numbers of arguments and results with `p` parameters and `s` state tensors.
    pub(super) fn arity(self, p: usize, s: usize) -> (usize, usize) {
        match self {
            Entry::Init => (1, p + s),
            Entry::Forward => (p + 1, 1),
            Entry::Loss => (p + 2, 1),
            Entry::Gradients => (p + 2, p + 1),
            Entry::Pullback => (p + 2, p),
            Entry::TrainStep => (p + s + 3, p + s + 2),
            Entry::Evaluate => (p + 3, 2),
        }
    }
}
