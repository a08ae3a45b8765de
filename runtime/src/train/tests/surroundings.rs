//! Stops, observers and metrics.

use super::*;
use serde_json::Value;
use std::sync::atomic::Ordering;

pub(super) struct StopAt<'a> {
    pub step: u64,
    pub stop: &'a AtomicBool,
    pub seen: u64,
}

impl Observer for StopAt<'_> {
    fn step(&mut self, _: &StepReport) {
        self.seen += 1;
        if self.seen == self.step {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_stop_finishes_the_step_and_saves() {
    let setup = Setup::new();
    let stop = AtomicBool::new(false);
    let mut observer = StopAt {
        step: 4,
        stop: &stop,
        seen: 0,
    };
    let mut state = setup.four.init(0).expect("drawn");
    let history = setup
        .run_from(&mut state, &mut observer, Some(&stop))
        .expect("stopped");
    assert!(history.stopped);
    assert_eq!(history.epochs.len(), 1);
    assert_eq!(
        history.progress,
        Progress {
            epochs: 1,
            steps: 4,
            begun: Begun {
                steps: 1,
                examples: 4,
                ..history.progress.begun
            }
        }
    );
    let checkpoint = load(&setup.checkpoint(), setup.four.manifest()).expect("whole");
    let metadata = checkpoint.metadata.expect("ours");
    assert_eq!((metadata.epoch, metadata.step), (1, 4));
    assert_eq!(metadata.begun, history.progress.begun);
    assert_eq!(
        checkpoint.snapshot.state[0].elements,
        Elements::U64(vec![4])
    );
}

#[derive(Default)]
struct Log(Vec<String>);

impl Observer for Log {
    fn epoch_started(&mut self, epoch: u64, epochs: u64, steps: u64) {
        self.0.push(format!("epoch {epoch}/{epochs} of {steps}"));
    }
    fn step(&mut self, report: &StepReport) {
        self.0
            .push(format!("step {}/{}", report.step, report.steps));
    }
    fn evaluating(&mut self, epoch: u64) {
        self.0.push(format!("evaluating {epoch}"));
    }
    fn epoch_finished(&mut self, report: &EpochReport) {
        self.0.push(format!("finished {}", report.epoch));
    }
}

#[test]
fn an_observer_sees_the_steps_in_order() {
    let mut setup = Setup::new();
    setup.options.epochs = 1;
    let mut log = Log::default();
    setup.run(&mut log).0.expect("trained");
    assert_eq!(
        log.0,
        [
            "epoch 1/1 of 3",
            "step 1/3",
            "step 2/3",
            "step 3/3",
            "evaluating 1",
            "finished 1"
        ]
    );
}

#[test]
fn metrics_get_a_line_per_epoch_and_step() {
    let mut setup = Setup::new();
    setup.options.log_steps = true;
    let path = setup.folder.path().join("metrics.jsonl");
    let mut metrics = MetricsFile::append(&path).expect("created");
    let mut state = setup.four.init(0).expect("drawn");
    let mut surroundings = Surroundings {
        checkpoint: None,
        metrics: Some(&mut metrics),
        observer: &mut Silent,
        stop: None,
        version: "0.1.0",
    };
    let options = &setup.options;
    train(
        setup.programs(),
        &mut state,
        &setup.data,
        options,
        &mut surroundings,
    )
    .expect("trained");
    let text = std::fs::read_to_string(&path).expect("there");
    let events: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let names: Vec<_> = events.iter().map(|event| event["event"].as_str()).collect();
    let epoch = [Some("step"), Some("step"), Some("step"), Some("epoch")];
    assert_eq!(names, [epoch, epoch].concat());
    let accuracy = events[7]["test"]["accuracy"].as_f64().expect("a number");
    assert_eq!(accuracy, TEST[1].1 as f64 / 10.0);
}
