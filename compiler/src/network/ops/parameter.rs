//! The parameters and buffers that an op asks for.

use crate::network::graph::{BufferRole, Initializer, Role};

/// A parameter the op needs.
pub(in crate::network) struct NewParameter {
    /// `weight` or `bias`
    pub suffix: &'static str,
    pub role: Role,
    pub shape: Vec<i64>,
    pub init: Initializer,
    pub fan_in: i64,
    pub fan_out: i64,
}

impl NewParameter {
    /// A weight, and a bias of `bias` zeros where there is one.
    pub fn weight_and_bias(
        shape: Vec<i64>,
        bias: Option<i64>,
        init: Initializer,
        fans: [i64; 2],
    ) -> Vec<Self> {
        Self::projection(["weight", "bias"], shape, bias, init, fans)
    }

    /// The same under other names.
    pub fn projection(
        [weight, bias]: [&'static str; 2],
        shape: Vec<i64>,
        size: Option<i64>,
        init: Initializer,
        [fan_in, fan_out]: [i64; 2],
    ) -> Vec<Self> {
        let weight = Self {
            suffix: weight,
            role: Role::Weight,
            shape,
            init,
            fan_in,
            fan_out,
        };
        let bias = size.map(|out| Self {
            suffix: bias,
            role: Role::Bias,
            shape: vec![out],
            init: Initializer::Zeros,
            fan_in,
            fan_out,
        });
        [weight].into_iter().chain(bias).collect()
    }

    /// Factors of this shape, and as many summands.
    pub fn affine(shape: Vec<i64>) -> Vec<Self> {
        vec![
            Self::own("weight", Role::Scale, shape.clone(), Initializer::Ones),
            Self::own("bias", Role::Bias, shape, Initializer::Zeros),
        ]
    }

    /// A parameter that sums over nothing.
    pub fn own(suffix: &'static str, role: Role, shape: Vec<i64>, init: Initializer) -> Self {
        Self {
            suffix,
            role,
            shape,
            init,
            fan_in: 1,
            fan_out: 1,
        }
    }
}

/// A buffer the op needs.
pub(in crate::network) struct NewBuffer {
    /// `running_mean` or `running_var`
    pub suffix: &'static str,
    pub role: BufferRole,
    pub shape: Vec<i64>,
}

impl NewBuffer {
    /// Mean and variance of each channel.
    pub fn running(channels: i64) -> Vec<Self> {
        let buffer = |suffix, role| Self {
            suffix,
            role,
            shape: vec![channels],
        };
        vec![
            buffer("running_mean", BufferRole::RunningMean),
            buffer("running_var", BufferRole::RunningVariance),
        ]
    }
}
