//! What the manifest says of the optimizer.

use serde::Serialize;

use crate::network::{Adam, Decay, Optimizer, TrainConfig};

/// The optimizer and all that changes its updates; what is 0, off or 1 is left
/// out.
#[derive(Debug, Clone, PartialEq, Serialize, Default)]
pub struct OptimizerEntry {
    /// Its name.
    pub name: &'static str,
    /// The default learning rate.
    pub lr: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    momentum: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nesterov: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    betas: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alpha: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    eps: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    centered: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weight_decay: Option<f64>,
    /// What weight decay acts on, unless it is everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    decay: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clip_norm: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ema: Option<f64>,
    /// Batches per update, if more than 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    accumulate: Option<i64>,
}

impl OptimizerEntry {
    pub(super) fn of(train: &TrainConfig) -> Self {
        let common = OptimizerEntry {
            name: train.optimizer.name(),
            lr: train.optimizer.lr(),
            decay: (train.decay != Decay::All).then_some(train.decay.name()),
            clip_norm: train.clip_norm,
            ema: train.ema,
            accumulate: (train.accumulate > 1).then_some(train.accumulate),
            ..OptimizerEntry::default()
        };
        match train.optimizer {
            Optimizer::Sgd(sgd) => OptimizerEntry {
                momentum: some(sgd.momentum),
                nesterov: sgd.nesterov.then_some(true),
                weight_decay: some(sgd.weight_decay),
                ..common
            },
            Optimizer::Adam(adam) | Optimizer::AdamW(adam) | Optimizer::Lamb(adam) => {
                let Adam {
                    betas,
                    eps,
                    weight_decay,
                    ..
                } = adam;
                OptimizerEntry {
                    betas: Some(betas),
                    eps: Some(eps),
                    weight_decay: some(weight_decay),
                    ..common
                }
            }
            Optimizer::RmsProp(rmsprop) => OptimizerEntry {
                alpha: Some(rmsprop.alpha),
                eps: Some(rmsprop.eps),
                momentum: some(rmsprop.momentum),
                centered: rmsprop.centered.then_some(true),
                weight_decay: some(rmsprop.weight_decay),
                ..common
            },
        }
    }
}

fn some(value: f64) -> Option<f64> {
    (value != 0.0).then_some(value)
}
