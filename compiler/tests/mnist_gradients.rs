//! Gradients of the MNIST CNN, from the tuned module on IREE's devices, against
//! PyTorch and JAX: on real images, and on a batch made to have pool windows
//! whose maxima tie between cells that are different functions of the
//! parameters.

#[path = "common/examples.rs"]
mod examples;
#[path = "common/hash.rs"]
mod hash;
#[path = "common/programs.rs"]
mod programs;
#[path = "common/tunings.rs"]
mod tunings;

use cnnc::iree::Target;
use cnnc::network::Options;
use cnnc::tune::Options as Choices;
use cnnc_runtime::device::Runtime;
use cnnc_runtime::program::{Gradients, Program};
use cnnc_runtime::state::{Snapshot, State};
use cnnc_runtime::tensor::{Elements, NamedTensor};
use serde::Deserialize;

/// Largest relative error, in norm, against either peer.
const TOLERANCE: f64 = 1e-5;

#[derive(Deserialize)]
struct Golden {
    parameters: Vec<Parameter>,
    results: Vec<Peer>,
}

#[derive(Deserialize)]
struct Parameter {
    name: String,
    shape: Vec<usize>,
    rule: String,
    scale: f64,
}

#[derive(Deserialize)]
struct Peer {
    source: String,
    loss: f64,
    gradients: Vec<Gradient>,
}

#[derive(Deserialize)]
struct Gradient {
    name: String,
    norm: f64,
    sketch: Vec<f64>,
    full: Option<Vec<f64>>,
}

fn parameter(index: usize, parameter: &Parameter) -> NamedTensor {
    let count: usize = parameter.shape.iter().product();
    let values = (0..count)
        .map(|i| {
            let v = hash::fraction(index as u64, i);
            match parameter.rule.as_str() {
                "uniform" => (parameter.scale * (v - 0.5)) as f32,
                "ternary" => (parameter.scale * ((3.0 * v).floor() - 1.0)) as f32,
                other => panic!("unknown rule {other}"),
            }
        })
        .collect();
    NamedTensor {
        name: parameter.name.clone(),
        shape: parameter.shape.clone(),
        elements: Elements::F32(values),
    }
}

/// 64 random signed sums of a gradient.
fn sketch(index: usize, gradient: &[f32]) -> [f64; 64] {
    hash::signed_sums(1000 + index as u64, gradient)
}

fn images(half_steps: bool) -> Vec<f32> {
    let bytes = std::fs::read(examples::data("fixtures/mnist16-images.idx3-ubyte")).unwrap();
    bytes[16..]
        .iter()
        .map(|&b| {
            if half_steps {
                ((4 * u32::from(b) + 255) / 510) as f32 / 2.0
            } else {
                f32::from(b) / 255.0
            }
        })
        .collect()
}

fn labels() -> Vec<i32> {
    let bytes = std::fs::read(examples::data("fixtures/mnist16-labels.idx1-ubyte")).unwrap();
    bytes[8..].iter().map(|&b| i32::from(b)).collect()
}

const REAL: (&str, bool) = ("goldens/mnist_cnn_gradients.json", false);
const TIES: (&str, bool) = ("goldens/mnist_cnn_ties.json", true);

