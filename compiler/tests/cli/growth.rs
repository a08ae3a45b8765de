//! What must not grow: memory with the steps of a training, memory of the
//! compiler with the batch.
#![cfg(target_os = "linux")]

use std::process::Child;
use std::time::Duration;

use super::run::{CNNC, Folder};

const SMALL: &str = "net small {
    input image: f32[N, 1, 28, 28];
    image |> conv(4, kernel=3) |> batch_norm |> relu |> max_pool(2)
          |> conv(8, kernel=3) |> relu |> max_pool(2) |> flatten |> dense(10)
}
train { batch = 2; epochs = 1000000; optimizer = adam; }
";

/// What a process holds, in kB.
fn resident(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let number = line.unwrap().split_whitespace().nth(1).unwrap();
    number.parse().unwrap()
}

/// A training of 8 steps per epoch: what it holds after 200 steps and after 2000.
#[test]
fn bug_35_memory_does_not_grow_with_the_steps() {
    let folder = Folder::with_data();
    folder.write("small.net", SMALL);
    let words = "train small.net --data data --out out --quiet";
    let mut child = folder.command(CNNC, words).spawn().unwrap();
    let mut after = |epochs: usize| {
        let metrics = folder.path("out/metrics.jsonl");
        let ended = || {
            let text = std::fs::read_to_string(&metrics).unwrap_or_default();
            text.matches("\"epoch\":").count() >= epochs
        };
        while !ended() {
            assert!(child.try_wait().unwrap().is_none(), "it has ended");
            std::thread::sleep(Duration::from_millis(20));
        }
        resident(&child)
    };
    let (early, late) = (after(25), after(250));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(late * 100 <= early * 105, "{early} kB, then {late} kB");
}

/// Peak memory in kB of a command that goes well.
// `wait4` does wait for it.
#[allow(clippy::zombie_processes)]
fn peak_memory(folder: &Folder, words: &str) -> i64 {
    let child = folder.command(CNNC, words).spawn().unwrap();
    let mut status = 0;
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: our own child, which nobody else waits for, and pointers to places that live.
    let usage = unsafe {
        let pid = child.id() as libc::pid_t;
        assert_eq!(libc::wait4(pid, &mut status, 0, usage.as_mut_ptr()), pid);
        usage.assume_init()
    };
    assert_eq!(status, 0, "{words}");
    usage.ru_maxrss
}

/// Batches of 8, 64 and 512 take the compiler as much, to half of it.
#[test]
fn bug_32_compilation_does_not_grow_with_the_batch() {
    let folder = Folder::new();
    folder.write(
        "small.net",
        "net small { input image: f32[N, 1, 28, 28];
         image |> conv(4, kernel=3) |> relu |> max_pool(2) |> flatten |> dense(10) }",
    );
    let memory = [8, 64, 512].map(|batch| {
        let words = format!("small.net --no-cache --batch {batch} -o a.vmfb");
        peak_memory(&folder, &words)
    });
    let (least, most) = (memory.iter().min().unwrap(), memory.iter().max().unwrap());
    assert!(2 * most <= 3 * least, "kB: {memory:?}");
}
