//! BUG-62: a save that is killed or runs out of space leaves the old checkpoint or the new one.
//! Each test starts this file again as a child process, which it can kill or limit.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use cnnc_runtime::checkpoint::{Metadata, load, save};
use cnnc_runtime::manifest::Manifest;
use cnnc_runtime::state::Snapshot;
use cnnc_runtime::tensor::{Elements, NamedTensor};
use cnnc_runtime::train::Begun;

/// Enough values (8 MB) that writing them takes a while.
const VALUES: usize = 2_000_000;
const FILE: &str = "CNNC_TEST_CHECKPOINT";

fn manifest() -> Manifest {
    let text = format!(
        r#"{{"version": 1, "net": "big", "batch": 1, "target": "cpu", "classes": 2,
            "inputs": [{{"name": "image", "shape": [1, 1, 1, 1], "dtype": "f32"}},
                       {{"name": "label", "shape": [1], "dtype": "i32"}}],
            "parameters": [{{"name": "w", "shape": [{VALUES}], "dtype": "f32"}}]}}"#
    );
    Manifest::parse(&text).expect("valid")
}

/// All values are `epoch`, so that a mixture of two checkpoints would show.
fn checkpoint(epoch: u8) -> (Snapshot, Metadata) {
    let tensor = NamedTensor {
        name: "w".into(),
        shape: vec![VALUES],
        elements: Elements::F32(vec![f32::from(epoch); VALUES]),
    };
    let snapshot = Snapshot {
        parameters: vec![tensor],
        state: Vec::new(),
    };
    let metadata = Metadata {
        net: "big".into(),
        epoch: epoch.into(),
        step: 0,
        begun: Begun::default(),
        epochs: 0,
        seed: 0,
        version: "0.1.0".into(),
    };
    (snapshot, metadata)
}

fn assert_whole(path: &Path) -> u64 {
    let found = load(path, &manifest()).expect("the checkpoint is whole");
    let metadata = found.metadata.expect("ours");
    let epoch = u8::try_from(metadata.epoch).expect("small");
    assert_eq!(found.snapshot, checkpoint(epoch).0);
    metadata.epoch
}

fn start(child: &str, path: &Path) -> Child {
    Command::new(std::env::current_exe().expect("this file"))
        .args(["--exact", child, "--nocapture"])
        .env(FILE, path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("started")
}

fn child_path() -> Option<PathBuf> {
    std::env::var_os(FILE).map(PathBuf::from)
}

/// The child of the first test: saves for ever.
#[test]
fn child_that_saves() {
    let Some(path) = child_path() else {
        return;
    };
    for epoch in (1..=200).cycle() {
        let (snapshot, metadata) = checkpoint(epoch);
        save(&path, &snapshot, &metadata).expect("saved");
    }
}

#[test]
fn a_killed_save_leaves_a_whole_checkpoint() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.safetensors");
    let (snapshot, metadata) = checkpoint(0);
    save(&path, &snapshot, &metadata).expect("saved");
    let unfinished = || {
        let names = fs::read_dir(folder.path()).expect("a folder");
        names
            .filter(|name| name.as_ref().is_ok_and(|n| n.path() != path))
            .count()
    };
    // Killed as soon as a save is seen to be under way, until three kills have hit one half-way.
    let begun = Instant::now();
    let mut hits = 0;
    while hits < 3 {
        let mut child = start("child_that_saves", &path);
        while unfinished() == hits {
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "no save was seen"
            );
            std::thread::sleep(Duration::from_micros(500));
        }
        child.kill().expect("killed");
        child.wait().expect("ended");
        assert_whole(&path);
        hits = unfinished();
    }
}

/// The child of the second test: may write 1 MB and no more, as on a full disk.
#[test]
fn child_without_space() {
    let Some(path) = child_path() else {
        return;
    };
    let limit = libc::rlimit {
        rlim_cur: 1 << 20,
        rlim_max: 1 << 20,
    };
    // SAFETY: a valid pointer to a struct of integers; the signal would otherwise end the process
    // before the write can fail.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &limit), 0);
    }
    let (snapshot, metadata) = checkpoint(2);
    let error = save(&path, &snapshot, &metadata)
        .expect_err("no space")
        .to_string();
    assert!(error.starts_with("cannot write "), "{error}");
}

#[test]
fn a_save_without_space_leaves_the_old_checkpoint_and_no_rest() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.safetensors");
    let (snapshot, metadata) = checkpoint(1);
    save(&path, &snapshot, &metadata).expect("saved");
    let status = start("child_without_space", &path).wait().expect("ended");
    assert!(status.success());
    assert_eq!(assert_whole(&path), 1);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}