fn golden(file: &str) -> Golden {
    let text = std::fs::read_to_string(examples::data(file)).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn snapshot(golden: &Golden) -> Snapshot {
    assert_eq!(hash::splitmix64(0), 0xE220_A839_7B1D_CDAF);
    let parameters = golden.parameters.iter().enumerate();
    Snapshot {
        parameters: parameters.map(|(index, p)| parameter(index, p)).collect(),
        state: Vec::new(),
    }
}

fn check(program: &Program, (file, half_steps): (&str, bool)) {
    let golden = golden(file);
    let snapshot = snapshot(&golden);
    let state = State::upload(program.runtime(), program.manifest(), &snapshot).unwrap();
    let ours = program
        .gradients(&state, &images(half_steps), &labels())
        .unwrap();
    compare(&golden, &ours);
}

fn compare(golden: &Golden, ours: &Gradients) {
    assert_eq!(golden.results.len(), 3);
    for peer in &golden.results {
        let loss = f64::from(ours.loss);
        assert!(
            (loss - peer.loss).abs() < TOLERANCE * peer.loss,
            "{}",
            peer.source
        );
        for (index, (own, theirs)) in ours.gradients.iter().zip(&peer.gradients).enumerate() {
            assert!(
                own.name.starts_with(&theirs.name),
                "{} {}",
                own.name,
                theirs.name
            );
            let Elements::F32(values) = &own.elements else {
                panic!("{} is no f32", own.name)
            };
            let squares: f64 = sketch(index, values)
                .iter()
                .zip(&theirs.sketch)
                .map(|(a, b)| (a - b) * (a - b))
                .sum();
            let mut error = (squares / 64.0).sqrt() / theirs.norm;
            if let Some(full) = &theirs.full {
                assert_eq!(full.len(), values.len());
                let squares: f64 = values
                    .iter()
                    .zip(full)
                    .map(|(&a, b)| (f64::from(a) - b).powi(2))
                    .sum();
                error = squares.sqrt() / theirs.norm;
            }
            println!("{:14} {:12} {error:.1e}", theirs.name, peer.source);
            assert!(
                error < TOLERANCE,
                "{} against {}: {error}",
                theirs.name,
                peer.source
            );
        }
        assert_eq!(ours.gradients.len(), peer.gradients.len());
    }
}

/// Whatever the tuning leaves out.
fn check_all(runtime: &Runtime, choices: &[Choices]) {
    let target: Target = runtime.name().target().parse().unwrap();
    let unit = examples::example("mnist_cnn");
    let module = unit.portable(16, &["gradients"]).unwrap();
    for (tuning, tuned) in tunings::distinct(&module, target, choices) {
        println!("{tuning}");
        let program = programs::load(runtime, &tuned);
        check(&program, REAL);
        check(&program, TIES);
    }
}

/// Real images, and ties between different functions.
#[test]
fn both_on_the_cpu() {
    check_all(&programs::runtime(), &tunings::extremes());
}

#[test]
#[ignore = "a minute; small nets are tried at every choice"]
fn both_at_every_choice() {
    check_all(&programs::runtime(), &tunings::all());
}

/// So large that nothing of the gradients is lost in the sum.
const RATE: f32 = 4096.0;

/// The gradients that the training step moves parameters by.
#[test]
fn ties_in_the_training_step() {
    let runtime = programs::runtime();
    let sgd = [("train.optimizer".to_owned(), "sgd(lr=0.1)".to_owned())];
    let options = Options {
        net: None,
        overrides: sgd.into(),
    };
    let unit = examples::chosen("mnist_cnn", &options);
    let program = programs::program(&runtime, &unit, 16, &["train_step"]);
    let golden = golden(TIES.0);
    let start = snapshot(&golden);
    let start = Snapshot::of_parameters(program.manifest(), start.parameters);
    let mut state = State::upload(&runtime, program.manifest(), &start).unwrap();
    let step = program.train_step(&mut state, &images(TIES.1), &labels(), RATE, true);
    let end = state.download(program.manifest()).unwrap();
    let moved = |(before, after): (&NamedTensor, &NamedTensor)| {
        let [before, after] = [before, after].map(|t| t.elements.as_f32().unwrap());
        let moved = before.iter().zip(after).map(|(b, a)| (b - a) / RATE);
        Elements::F32(moved.collect())
    };
    let pairs = start.parameters.iter().zip(&end.parameters);
    let gradients = pairs.map(|(before, after)| NamedTensor {
        elements: moved((before, after)),
        ..before.clone()
    });
    compare(
        &golden,
        &Gradients {
            loss: step.unwrap().loss,
            gradients: gradients.collect(),
        },
    );
}

#[test]
fn both_on_vulkan() {
    if let Some(runtime) = programs::vulkan("gradients of the MNIST CNN") {
        check_all(&runtime, &[Choices::default()]);
    }
}
