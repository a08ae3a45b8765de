//! What a training step allocates. A process of its own, with one test: all allocations are counted, and all memory
//! that is in use.
//!
//! eerie lets IREE take its small objects (lists, views, command buffers) from Rust's allocator, aligned to 16 bytes,
//! as nothing of ours is: what is aligned so is IREE's. Tensors it takes from the C allocator.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

#[path = "common/examples.rs"]
#[allow(dead_code)]
mod examples;
#[path = "common/programs.rs"]
mod programs;

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cnnc::driver;
use cnnc::network::Options;
use cnnc_runtime::data::Dataset;
use cnnc_runtime::program::Program;
use cnnc_runtime::state::State;
use cnnc_runtime::train::{Data, Programs, Silent, Surroundings, TrainOptions, train};

struct Counting;

/// Number and bytes of ours, and number of IREE's.
static COUNTERS: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];

fn count(layout: Layout, size: usize) {
    if layout.align() >= 16 {
        COUNTERS[2].fetch_add(1, Ordering::Relaxed);
    } else {
        COUNTERS[0].fetch_add(1, Ordering::Relaxed);
        COUNTERS[1].fetch_add(size, Ordering::Relaxed);
    }
}

// SAFETY: the system's allocator, to which everything is handed on.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout, layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(layout, size);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What `run` adds to the counters.
fn allocations(run: impl FnOnce()) -> [usize; 3] {
    let read = || {
        COUNTERS
            .each_ref()
            .map(|counter| counter.load(Ordering::Relaxed))
    };
    let before = read();
    run();
    let after = read();
    [0, 1, 2].map(|i| after[i] - before[i])
}

/// Bytes of the C allocator that are in use: by this program and by IREE.
fn in_use() -> usize {
    // SAFETY: it reads counters under the allocator's own locks.
    let info = unsafe { libc::mallinfo2() };
    info.uordblks + info.hblkhd
}

const NET: &str = "net small {
    input image: f32[N, 1, 28, 28];
    image |> conv(4, kernel=3) |> batch_norm |> relu |> max_pool(2) |> conv(8, kernel=3) |> relu |> max_pool(2)
          |> flatten |> dense(10)
}
train { batch = 2; optimizer = adam; clip_norm = 1; accumulate = 2; }";

const BATCH: usize = 2;

fn program(text: &str) -> Program {
    let unit = driver::read("small.net", text, &Options::default()).unwrap();
    let functions = ["init", "train_step"];
    programs::program(&programs::runtime(), &unit, BATCH as i64, &functions)
}

/// By the program alone: a list of arguments and eerie's list of results, whatever the net.
fn of_a_step(program: &Program, state: &mut State) {
    let (image, label) = ([0.25; 784 * BATCH], [3, 7]);
    let mut step = || {
        let output = program.train_step(state, &image, &label, 0.01, true);
        output.unwrap();
    };
    (0..3).for_each(|_| step());
    let all: Vec<[usize; 3]> = (0..20).map(|_| allocations(&mut step)).collect();
    let manifest = program.manifest();
    let values = manifest.parameters.len() + manifest.state.len() + 4;
    println!("a step of {values} values: {:?}", all[0]);
    let [count, bytes, _] = all[0];
    for [own, own_bytes, of_iree] in &all {
        assert_eq!([own, own_bytes], [&count, &bytes], "{all:?}");
        // One or two more where its threads meet.
        assert!(*of_iree <= 4 * values, "{all:?}");
    }
    assert_eq!(count, 2);
    assert!(bytes <= 2 * 48 * values, "{bytes} bytes of {values} values");
}

/// `count` images of the test data.
fn data(folder: &Path, count: u32) -> Data {
    let read = |name: &str| std::fs::read(examples::data(&format!("fixtures/{name}"))).unwrap();
    let write = |name: &str, header: usize, size: usize| {
        let mut bytes = read(name);
        let rows: Vec<u8> = bytes.split_off(header);
        bytes[4..8].copy_from_slice(&count.to_be_bytes());
        bytes.extend(rows.iter().cycle().take(size * count as usize));
        let path = folder.join(format!("{count}-{name}"));
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let images = write("mnist16-images.idx3-ubyte", 16, 784);
    let labels = write("mnist16-labels.idx1-ubyte", 8, 1);
    let train = Dataset::from_idx_files(&images, &labels, 10).unwrap();
    Data {
        train: Arc::new(train),
        test: None,
    }
}

/// By a training of one epoch, all threads together.
fn of_a_training(program: &Program, state: &mut State, data: &Data) -> [usize; 3] {
    let programs = Programs {
        step: program,
        ragged: None,
        evaluate: program,
    };
    let options = TrainOptions {
        epochs: 1,
        lr: 0.01,
        ..TrainOptions::default()
    };
    let mut surroundings = Surroundings {
        checkpoint: None,
        metrics: None,
        observer: &mut Silent,
        stop: None,
        version: "0",
    };
    allocations(|| {
        train(programs, state, data, &options, &mut surroundings).unwrap();
    })
}

#[test]
fn steps_allocate_their_batch_and_no_more() {
    let program = program(NET);
    let mut state = program.init(0).unwrap();
    of_a_step(&program, &mut state);

    // What 100 more steps take: three vectors of each batch, and the lists.
    let folder = tempfile::tempdir().unwrap();
    let (short, long) = (data(folder.path(), 200), data(folder.path(), 400));
    of_a_training(&program, &mut state, &short);
    let [few, many] = [&short, &long].map(|data| of_a_training(&program, &mut state, data));
    let [count, bytes, _] = [0, 1, 2].map(|i| many[i] - few[i]);
    println!("100 steps: {count} allocations of {bytes} bytes");
    assert!(count <= 100 * 5 + 5, "{count} allocations");
    let batch = 4 * (784 + 1 + 1) * BATCH;
    let lists = 2 * 48 * 50;
    assert!(bytes <= 100 * (batch + lists), "{bytes} bytes");

    // After 1,000 steps and after 10,000 as much is in use.
    let (image, label) = ([0.25; 784 * BATCH], [3, 7]);
    let mut run = |steps: usize| {
        for _ in 0..steps {
            program
                .train_step(&mut state, &image, &label, 1e-4, true)
                .unwrap();
        }
        in_use()
    };
    let (early, late) = (run(1000), run(9000));
    println!("in use: {early} bytes after 1,000 steps, {late} after 10,000");
    assert!(late <= early + (16 << 10), "{early} bytes, then {late}");
}
