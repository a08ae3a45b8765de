//! What modules are compiled for.

use std::str::FromStr;

/// What to compile for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Target {
    /// IREE's `llvm-cpu`.
    #[default]
    Cpu,
    /// SPIR-V for any GPU with Vulkan 1.3.
    Vulkan,
    /// NVIDIA's PTX.
    Cuda,
    /// AMD's code objects.
    Rocm,
    /// Apple's MSL.
    Metal,
}

/// There is no target of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no target `{0}`")]
pub struct NoTarget(pub String);

impl Target {
    /// All of them.
    pub const ALL: [Target; 5] = [
        Target::Cpu,
        Target::Vulkan,
        Target::Cuda,
        Target::Rocm,
        Target::Metal,
    ];

    /// Its name on the command line and in the manifest.
    pub fn name(self) -> &'static str {
        match self {
            Target::Cpu => "cpu",
            Target::Vulkan => "vulkan",
            Target::Cuda => "cuda",
            Target::Rocm => "rocm",
            Target::Metal => "metal",
        }
    }

    /// The kinds of GPU that IREE 3.13 compiles for, by its names; empty where there is no
    /// choice. Of other names IREE's process dies.
    pub fn gpus(self) -> &'static [&'static str] {
        match self {
            Target::Cpu | Target::Metal => &[],
            Target::Vulkan => VULKAN,
            Target::Cuda => CUDA,
            Target::Rocm => ROCM,
        }
    }

    /// The kind of GPU where none is named: none where a program runs on every kind.
    pub fn default_gpu(self) -> Option<&'static str> {
        match self {
            Target::Rocm => Some("gfx942"),
            _ => None,
        }
    }

    /// IREE's flags for it.
    pub(super) fn flags(self, cpu: &str, gpu: Option<&str>) -> Vec<String> {
        let (device, option) = match self {
            Target::Cpu => {
                return vec![
                    "--iree-hal-target-device=local".to_owned(),
                    "--iree-hal-local-target-device-backends=llvm-cpu".to_owned(),
                    format!("--iree-llvmcpu-target-cpu={cpu}"),
                ];
            }
            Target::Vulkan => ("vulkan", Some("--iree-vulkan-target")),
            Target::Cuda => ("cuda", Some("--iree-cuda-target")),
            Target::Rocm => ("hip", Some("--iree-rocm-target")),
            Target::Metal => ("metal", None),
        };
        let kind = option.zip(gpu.or(self.default_gpu()));
        let kind = kind.map(|(option, gpu)| format!("{option}={gpu}"));
        // Where what follows a product has two results, IREE plans more shared memory than AMD's
        // GPUs have, and refuses its own plan.
        let single = "--iree-dispatch-creation-fuse-multi-use=false".to_owned();
        std::iter::once(format!("--iree-hal-target-device={device}"))
            .chain(kind)
            .chain((self == Target::Rocm).then_some(single))
            .collect()
    }
}

impl FromStr for Target {
    type Err = NoTarget;

    fn from_str(name: &str) -> Result<Self, NoTarget> {
        let found = Target::ALL.into_iter().find(|t| t.name() == name);
        found.ok_or_else(|| NoTarget(name.to_owned()))
    }
}

/// NVIDIA's compute capabilities. PTX runs on later GPUs, too.
const CUDA: &[&str] = &[
    "sm_60", "sm_61", "sm_62", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89",
    "sm_120",
];

/// AMD's instruction sets. A program runs on its own only.
const ROCM: &[&str] = &[
    "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1101", "gfx1103", "gfx1150", "gfx1151",
    "gfx1200", "gfx1201", "gfx1250",
];

/// Families of GPUs, whose features SPIR-V may use.
const VULKAN: &[&str] = &[
    "pascal", "volta", "turing", "ampere", "ada", "rdna1", "rdna2", "rdna3", "rdna4", "cdna1",
    "cdna2", "cdna3", "cdna4", "valhall1", "valhall2", "valhall3", "valhall4", "adreno",
];
