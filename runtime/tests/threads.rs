//! The number of IREE's workers. A process of its own: it counts the process's threads.
#![cfg(target_os = "linux")]

use std::collections::HashSet;
use std::num::NonZeroU32;

use cnnc_runtime::device::{DeviceName, Runtime};
use cnnc_runtime::threads::Threads;

/// Threads that exist because the device is open.
fn opened(limit: Threads) -> usize {
    let count = || {
        std::fs::read_dir("/proc/self/task")
            .expect("Linux lists threads")
            .count()
    };
    let before = count();
    let runtime = Runtime::open(&DeviceName::default(), limit).expect("a CPU");
    let during = count();
    drop(runtime);
    during - before
}

/// Physical cores by Linux's list, or `None` where this process may not use all of them or where
/// there are several NUMA nodes, of which IREE uses one.
fn cores() -> Option<usize> {
    let info = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let field = |cpu: &str, name: &str| {
        let line = cpu.lines().find(|line| line.starts_with(name))?;
        line.split(':').nth(1).map(|value| value.trim().to_string())
    };
    let cpus: Vec<&str> = info
        .split("\n\n")
        .filter(|cpu| !cpu.trim().is_empty())
        .collect();
    let cores: Option<HashSet<_>> = cpus
        .iter()
        .map(|cpu| Some((field(cpu, "physical id")?, field(cpu, "core id")?)))
        .collect();
    let usable = std::thread::available_parallelism().ok()?.get() == cpus.len();
    let one_node = !std::path::Path::new("/sys/devices/system/node/node1").exists();
    (usable && one_node).then(|| cores.map(|cores| cores.len()))?
}

#[test]
fn the_limit_on_workers_is_kept() {
    let one = opened(Threads::AtMost(NonZeroU32::MIN));
    let all = opened(Threads::PerCore);
    assert_eq!(opened(Threads::AtMost(NonZeroU32::MIN)), one);
    match cores() {
        Some(cores) => assert_eq!(all - one, cores.min(64) - 1, "{cores} cores"),
        None => assert!(all >= one),
    }
}
