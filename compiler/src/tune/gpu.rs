//! Tuning for GPUs: what IREE must be given to be right, and NHWC.
//!
//! The passes for speed were measured on CPUs; on a GPU nothing is known of
//! them, so they stay out.

use std::sync::LazyLock;

use super::{
    CPU, EXPLICIT_CONVOLUTION, Pass, Run, aligned_slice, explicit_convolution, grouped_convolution,
    merged_index, negated_sum, pool_backward, settled_reduction,
};

const LLVM: [&str; 7] = [
    "layout",
    EXPLICIT_CONVOLUTION,
    "pool-backward",
    "explicit-window",
    "relu-mask",
    NEGATED_SUM.name,
    "simplify",
];

/// Those that other code generators than SPIR-V's need.
static LLVM_PASSES: LazyLock<Vec<Pass>> = LazyLock::new(|| {
    let all = || CPU.iter().chain([&NEGATED_SUM]);
    let named = |name| all().find(|pass| pass.name == name);
    LLVM.into_iter()
        .filter_map(named)
        .map(without_weight_gradient)
        .collect()
});

/// `weight-gradient`, for which batch groups are left, does not come after it.
fn without_weight_gradient(pass: &Pass) -> Pass {
    match pass.name {
        EXPLICIT_CONVOLUTION => Pass {
            run: Run::Plain(explicit_convolution::run_alone),
            ..*pass
        },
        _ => *pass,
    }
}

/// IREE fails to bufferize windows of a max-pool that are padded behind.
static WITH_POOLS: LazyLock<Vec<Pass>> = LazyLock::new(|| {
    let mut passes = LLVM_PASSES.clone();
    let place = passes.iter().position(|p| p.name == "explicit-window");
    let pool = CPU.iter().filter(|pass| pass.name == "pool-forward");
    let place = place.unwrap_or(passes.len());
    passes.splice(place..place, pool.copied());
    passes
});

/// AMD's GPUs have too little shared memory for a convolution that spreads its result.
static ROCM_PASSES: LazyLock<Vec<Pass>> = LazyLock::new(|| {
    let apart = |pass: &Pass| match pass.name {
        "pool-backward" => Pass {
            run: Run::Plain(pool_backward::run_apart),
            ..*pass
        },
        _ => *pass,
    };
    WITH_POOLS.iter().map(apart).collect()
});

/// PTX needs indices that LLVM does not narrow. Nothing that moves reshapes may come after that.
static CUDA_PASSES: LazyLock<Vec<Pass>> =
    LazyLock::new(|| WITH_POOLS.iter().copied().chain([MERGED_INDEX]).collect());

const MERGED_INDEX: Pass = Pass {
    name: "merged-index",
    about: "Reversals and orders of numbers with few dimensions, whose indices PTX can have",
    run: Run::Plain(merged_index::run),
};

const NEGATED_SUM: Pass = Pass {
    name: "negated-sum",
    about: "Sums of negated values as negated sums, which GPUs can begin",
    run: Run::Plain(negated_sum::run),
};

static SPIRV_PASSES: LazyLock<Vec<Pass>> = LazyLock::new(|| {
    let mut passes = Vec::new();
    for pass in LLVM_PASSES.iter() {
        match pass.name {
            EXPLICIT_CONVOLUTION => passes.extend([*pass, GROUPED_CONVOLUTION]),
            "pool-backward" => passes.push(Pass {
                run: Run::Plain(pool_backward::run_wide),
                ..*pass
            }),
            _ => passes.push(*pass),
        }
    }
    passes.extend([SETTLED_REDUCTION, ALIGNED_SLICE]);
    passes
});

const GROUPED_CONVOLUTION: Pass = Pass {
    name: "grouped-convolution",
    about: "Grouped convolutions as batched dot products",
    run: Run::Plain(grouped_convolution::run),
};

// The last two: nothing that moves broadcasts or slices may come after them.
const SETTLED_REDUCTION: Pass = Pass {
    name: "settled-reduction",
    about: "Barriers between reductions and what SPIR-V would not let wait for them",
    run: Run::Plain(settled_reduction::run),
};

const ALIGNED_SLICE: Pass = Pass {
    name: "aligned-slice",
    about: "Barriers around slices that SPIR-V would read off by some elements",
    run: Run::Plain(aligned_slice::run),
};

/// For NVIDIA's GPUs.
pub(super) fn cuda() -> &'static [Pass] {
    &CUDA_PASSES
}

/// For AMD's GPUs.
pub(super) fn rocm() -> &'static [Pass] {
    &ROCM_PASSES
}

/// For targets that IREE reaches through SPIR-V.
pub(super) fn spirv() -> &'static [Pass] {
    &SPIRV_PASSES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_pass() {
        let found: Vec<&str> = LLVM_PASSES.iter().map(|pass| pass.name).collect();
        assert_eq!(found, LLVM);
    }

    #[test]
    fn cuda_and_rocm_have_more() {
        let names = |passes: &[Pass]| passes.iter().map(|pass| pass.name).collect::<Vec<_>>();
        let mut expected = LLVM.to_vec();
        expected.insert(3, "pool-forward");
        assert_eq!(names(rocm()), expected);
        expected.push("merged-index");
        assert_eq!(names(cuda()), expected);
    }

    #[test]
    fn spirv_has_its_own_in_their_places() {
        let names: Vec<&str> = spirv().iter().map(|pass| pass.name).collect();
        assert_eq!(names.len(), LLVM.len() + 3);
        assert_eq!(names[1..3], ["explicit-convolution", "grouped-convolution"]);
        assert!(names.ends_with(&["simplify", "settled-reduction", "aligned-slice"]));
    }
}
