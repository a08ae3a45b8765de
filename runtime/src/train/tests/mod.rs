mod resume;
mod surroundings;

use super::*;
use crate::checkpoint::load;
use crate::device::Runtime;
use crate::fixture::{examples, program, runtime};
use crate::state::Snapshot;
use crate::tensor::Elements;
use std::path::PathBuf;

// The numbers come from PyTorch in f64: softmax regression on `fixture::examples(10)`, weight
// 0.01 (3 pixel + class), bias 0, batches of 4, 4 and 2 in the order of the file, learning rate
// 0.5, `cross_entropy` with mean reduction, plain SGD.
const LOSSES: [f64; 2] = [1.120473211307317, 1.103670492201339];
const CORRECT: [u64; 2] = [2, 4];
const TEST: [(f64, u64); 2] = [(1.0812998594820602, 6), (1.0730598979254795, 5)];
const WEIGHT: [f64; 12] = [
    0.09933937984011079,
    -0.10014374346109252,
    0.030804363620981736,
    0.011775518833513694,
    -0.03762435490050593,
    0.14584883606699225,
    0.2732911272425699,
    -0.15623457375670013,
    0.09294344651413022,
    -0.04966141543952456,
    0.13847051955961653,
    0.2111908958799082,
];

struct Setup {
    four: Program,
    two: Program,
    data: Data,
    options: TrainOptions,
    folder: tempfile::TempDir,
}

