//! The CPU of this machine, by LLVM's names.

use std::ffi::{CStr, c_char};

use cnnc_runtime::cpu::missing_features;

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

fn take(text: *mut c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: LLVM returned a NUL-terminated string that is ours until it is disposed of.
    let copy = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
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
