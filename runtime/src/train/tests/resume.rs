//! Trainings in parts, and learning rates.

use super::surroundings::StopAt;
use super::*;
use crate::data::{Augment, Augmentation};
use std::sync::atomic::AtomicBool;

/// Shuffled, augmented, and with a learning rate that changes at each update.
fn lively() -> Setup {
    let mut setup = Setup::new();
    setup.options.shuffle = true;
    setup.options.seed = 4;
    setup.options.schedule = Schedule::Cosine {
        warmup: 0.5,
        min: 0.01,
    };
    setup.options.preparation.augment = Augment {
        changes: vec![Augmentation::PadCrop(1), Augmentation::Flip],
        seed: 4,
    };
    setup
}

/// Parameters and state, and what is known of the training, from the checkpoint.
fn resumed(setup: &Setup) -> (State, Progress) {
    let manifest = setup.four.manifest();
    let found = load(&setup.checkpoint(), manifest).expect("whole");
    let metadata = found.metadata.expect("ours");
    let state = State::upload(setup.four.runtime(), manifest, &found.snapshot).expect("fits");
    let progress = Progress {
        epochs: metadata.epoch,
        steps: metadata.step,
        begun: metadata.begun,
    };
    (state, progress)
}

/// BUG-58: stopped after any step, within an epoch or at its end, and taken up again.
#[test]
fn bug_58_a_training_goes_on_from_any_step() {
    let whole = lively();
    let (history, expected) = whole.run(&mut Silent);
    let history = history.expect("trained");
    for step in 1..6 {
        let mut setup = lively();
        let stop = AtomicBool::new(false);
        let mut observer = StopAt {
            step,
            stop: &stop,
            seen: 0,
        };
        let mut state = setup.four.init(0).expect("drawn");
        let first = setup
            .run_from(&mut state, &mut observer, Some(&stop))
            .expect("stopped");
        assert_eq!(first.progress.steps, step);
        let (mut state, progress) = resumed(&setup);
        assert_eq!(progress, first.progress);
        setup.options.done = progress;
        let second = setup
            .run_from(&mut state, &mut Silent, None)
            .expect("trained");
        let after = state.download(setup.four.manifest()).expect("read");
        assert_eq!(after, expected, "stopped after step {step}");
        assert_eq!(second.progress, history.progress);
        let reports = first.epochs.iter().chain(&second.epochs);
        for (report, expected) in reports.zip(&history.epochs) {
            assert_eq!(
                (report.steps, report.examples, report.correct, report.lr),
                (
                    expected.steps,
                    expected.examples,
                    expected.correct,
                    expected.lr
                )
            );
            assert_eq!(report.loss.to_bits(), expected.loss.to_bits());
            assert_eq!(report.test, expected.test);
        }
    }
}

/// The schedule is that of both epochs, though the training ends after one.
#[test]
fn bug_58_a_training_can_be_left_after_an_epoch() {
    let whole = lively();
    let (_, expected) = whole.run(&mut Silent);
    let mut setup = lively();
    setup.options.stop_after = Some(1);
    let history = setup.run(&mut Silent).0.expect("trained");
    assert_eq!((history.progress.epochs, history.stopped), (1, false));
    let (mut state, progress) = resumed(&setup);
    setup.options.stop_after = None;
    setup.options.done = progress;
    setup
        .run_from(&mut state, &mut Silent, None)
        .expect("trained");
    let after = state.download(setup.four.manifest()).expect("read");
    assert_eq!(after, expected);
}

#[derive(Default)]
struct Rates(Vec<f32>);

impl Observer for Rates {
    fn step(&mut self, report: &StepReport) {
        self.0.push(report.lr);
    }
}

/// Two epochs of three updates: a rise of one and a half updates, then a fall of four and a half.
#[test]
fn the_schedule_gives_each_update_its_learning_rate() {
    let mut rates = Rates::default();
    lively().run(&mut rates).0.expect("trained");
    let fall = |done: f64| {
        let part = (done - 1.5) / 4.5;
        0.01 + 0.49 * (1.0 + (std::f64::consts::PI * part).cos()) / 2.0
    };
    let expected = [0.5 / 1.5, 0.5, fall(2.0), fall(3.0), fall(4.0), fall(5.0)];
    assert_eq!(rates.0.len(), 6);
    for (found, expected) in rates.0.iter().zip(expected) {
        assert!((f64::from(*found) - expected).abs() < 1e-7, "{:?}", rates.0);
    }
    let mut setup = Setup::new();
    setup.options.schedule = Schedule::Step {
        every: 1,
        factor: 0.1,
    };
    let mut rates = Rates::default();
    setup.run(&mut rates).0.expect("trained");
    assert_eq!(rates.0, [0.5, 0.5, 0.5, 0.05, 0.05, 0.05]);
}

#[test]
fn schedules_and_checkpoints_that_do_not_fit() {
    let mut setup = lively();
    setup.options.schedule = Schedule::Cosine {
        warmup: 2.0,
        min: 0.0,
    };
    let message = setup.run(&mut Silent).0.expect_err("too long").to_string();
    assert_eq!(
        message,
        "a warm-up of 2 epochs leaves nothing of a training of 2"
    );
    let mut setup = lively();
    setup.options.done.begun.examples = 6;
    let message = setup.run(&mut Silent).0.expect_err("other").to_string();
    let start =
        "the checkpoint is inside an epoch, after 6 examples, where no update of 4 of the 10";
    assert!(message.starts_with(start), "{message}");
}
