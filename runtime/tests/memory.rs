//! The allocator's settings. A process of its own: they hold for the whole process.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

use cnnc_runtime::memory::{Allocator, tune_allocator};

/// Minor page faults of this thread while a block of 16 MiB (4096 pages) is filled and freed.
fn faults() -> i64 {
    let count = || {
        let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: a valid pointer to a zeroed struct of plain integers.
        unsafe {
            libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
            usage.assume_init().ru_minflt
        }
    };
    let before = count();
    drop(std::hint::black_box(vec![1u8; 16 << 20]));
    count() - before
}

#[test]
fn large_blocks_are_used_again() {
    assert!(matches!(tune_allocator(), Allocator::Tuned { threshold } if threshold >= 32 << 20));
    faults();
    let again = faults();
    assert!(again < 100, "{again} faults: the block was mapped anew");
}