impl Setup {
    fn new() -> Self {
        let runtime: Runtime = runtime();
        Self {
            four: program(&runtime, 4),
            two: program(&runtime, 2),
            data: Data {
                train: examples(10),
                test: Some(examples(10)),
            },
            options: TrainOptions {
                epochs: 2,
                lr: 0.5,
                shuffle: false,
                ..TrainOptions::default()
            },
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    fn checkpoint(&self) -> PathBuf {
        self.folder.path().join("model.safetensors")
    }

    fn programs(&self) -> Programs<'_> {
        Programs {
            step: &self.four,
            ragged: Some(&self.two),
            evaluate: &self.four,
        }
    }

    fn run(&self, observer: &mut dyn Observer) -> (Result<History, TrainError>, Snapshot) {
        let mut state = self.four.init(0).expect("drawn");
        let result = self.run_from(&mut state, observer, None);
        (result, state.download(self.four.manifest()).expect("read"))
    }

    fn run_from(
        &self,
        state: &mut State,
        observer: &mut dyn Observer,
        stop: Option<&AtomicBool>,
    ) -> Result<History, TrainError> {
        let checkpoint = self.checkpoint();
        let mut surroundings = Surroundings {
            checkpoint: Some(&checkpoint),
            metrics: None,
            observer,
            stop,
            version: "0.1.0",
        };
        train(
            self.programs(),
            state,
            &self.data,
            &self.options,
            &mut surroundings,
        )
    }
}

/// BUG-48: the ragged last batch counts by its examples, in the loss and in the update.
#[test]
fn two_epochs_as_pytorch_trains_them() {
    let setup = Setup::new();
    let (history, after) = setup.run(&mut Silent);
    let history = history.expect("trained");
    assert_eq!(
        history.progress,
        Progress {
            epochs: 2,
            steps: 6,
            begun: Begun::default()
        }
    );
    assert!(!history.stopped);
    for (index, report) in history.epochs.iter().enumerate() {
        assert_eq!(
            (report.epoch, report.steps, report.examples),
            (index as u64 + 1, 3, 10)
        );
        assert!((report.loss - LOSSES[index]).abs() < 1e-6, "{report:?}");
        assert_eq!(report.correct, CORRECT[index]);
        let test = report.test.expect("tested");
        assert!((test.loss - TEST[index].0).abs() < 1e-6, "{test:?}");
        assert_eq!((test.correct, test.examples), (TEST[index].1, 10));
        assert!(report.median_step_ms > 0.0 && report.seconds > 0.0);
    }
    let weight = after.parameters[0].elements.as_f32().expect("f32");
    for (found, expected) in weight.iter().zip(WEIGHT) {
        assert!(
            (f64::from(*found) - expected).abs() < 1e-6,
            "{found} against {expected}"
        );
    }
    let checkpoint = load(&setup.checkpoint(), setup.four.manifest()).expect("whole");
    assert_eq!(checkpoint.snapshot, after);
    let metadata = checkpoint.metadata.expect("ours");
    assert_eq!((metadata.epoch, metadata.step), (2, 6));
}

/// Without a program for two examples, they are left out: 8 examples, 2 steps.
#[test]
fn without_a_ragged_program_the_remainder_is_left_out() {
    let setup = Setup::new();
    let mut state = setup.four.init(0).expect("drawn");
    let programs = Programs {
        ragged: None,
        ..setup.programs()
    };
    let options = TrainOptions {
        epochs: 1,
        ..setup.options.clone()
    };
    let mut observer = Silent;
    let mut surroundings = Surroundings {
        checkpoint: None,
        metrics: None,
        observer: &mut observer,
        stop: None,
        version: "0.1.0",
    };
    let history = train(
        programs,
        &mut state,
        &setup.data,
        &options,
        &mut surroundings,
    );
    let report = history.expect("trained").epochs[0];
    assert_eq!((report.steps, report.examples), (2, 8));
    assert!(
        (report.loss - 1.1094585539622366).abs() < 1e-6,
        "{report:?}"
    );
}

#[test]
fn the_seed_decides_the_result() {
    let mut setup = Setup::new();
    setup.options.shuffle = true;
    let mut run = |seed| {
        setup.options.seed = seed;
        let (history, after) = setup.run(&mut Silent);
        (history.expect("trained").epochs[0].loss, after)
    };
    let (first, again, other) = (run(1), run(1), run(2));
    assert_eq!(first, again);
    assert_ne!(first.1, other.1);
}

/// A training that is resumed from its checkpoint ends at the same bits as one in one go.
#[test]
fn bug_58_resumed_training_is_bit_identical() {
    let mut setup = Setup::new();
    setup.options.shuffle = true;
    let (_, whole) = setup.run(&mut Silent);
    setup.options.epochs = 1;
    setup.run(&mut Silent).0.expect("trained");
    let manifest = setup.four.manifest();
    let half = load(&setup.checkpoint(), manifest).expect("whole");
    let metadata = half.metadata.expect("ours");
    let runtime = setup.four.runtime();
    let mut state = State::upload(runtime, manifest, &half.snapshot).expect("fits");
    setup.options.epochs = 2;
    setup.options.done = Progress {
        epochs: metadata.epoch,
        steps: metadata.step,
        begun: metadata.begun,
    };
    let history = setup
        .run_from(&mut state, &mut Silent, None)
        .expect("trained");
    assert_eq!(history.epochs.len(), 1);
    assert_eq!(
        history.progress,
        Progress {
            epochs: 2,
            steps: 6,
            begun: Begun::default()
        }
    );
    assert_eq!(state.download(manifest).expect("read"), whole);
    assert_eq!(whole.state[0].elements, Elements::U64(vec![6]));
}

/// At a learning rate of 3e38 the second step's loss is not finite. The checkpoint of an earlier,
/// sound training stays as it was.
#[test]
fn a_non_finite_loss_stops_and_keeps_the_checkpoint() {
    let mut setup = Setup::new();
    setup.run(&mut Silent).0.expect("trained");
    let before = std::fs::read(setup.checkpoint()).expect("there");
    setup.options.lr = 3e38;
    let error = setup.run(&mut Silent).0.expect_err("diverged");
    assert!(
        matches!(
            error,
            TrainError::NonFiniteLoss {
                epoch: 1,
                step: 2,
                ..
            }
        ),
        "{error}"
    );
    let text = error.to_string();
    assert!(text.starts_with("the loss is "), "{text}");
    assert!(
        text.contains(" at epoch 1, step 2 (learning rate 3"),
        "{text}"
    );
    assert!(
        text.ends_with("; there is no finite checkpoint of this training yet"),
        "{text}"
    );
    assert_eq!(std::fs::read(setup.checkpoint()).expect("there"), before);
}

/// All biases at -3e38 give equal probabilities and a loss of ln 3, but the update of the class
/// that no example has goes below the least f32: no checkpoint of it is written.
#[test]
fn non_finite_parameters_are_not_saved() {
    let mut setup = Setup::new();
    setup.options.lr = f32::MAX;
    setup.data.train = examples(2);
    setup.options.epochs = 1;
    let (runtime, manifest) = (setup.two.runtime(), setup.two.manifest());
    let state = setup.two.init(0).expect("drawn");
    let mut snapshot = state.download(manifest).expect("read");
    snapshot.parameters[1].elements = Elements::F32(vec![-3e38; 3]);
    let mut state = State::upload(runtime, manifest, &snapshot).expect("fits");
    let error = setup.run_from(&mut state, &mut Silent, None);
    let text = error.expect_err("diverged").to_string();
    assert!(
        text.starts_with("`dense1.bias`[2] is -inf after epoch 1, step 1 (learning rate 3"),
        "{text}"
    );
    assert!(!setup.checkpoint().exists());
}

#[test]
fn settings_that_cannot_train() {
    let fault = |change: &dyn Fn(&mut Setup)| {
        let mut setup = Setup::new();
        change(&mut setup);
        setup.run(&mut Silent).0.expect_err("refused").to_string()
    };
    for lr in [0.0, -0.1, f32::NAN, f32::INFINITY] {
        let message = fault(&|setup| setup.options.lr = lr);
        assert_eq!(
            message,
            format!("learning rate {lr}: must be finite and above 0")
        );
    }
    let message = fault(&|setup| setup.data.train = examples(11));
    assert_eq!(
        message,
        "11 examples in batches of 4 leave 3, the program for the last batch takes 2"
    );
    let message = fault(&|setup| {
        let wide = crate::fixture::dataset(&[0; 60], [2, 3], &[0; 10], 3);
        setup.data.test = Some(Arc::new(wide));
    });
    assert!(message.contains("images of [1, 2, 3]"), "{message}");
}
