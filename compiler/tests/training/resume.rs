//! A training in parts is a training in one go, to the bit.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::net::Net;
use super::programs;
use cnnc_runtime::checkpoint;
use cnnc_runtime::data::{Augment, Augmentation, Dataset, Preparation};
use cnnc_runtime::state::{Snapshot, State};
use cnnc_runtime::train::{
    Data, Observer, Programs, Progress, Schedule, StepReport, Surroundings, TrainOptions, train,
};

/// Everything that has state: Adam, a running mean, random numbers, averages,
/// and gradients that wait for the second batch of their group.
const NET: &str = "net a { input x: f32[N, 1, 4, 4];
        x |> conv(4, kernel=3) |> batch_norm |> relu |> dropout(0.25) |> flatten |> dense(3) }
    train { optimizer = adam(0.01, weight_decay=0.01); ema = 0.9; clip_norm = 1; accumulate = 2; }";

const EXAMPLES: usize = 22;

fn idx(magic: u32, sizes: &[u32], bytes: Vec<u8>) -> Vec<u8> {
    let header = [magic].into_iter().chain(sizes.iter().copied());
    header.flat_map(u32::to_be_bytes).chain(bytes).collect()
}

fn dataset(folder: &Path) -> Dataset {
    let [images, labels] = ["images", "labels"].map(|name| folder.join(name));
    let count = EXAMPLES as u32;
    let pixels = (0..EXAMPLES * 16).map(|i| (i * 53 % 251) as u8).collect();
    std::fs::write(&images, idx(0x803, &[count, 4, 4], pixels)).unwrap();
    let classes = (0..EXAMPLES).map(|i| (i % 3) as u8).collect();
    std::fs::write(&labels, idx(0x801, &[count], classes)).unwrap();
    Dataset::from_idx_files(&images, &labels, 3).unwrap()
}

struct Setup {
    step: Net,
    ragged: Net,
    data: Data,
    folder: tempfile::TempDir,
}

/// Stops after so many steps, and keeps all losses.
struct Watch<'a> {
    losses: &'a mut Vec<u32>,
    last: u64,
    stop: &'a AtomicBool,
}

impl Observer for Watch<'_> {
    fn step(&mut self, report: &StepReport) {
        self.losses.push(report.loss.to_bits());
        if self.losses.len() as u64 == self.last {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

impl Setup {
    fn new() -> Self {
        let runtime = programs::runtime();
        let folder = tempfile::tempdir().unwrap();
        let functions = ["init", "train_step", "evaluate"];
        Setup {
            step: Net::new(&runtime, NET, 4, &functions),
            // Twenty-two examples are five batches of four, and two.
            ragged: Net::new(&runtime, NET, 2, &functions),
            data: Data {
                train: Arc::new(dataset(folder.path())),
                test: Some(Arc::new(dataset(folder.path()))),
            },
            folder,
        }
    }

    fn checkpoint(&self) -> PathBuf {
        self.folder.path().join("checkpoint")
    }

    fn options(&self) -> TrainOptions {
        TrainOptions {
            epochs: 4,
            lr: 0.01,
            schedule: Schedule::Cosine {
                warmup: 1.0,
                min: 1e-4,
            },
            seed: 9,
            preparation: Preparation {
                augment: Augment {
                    changes: vec![Augmentation::PadCrop(1), Augmentation::Flip],
                    seed: 9,
                },
                ..Preparation::default()
            },
            ..TrainOptions::default()
        }
    }

    /// Trains up to a step, from a checkpoint if there is one.
    fn run(&self, last: u64, losses: &mut Vec<u32>) -> Snapshot {
        let program = &self.step.program;
        let manifest = program.manifest();
        let mut options = self.options();
        let mut state = match self.checkpoint().exists() {
            true => {
                let found = checkpoint::load(&self.checkpoint(), manifest).unwrap();
                let metadata = found.metadata.unwrap();
                options.done = Progress {
                    epochs: metadata.epoch,
                    steps: metadata.step,
                    begun: metadata.begun,
                };
                State::upload(program.runtime(), manifest, &found.snapshot).unwrap()
            }
            false => program.init(9).unwrap(),
        };
        let programs = Programs {
            step: program,
            ragged: Some(&self.ragged.program),
            evaluate: program,
        };
        let stop = AtomicBool::new(false);
        let mut surroundings = Surroundings {
            checkpoint: Some(&self.checkpoint()),
            metrics: None,
            observer: &mut Watch {
                losses,
                last,
                stop: &stop,
            },
            stop: Some(&stop),
            version: "0",
        };
        train(
            programs,
            &mut state,
            &self.data,
            &options,
            &mut surroundings,
        )
        .unwrap();
        state.download(manifest).unwrap()
    }
}

/// BUG-58: twenty-four steps at once; and twelve and twelve, seven and
/// seventeen, twenty and four.
#[test]
fn bug_58_parts_end_where_the_whole_does() {
    let setup = Setup::new();
    let mut expected = Vec::new();
    let whole = setup.run(u64::MAX, &mut expected);
    assert_eq!(expected.len(), 24);
    let varying: std::collections::BTreeSet<_> = expected.iter().collect();
    assert!(varying.len() > 20, "constant losses hide lost state");
    for steps in [12, 7, 20] {
        std::fs::remove_file(setup.checkpoint()).unwrap();
        let mut losses = Vec::new();
        setup.run(steps, &mut losses);
        // A stop waits for the end of a group of two batches.
        assert_eq!(losses.len() as u64, steps.next_multiple_of(2));
        let after = setup.run(u64::MAX, &mut losses);
        assert_eq!(losses, expected, "in parts of {steps} and the rest");
        assert_eq!(after, whole);
    }
}

/// The counter of updates and every kind of state is in the checkpoint.
#[test]
fn checkpoints_keep_all_state() {
    let setup = Setup::new();
    setup.run(2, &mut Vec::new());
    let found = checkpoint::load(&setup.checkpoint(), setup.step.program.manifest()).unwrap();
    let names: Vec<&str> = found.snapshot.state.iter().map(|t| &*t.name).collect();
    for name in [
        "batch_norm1.running_mean",
        "random:counter",
        "conv1.weight.m",
        "conv1.weight.v",
        "dense1.bias.sum",
        "conv1.bias.average",
        "batch_norm1.running_var.average",
        "optimizer:updates",
        "optimizer:examples",
    ] {
        assert!(names.contains(&name), "no {name} in {names:?}");
    }
}
