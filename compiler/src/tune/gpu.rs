//! Tuning for GPUs: what IREE must be given to be right, and NHWC.
//!
//! The passes for speed were measured on CPUs; on a GPU nothing is known of
//! them, so they stay out.

use std::sync::LazyLock;

use super::{CPU, Pass};

const NAMES: [&str; 6] = [
    "layout",
    "explicit-convolution",
    "pool-backward",
    "explicit-window",
    "relu-mask",
    "simplify",
];

static PASSES: LazyLock<Vec<Pass>> = LazyLock::new(|| {
    let named = |pass: &&Pass| NAMES.contains(&pass.name);
    CPU.iter().filter(named).copied().collect()
});

/// Those of the CPU's that GPUs need, in the same order.
pub(super) fn passes() -> &'static [Pass] {
    &PASSES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_pass() {
        let found: Vec<&str> = passes().iter().map(|pass| pass.name).collect();
        assert_eq!(found, NAMES);
    }
}
