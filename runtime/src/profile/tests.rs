//! What is refused before a device is opened. A profile itself is tested through the command,
//! `compiler/tests/cli/bench.rs`: the threads of a test binary run programs, and a device must not
//! be opened by hand while they do.

use super::*;
use crate::device::DeviceName;
use crate::fixture;

fn refused(vmfb: &[u8]) -> String {
    let runtime = Runtime::open(&DeviceName::default(), Threads::PerCore).expect("the CPU");
    let error = train_steps(&runtime, Threads::PerCore, vmfb, &[], 0.1, 1);
    error.expect_err("refused").to_string()
}

#[test]
fn a_program_without_a_step_is_refused() {
    let text = fixture::source(4, &fixture::manifest(4));
    let error = refused(&fixture::compile(&text.replace("@train_step", "@another")));
    assert!(error.contains("train_step"), "{error}");
}

#[test]
fn what_is_no_program_is_refused() {
    let error = refused(b"no");
    assert!(error.starts_with("not a compiled program"), "{error}");
}
