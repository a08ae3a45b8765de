//! Whether a device is here to test on.
//! Test binaries share it; each uses a part.
#![allow(dead_code)]

use std::io::Write;

use cnnc_runtime::device::vulkan_devices;

/// Whether there is a Vulkan device. Where there is none, says so past the test runner's capture:
/// a test that did nothing must not look like one that passed.
pub fn vulkan(test: &str) -> bool {
    match vulkan_devices() {
        Ok(_) => true,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "skipped: {test}: {error}");
            false
        }
    }
}
