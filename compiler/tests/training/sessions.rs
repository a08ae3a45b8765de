//! Two sessions of a process: trainings that run at once are bit for bit those that run alone.

use std::sync::Barrier;
use std::thread;

use super::net::unit;
use super::programs;
use cnnc::iree::Target;
use cnnc_runtime::program::{Program, StepOutput};
use cnnc_runtime::state::{Snapshot, State};

/// Another net, optimizer, batch size and state each.
const NETS: [(&str, usize); 2] = [
    (
        "net a { input x: f32[N, 2, 6, 6];
             x |> conv(4, kernel=3) |> batch_norm |> relu |> max_pool(2) |> dropout(0.5) |> flatten |> dense(3) }
         train { optimizer = adamw(0.01, weight_decay=0.1); clip_norm = 0.5; ema = 0.75; }",
        6,
    ),
    (
        "net b { input x: f32[N, 2, 6, 6]; x |> flatten |> dense(48) |> relu |> dense(3) }
         train { optimizer = sgd(0.1, momentum=0.9); }",
        4,
    ),
];
const STEPS: usize = 150;

/// A compiled program, and the size of its batches.
type Compiled = (Vec<u8>, usize);

fn compiled((text, batch): (&str, usize)) -> Compiled {
    let functions = ["init", "train_step"];
    let tuned = unit(text).tuned(batch as i64, &functions, Target::Cpu);
    let vmfb = programs::backend(Target::Cpu).program(&tuned.unwrap());
    (vmfb.unwrap(), batch)
}

/// A session: a device, a program and a state of its own.
struct Session {
    program: Program,
    state: State,
    batch: usize,
    outputs: Vec<StepOutput>,
}

impl Session {
    fn new((vmfb, batch): &Compiled) -> Self {
        let program = Program::load(&programs::runtime(), vmfb).unwrap();
        Session {
            state: program.init(7).unwrap(),
            program,
            batch: *batch,
            outputs: Vec::new(),
        }
    }

    fn step(&mut self) {
        let seed = self.outputs.len();
        let pixel = |i: usize| ((i * 37 + seed * 101) % 211) as f32 / 100.0 - 1.0;
        let image: Vec<f32> = (0..self.batch * 72).map(pixel).collect();
        let label: Vec<i32> = (0..self.batch).map(|i| ((i + seed) % 3) as i32).collect();
        let output = self
            .program
            .train_step(&mut self.state, &image, &label, 0.01, true);
        self.outputs.push(output.unwrap());
    }

    /// Everything that it has come to.
    fn end(self) -> (Vec<StepOutput>, Snapshot) {
        (
            self.outputs,
            self.state.download(self.program.manifest()).unwrap(),
        )
    }
}

fn alone(net: &Compiled) -> (Vec<StepOutput>, Snapshot) {
    let mut session = Session::new(net);
    (0..STEPS).for_each(|_| session.step());
    session.end()
}

#[test]
fn two_sessions_at_once_are_as_they_are_alone() {
    let programs = NETS.map(compiled);
    let expected = programs.each_ref().map(alone);
    for (outputs, _) in &expected {
        assert!(
            outputs[STEPS - 1].loss < outputs[0].loss,
            "nothing is learnt"
        );
    }

    // On one thread, in turn.
    let mut sessions = programs.each_ref().map(Session::new);
    for _ in 0..STEPS {
        sessions.iter_mut().for_each(Session::step);
    }
    assert!(sessions.map(Session::end) == expected, "in turn");

    // On two threads, from the same moment on.
    let start = Barrier::new(NETS.len());
    let found = thread::scope(|scope| {
        let run = |net| {
            let start = &start;
            scope.spawn(move || {
                let mut session = Session::new(net);
                start.wait();
                (0..STEPS).for_each(|_| session.step());
                session.end()
            })
        };
        programs
            .each_ref()
            .map(run)
            .map(|thread| thread.join().unwrap())
    });
    assert!(found == expected, "at once");

    // Others are opened and closed beside it.
    let [own, other] = &programs;
    let found = thread::scope(|scope| {
        let training = scope.spawn(|| alone(own));
        while !training.is_finished() {
            Session::new(other).step();
        }
        training.join().unwrap()
    });
    assert!(found == expected[0], "beside others");
}
