//! Modules compile for every target.

use cnnc::driver::{self, Backend};
use cnnc::iree::{Flags, Target};
use cnnc::network::Options;
use cnnc_runtime::manifest::Manifest;
use cnnc_runtime::reflection::reflect;

use crate::{BATCH, NETS, folder, iree, unit};

fn gpus() -> impl Iterator<Item = Target> {
    Target::ALL.into_iter().filter(|t| *t != Target::Cpu)
}

fn backend(target: Target) -> Backend {
    Backend {
        iree: iree(),
        cache: None,
        flags: Flags::of(target),
        cpu: "host".to_owned(),
        tuning: Default::default(),
    }
}

#[test]
fn the_three_nets_compile_for_every_gpu() {
    for target in gpus() {
        let backend = backend(target);
        for net in NETS {
            let tuned = unit(net).tuned(BATCH, &["train_step"], target).unwrap();
            let program = backend.program(&tuned);
            let program = program.unwrap_or_else(|e| panic!("{net} for {}: {e}", target.name()));
            let found = reflect(&program).unwrap();
            let manifest = Manifest::parse(&found.manifest.unwrap()).unwrap();
            assert_eq!(manifest.target, target.name());
            assert_eq!(manifest.cpu, None);
            assert_eq!(manifest.gpu.as_deref(), target.default_gpu());
        }
    }
}

/// A norm over all of an example: its backward pass sums what it subtracts.
const NORM: &str = "net norm {
    input image: f32[N, 1, 6, 6];
    image |> conv(8, kernel=3) |> layer_norm(over=features, affine=scalar) |> relu |> flatten |> dense(4)
}";

#[test]
fn sums_of_negated_values_compile_for_gpus() {
    let unit = driver::read("norm.net", NORM, &Options::default()).unwrap();
    let portable = unit.portable(BATCH, &["train_step"]).unwrap();
    let step = &portable.functions[0];
    assert!(step.body.iter().any(|i| i.op.name() == "negate"));
    for target in [Target::Cuda, Target::Metal] {
        let tuned = unit.tuned(BATCH, &["train_step"], target).unwrap();
        let program = backend(target).program(&tuned);
        program.unwrap_or_else(|e| panic!("for {}: {e}", target.name()));
    }
}

/// Kernels of 2^16 products of channels and more: LLVM narrowed their indices to what PTX lacks.
/// The weight gradient, followed by the update, had more shared memory than AMD's GPUs have.
const WIDE: &str = "net wide {
    input image: f32[N, 64, 16, 16];
    image |> conv(64, kernel=1) |> conv(64, kernel=3) |> max_pool(4)
        |> conv(256, kernel=1) |> conv(384, kernel=3) |> flatten |> dense(4)
}";

#[test]
fn wide_kernels_compile_for_cuda_and_rocm() {
    let unit = driver::read("wide.net", WIDE, &Options::default()).unwrap();
    for target in [Target::Cuda, Target::Rocm] {
        let tuned = unit.tuned(16, &["init", "train_step"], target).unwrap();
        let program = backend(target).program(&tuned);
        program.unwrap_or_else(|e| panic!("for {}: {e}", target.name()));
    }
}

/// Windows that are padded behind only, and others that read what they found.
const POOL: &str = "block pools {
    input x;
    concat(x |> conv(16, kernel=1), x |> max_pool(3, stride=1, padding=1) |> conv(8, kernel=1))
}
net pool {
    input image: f32[N, 3, 16, 16];
    image |> conv(16, kernel=3) |> relu |> max_pool(3, stride=2, padding=same) |> pools |> flatten |> dense(4)
}";

#[test]
fn pools_padded_behind_compile_for_cuda_and_rocm() {
    let unit = driver::read("pool.net", POOL, &Options::default()).unwrap();
    for target in [Target::Cuda, Target::Rocm] {
        let tuned = unit.tuned(BATCH, &["train_step"], target).unwrap();
        let program = backend(target).program(&tuned);
        program.unwrap_or_else(|e| panic!("for {}: {e}", target.name()));
    }
}

/// An input gradient whose result goes to windows had more shared memory than AMD's GPUs have.
const SPREAD: &str = "net spread {
    input image: f32[N, 64, 28, 28];
    image |> conv(512, kernel=1) |> max_pool(2) |> conv(512, kernel=3) |> global_avg_pool |> dense(4)
}";

#[test]
fn pools_before_wide_kernels_compile_for_rocm() {
    let unit = driver::read("spread.net", SPREAD, &Options::default()).unwrap();
    let tuned = unit.tuned(16, &["train_step"], Target::Rocm).unwrap();
    let program = backend(Target::Rocm).program(&tuned);
    program.unwrap_or_else(|e| panic!("{e}"));
}

/// AMD's buffer instructions made LLVM overflow the stack.
#[test]
fn an_evaluation_with_batch_norm_compiles_for_rocm() {
    let options = Options {
        net: Some("seed_resnet_bn".to_owned()),
        overrides: [("width", "8"), ("size", "12")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into(),
    };
    let text = std::fs::read_to_string(folder().join("seed_resnet.net")).unwrap();
    let unit = driver::read("seed_resnet.net", &text, &options).unwrap();
    let tuned = unit.tuned(BATCH, &["evaluate"], Target::Rocm).unwrap();
    backend(Target::Rocm).program(&tuned).unwrap();
}
