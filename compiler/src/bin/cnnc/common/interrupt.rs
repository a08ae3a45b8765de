//! Ctrl-C and termination: the first asks for a stop, the second ends at once.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use libc::{SIG_DFL, SIGINT, SIGTERM, c_int};

static STOP: AtomicBool = AtomicBool::new(false);
static SIGNAL: AtomicI32 = AtomicI32::new(SIGINT);

/// Listens from now on; true once a stop was asked for.
pub fn listen() -> &'static AtomicBool {
    for signal in [SIGINT, SIGTERM] {
        let handler = note as extern "C" fn(c_int);
        // SAFETY: `note` only stores to atomics and resets a handler, both of which are allowed
        // in a signal handler, and lives as long as the program.
        unsafe { libc::signal(signal, handler as libc::sighandler_t) };
    }
    &STOP
}

extern "C" fn note(signal: c_int) {
    SIGNAL.store(signal, Ordering::Relaxed);
    STOP.store(true, Ordering::Relaxed);
    // SAFETY: `signal` may be called in a handler. The next signal then ends the program.
    unsafe { libc::signal(signal, SIG_DFL) };
}

/// The exit code of a program that such a signal ended: 130 for Ctrl-C.
pub fn exit_code() -> u8 {
    let signal = SIGNAL.load(Ordering::Relaxed);
    u8::try_from(128 + signal).unwrap_or(130)
}
