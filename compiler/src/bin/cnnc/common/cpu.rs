//! The CPU of this machine, by LLVM's names.

use std::ffi::{CStr, c_char};

use cnnc_runtime::cpu::missing_features;

use super::failure::Failure;

/// What IREE 3.13 compiles for on x86-64, as it lists them. It dies of other names.
#[cfg(target_arch = "x86_64")]
const NAMES: &str = "\
    host generic nocona core2 penryn bonnell atom silvermont slm goldmont goldmont-plus \
    tremont nehalem corei7 westmere sandybridge corei7-avx ivybridge core-avx-i haswell core-avx2 broadwell \
    skylake skylake-avx512 skx cascadelake cooperlake cannonlake icelake-client rocketlake \
    icelake-server tigerlake sapphirerapids alderlake raptorlake meteorlake arrowlake \
    arrowlake-s lunarlake gracemont pantherlake wildcatlake novalake sierraforest grandridge \
    graniterapids graniterapids-d emeraldrapids clearwaterforest diamondrapids knl knm k8 \
    athlon64 athlon-fx opteron k8-sse3 athlon64-sse3 opteron-sse3 amdfam10 barcelona btver1 \
    btver2 bdver1 bdver2 bdver3 bdver4 znver1 znver2 znver3 znver4 znver5 znver6 c86-4g-m4 \
    c86-4g-m6 c86-4g-m7 c86-4g-m8 x86-64 x86-64-v2 x86-64-v3 x86-64-v4";

// LLVM comes with MLIR; these two are of its C interface (`llvm-c/TargetMachine.h`).
unsafe extern "C" {
    fn LLVMGetHostCPUName() -> *mut c_char;
    fn LLVMGetHostCPUFeatures() -> *mut c_char;
    fn LLVMDisposeMessage(message: *mut c_char);
}

/// LLVM's name of this CPU, such as `znver4`.
pub fn name() -> String {
    // SAFETY: it takes nothing and returns a new C string.
    take(unsafe { LLVMGetHostCPUName() })
}

/// LLVM's features of this CPU, such as `+avx2,-sse4a`.
pub fn features() -> String {
    // SAFETY: it takes nothing and returns a new C string.
    take(unsafe { LLVMGetHostCPUFeatures() })
}

/// Refuses a name that IREE does not know.
#[cfg(target_arch = "x86_64")]
pub fn check(cpu: &str) -> Result<(), Failure> {
    let known = || NAMES.split_whitespace();
    if known().any(|name| name == cpu) {
        return Ok(());
    }
    let failure = Failure::usage(format!("--cpu={cpu}: no such CPU"));
    Err(match cnnc_grammar::diagnostics::nearest(cpu, known()) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint("`host` is this machine's; `x86-64-v3` runs on most of today's"),
    })
}

/// Other architectures' names are left to IREE.
#[cfg(not(target_arch = "x86_64"))]
pub fn check(_cpu: &str) -> Result<(), Failure> {
    Ok(())
}

fn take(text: *mut c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: LLVM returned a NUL-terminated string that is ours until it is disposed of.
    let copy = unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned();
    // SAFETY: the string came from LLVM, is not used again and is disposed of once.
    unsafe { LLVMDisposeMessage(text) };
    copy
}

/// The name that a program compiled for `cpu` records.
///
/// A virtual machine may hide instructions that its CPU has. LLVM's name then promises too much,
/// and the runtime would refuse on this machine what was compiled for it.
pub fn recorded(cpu: &str) -> String {
    if cpu != "host" {
        return cpu.to_owned();
    }
    let name = name();
    match missing_features(&name).is_empty() {
        true => name,
        false => cpu.to_owned(),
    }
}
