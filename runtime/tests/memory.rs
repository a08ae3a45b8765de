//! The allocator's settings. A process of its own: they hold for the whole process.

/// On the main thread, which the usual harness does not run tests on: glibc's heaps of other
/// threads have 64 MiB.
fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    match (has("--list"), has("--ignored")) {
        (true, false) => println!("large_blocks_are_used_again: test"),
        (true, true) => {}
        (false, _) => {
            #[cfg(all(target_os = "linux", target_env = "gnu"))]
            glibc::large_blocks_are_used_again();
            println!("test large_blocks_are_used_again ... ok");
        }
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod glibc {
    use cnnc_runtime::memory::{Allocator, tune_allocator};

    /// Minor page faults of this thread while a block of so many bytes is filled and freed.
    fn faults(bytes: usize) -> i64 {
        let count = || {
            let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
            // SAFETY: a valid pointer to a zeroed struct of plain integers.
            unsafe {
                libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
                usage.assume_init().ru_minflt
            }
        };
        let before = count();
        drop(std::hint::black_box(vec![1u8; bytes]));
        count() - before
    }

    /// Of 4096 pages, and of more bytes than a threshold of glibc's can be: what a step of a
    /// ResNet takes.
    pub fn large_blocks_are_used_again() {
        assert_eq!(tune_allocator(), Allocator::Tuned);
        for bytes in [16 << 20, 5 << 28] {
            faults(bytes);
            let again = faults(bytes);
            assert!(
                again < 100,
                "{again} faults: {bytes} bytes were mapped anew"
            );
        }
    }
}
