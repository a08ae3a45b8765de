//! How many worker threads IREE's `local-task` device gets.

use std::ffi::{CString, c_char, c_int};
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};

use crate::reflection::check;
use eerie_sys::runtime as sys;

/// Worker threads of the `local-task` device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Threads {
    /// One per physical core, at most 64: IREE's own choice.
    #[default]
    PerCore,
    /// At most this many, one per physical core.
    AtMost(NonZeroU32),
}

/// IREE's default limit on automatically chosen workers.
const DEFAULT_LIMIT: u32 = 64;

/// Held from setting the limit until the device that shall see it has been created.
static LIMIT: Mutex<()> = Mutex::new(());

/// Lets this thread, and those that it starts, finish what they are at when another one wakes, and
/// returns whether the system does so.
///
/// A thread that waits for IREE is woken from within the last worker, and then spins until that
/// worker has returned. With a worker on each core it takes the core from the very worker it waits
/// for, for a whole slice of the scheduler: a quarter of the step of a small net. Threads of
/// Linux's batch policy do not take a core from others when they wake. To be called by a program,
/// once, before it starts threads; a policy that was chosen from outside stays.
pub fn wake_without_preempting() -> bool {
    wake()
}

#[cfg(target_os = "linux")]
fn wake() -> bool {
    // SAFETY: it asks for the policy of the calling thread.
    if unsafe { libc::sched_getscheduler(0) } != libc::SCHED_OTHER {
        return false;
    }
    // SAFETY: all zeros are a valid value of this structure of integers.
    let parameters: libc::sched_param = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is valid for the call, which concerns the calling thread alone.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_BATCH, &parameters) == 0 }
}

#[cfg(not(target_os = "linux"))]
fn wake() -> bool {
    false
}

unsafe extern "C" {
    // IREE's flag parser: the only way to reach the settings of its task system, which eerie's
    // driver registry reads when it creates a device.
    fn iree_flags_parse(
        mode: u32,
        argc: *mut c_int,
        argv: *mut *mut *mut c_char,
    ) -> sys::iree_status_t;
}

/// Runs `create` while IREE's process-wide thread limit is set to `threads`.
///
/// # Errors
/// IREE's message if it does not know the setting.
pub(crate) fn with_threads<T>(threads: Threads, create: impl FnOnce() -> T) -> Result<T, String> {
    let _guard = LIMIT.lock().unwrap_or_else(PoisonError::into_inner);
    set_limit(match threads {
        Threads::PerCore => DEFAULT_LIMIT,
        Threads::AtMost(count) => count.get(),
    })?;
    Ok(create())
}

fn set_limit(limit: u32) -> Result<(), String> {
    let flag = format!("--task_topology_max_group_count={limit}");
    let to_c = |text: &str| CString::new(text).map_err(|error| error.to_string());
    let program = to_c("cnnc")?.into_raw();
    let flag = to_c(&flag)?.into_raw();
    let mut arguments = [program, flag, std::ptr::null_mut()];
    let mut count: c_int = 2;
    let mut values = arguments.as_mut_ptr();
    // SAFETY: two NUL-terminated, writable strings in an array with a closing null, all alive
    // during the call. The flag is an integer, of which IREE keeps the value and no pointer.
    let status = unsafe { iree_flags_parse(0, &mut count, &mut values) };
    // SAFETY: both pointers came from `into_raw` above; IREE may reorder the array but neither
    // frees nor shortens the strings before their NUL.
    unsafe {
        drop(CString::from_raw(program));
        drop(CString::from_raw(flag));
    }
    check(status)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// In a thread of its own, which the others do not inherit from.
    #[test]
    fn threads_and_those_they_start_wake_without_preempting() {
        // SAFETY: it asks for the policy of the calling thread.
        let policy = || unsafe { libc::sched_getscheduler(0) };
        let found = std::thread::spawn(move || {
            let before = policy();
            let changed = wake_without_preempting();
            let child = std::thread::spawn(policy).join();
            (before, changed, policy(), child.expect("no panic"))
        });
        let (before, changed, after, child) = found.join().expect("no panic");
        assert_eq!(changed, before == libc::SCHED_OTHER);
        if changed {
            assert_eq!((after, child), (libc::SCHED_BATCH, libc::SCHED_BATCH));
        }
    }
}
