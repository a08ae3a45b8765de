//! Whether this machine can run code that was compiled for a named CPU.
//!
//! IREE does not check: a program built for a newer CPU dies of an illegal instruction. So the
//! manifest records the CPU's name, and the names LLVM knows are compared with what this machine
//! has before a program is loaded.

/// Instruction sets that `cpu` (an LLVM name such as `znver4`) has and this machine lacks.
///
/// Empty when the program can run, and also for names this table does not know: refusing those
/// would refuse every future CPU.
pub fn missing_features(cpu: &str) -> Vec<&'static str> {
    required(cpu)
        .iter()
        .filter(|feature| !(feature.present)())
        .map(|feature| feature.name)
        .collect()
}

#[derive(Clone, Copy)]
struct Feature {
    name: &'static str,
    present: fn() -> bool,
}

macro_rules! features {
    ($($name:tt)*) => {
        &[$(Feature { name: $name, present: || is_present!($name) }),*]
    };
}

#[cfg(target_arch = "x86_64")]
macro_rules! is_present {
    ($name:tt) => {
        std::arch::is_x86_feature_detected!($name)
    };
}

#[cfg(not(target_arch = "x86_64"))]
macro_rules! is_present {
    ($name:tt) => {
        false
    };
}

const V2: &[Feature] = features!("sse3" "ssse3" "sse4.1" "sse4.2" "popcnt");
const V3: &[Feature] = features!("avx" "avx2" "fma" "bmi1" "bmi2" "f16c" "lzcnt" "movbe");
const V4: &[Feature] = features!(
    "avx2" "fma" "bmi2" "avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl"
);
const ICELAKE: &[Feature] = features!(
    "avx2" "fma" "bmi2" "avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl"
    "avx512vnni" "avx512vbmi" "avx512vbmi2" "avx512bitalg" "avx512vpopcntdq" "avx512ifma"
);
const ZEN4: &[Feature] = features!(
    "avx2" "fma" "bmi2" "avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl"
    "avx512vnni" "avx512vbmi" "avx512vbmi2" "avx512bitalg" "avx512vpopcntdq" "avx512ifma"
    "avx512bf16"
);
const CASCADE: &[Feature] = features!(
    "avx2" "fma" "bmi2" "avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl" "avx512vnni"
);
const SAPPHIRE: &[Feature] = features!(
    "avx2" "fma" "bmi2" "avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl"
    "avx512vnni" "avx512vbmi" "avx512vbmi2" "avx512bitalg" "avx512vpopcntdq" "avx512ifma"
    "avx512bf16" "avx512fp16"
);

/// LLVM's CPU names by the instruction sets that set them apart.
const CPUS: &[(&[&str], &[Feature])] = &[
    (&["x86-64-v2", "nehalem", "westmere", "silvermont"], V2),
    (
        &[
            "x86-64-v3",
            "haswell",
            "core-avx2",
            "broadwell",
            "skylake",
            "alderlake",
            "raptorlake",
            "meteorlake",
            "arrowlake",
            "lunarlake",
            "znver1",
            "znver2",
            "znver3",
        ],
        V3,
    ),
    (&["x86-64-v4", "skylake-avx512", "skx"], V4),
    (&["cascadelake", "cooperlake"], CASCADE),
    (
        &[
            "icelake-client",
            "icelake-server",
            "tigerlake",
            "rocketlake",
        ],
        ICELAKE,
    ),
    (&["znver4", "znver5"], ZEN4),
    (
        &[
            "sapphirerapids",
            "emeraldrapids",
            "graniterapids",
            "graniterapids-d",
        ],
        SAPPHIRE,
    ),
];

fn required(cpu: &str) -> &'static [Feature] {
    CPUS.iter()
        .find(|(names, _)| names.contains(&cpu))
        .map_or(&[], |(_, features)| features)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Linux says of this machine, from outside the standard library's detection.
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    #[test]
    fn agrees_with_the_kernel_on_avx512() {
        let info = std::fs::read_to_string("/proc/cpuinfo").expect("Linux lists its CPUs");
        let has = |flag: &str| info.split_whitespace().any(|word| word == flag);
        let missing = missing_features("x86-64-v4");
        assert_eq!(!missing.contains(&"avx512f"), has("avx512f"));
        assert_eq!(!missing.contains(&"avx512vl"), has("avx512vl"));
        assert_eq!(!missing.contains(&"fma"), has("fma"));
        let missing = missing_features("sapphirerapids");
        assert_eq!(!missing.contains(&"avx512fp16"), has("avx512_fp16"));
    }

    #[test]
    fn a_name_outside_the_table_is_not_refused() {
        assert!(missing_features("generic").is_empty());
        assert!(missing_features("znver99").is_empty());
    }

    #[test]
    fn each_name_is_listed_once() {
        let mut names: Vec<_> = CPUS.iter().flat_map(|(names, _)| *names).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
