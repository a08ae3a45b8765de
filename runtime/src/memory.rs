//! The memory of this process: settings of the C allocator, from which IREE takes its temporary
//! buffers, and how much is in use.

/// What [`tune_allocator`] achieved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allocator {
    /// Blocks are kept and used again instead of being mapped anew: those of the main thread
    /// whatever their size, others up to 64 MiB, which is glibc's limit for their heaps.
    Tuned,
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
    // SAFETY: mallopt takes two integers, locks the allocator and refuses values out of range.
    let set = |option, value| unsafe { libc::mallopt(option, value) } == 1;
    // A threshold would not do: there is none above 2 GiB, and a step of a large net takes more.
    let no_maps = set(libc::M_MMAP_MAX, 0);
    let no_trim = set(libc::M_TRIM_THRESHOLD, -1);
    match no_maps && no_trim {
        true => Allocator::Tuned,
        false => Allocator::Untuned,
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn tune() -> Allocator {
    Allocator::Untuned
}

/// The most memory, in bytes, that this process has had in use at once since it began, or since
/// [`forget_peak`]. `None` where the system does not tell.
pub fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    peak_of(&status)
}

/// The line `VmHWM: 1234 kB`.
fn peak_of(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// Gives unused memory back to the system and lets [`peak`] begin anew, so that what came before,
/// such as compiling, does not count. Returns whether the system did so.
pub fn forget_peak() -> bool {
    give_back();
    // To write 5 there resets the mark (Linux 4.0 and later).
    std::fs::write("/proc/self/clear_refs", "5").is_ok()
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn give_back() {
    // SAFETY: it takes a size to keep, locks the allocator and frees only what nobody uses.
    unsafe { libc::malloc_trim(0) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn give_back() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_high_water_mark_is_read() {
        let status = "Name:\tcnnc\nVmPeak:\t  900 kB\nVmHWM:\t   52 kB\nVmRSS:\t   40 kB\n";
        assert_eq!(peak_of(status), Some(52 * 1024));
        assert_eq!(peak_of("VmPeak: 900 kB"), None);
        assert_eq!(peak_of("VmHWM: many kB"), None);
    }

    /// 64 MB that are touched and freed count until they are forgotten.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_peak_rises_and_is_forgotten() {
        const SIZE: u64 = 64 << 20;
        let before = peak().expect("Linux tells");
        let block = std::hint::black_box(vec![1_u8; SIZE as usize]);
        drop(block);
        let high = peak().expect("Linux tells");
        assert!(high >= before.min(SIZE) && high >= SIZE, "{before} {high}");
        if forget_peak() {
            let after = peak().expect("Linux tells");
            assert!(after + SIZE / 2 < high, "{after} {high}");
        }
    }
}
