//! Settings of the C allocator, from which IREE takes its temporary buffers.

/// What [`tune_allocator`] achieved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allocator {
    /// Blocks below this many bytes are kept and used again instead of being mapped anew.
    Tuned {
        /// The threshold in force.
        threshold: usize,
    },
    /// This C library has no such settings, or refused them.
    Untuned,
}

/// Makes the C allocator keep large blocks instead of giving them back to the system.
///
/// A training step allocates the same large buffers each time. Mapping them anew makes the kernel
/// clear every page again, which took a third of the MNIST step. The price is that memory once
/// used stays with the process. To be called by a program, once, before its first large
/// allocation; the setting is process-wide.
pub fn tune_allocator() -> Allocator {
    tune()
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn tune() -> Allocator {
    const GIB: i32 = 1 << 30;
    // Old glibc refuses thresholds above 32 MiB.
    const SMALL: i32 = 32 << 20;
    // SAFETY: mallopt takes two integers, locks the allocator and refuses values out of range.
    let set = |option, value| unsafe { libc::mallopt(option, value) } == 1;
    let Some(threshold) = [GIB, SMALL]
        .into_iter()
        .find(|threshold| set(libc::M_MMAP_THRESHOLD, *threshold))
    else {
        return Allocator::Untuned;
    };
    if set(libc::M_TRIM_THRESHOLD, i32::MAX) {
        Allocator::Tuned {
            threshold: threshold.unsigned_abs() as usize,
        }
    } else {
        Allocator::Untuned
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn tune() -> Allocator {
    Allocator::Untuned
}
