//! Nets of `.net` text on IREE, and the cases of whole nets.

use super::common::cases::nets::{self, FLATTENED, Named, Parameter};
use super::programs;
use cnnc::driver;
use cnnc::network::Options;
use cnnc_runtime::device::Runtime;
use cnnc_runtime::program::{Gradients, Program};
use cnnc_runtime::state::{Snapshot, State};
use cnnc_runtime::tensor::{Elements, NamedTensor};

/// A net on the device.
pub struct Net {
    pub program: Program,
    runtime: Runtime,
}

impl Net {
    /// Some functions of the net, tuned and compiled.
    pub fn new(text: &str, batch: i64, functions: &[&str]) -> Self {
        let runtime = programs::runtime();
        let unit = driver::read("test.net", text, &Options::default()).expect("a net");
        let program = programs::program(&runtime, &unit, batch, functions);
        Net { program, runtime }
    }

    /// Parameters by name, in canonical layout.
    fn state(&self, values: &[Parameter<'_>]) -> State {
        let manifest = self.program.manifest();
        let tensor = |name: &str, shape: &[usize]| {
            let of = values.iter().find(|(n, _)| *n == name);
            let (_, elements) = of.unwrap_or_else(|| panic!("no values for {name}"));
            NamedTensor {
                name: name.to_owned(),
                shape: shape.to_vec(),
                elements: Elements::F32(elements.to_vec()),
            }
        };
        let parameters = manifest.parameters.iter();
        let parameters = parameters.map(|p| tensor(&p.name, &p.shape)).collect();
        let snapshot = Snapshot::of_parameters(manifest, parameters);
        State::upload(&self.runtime, manifest, &snapshot).expect("uploaded")
    }
}

impl nets::Net for Net {
    fn forward(&self, parameters: &[Parameter<'_>], image: &[f32]) -> Vec<f32> {
        let state = self.state(parameters);
        self.program.forward(&state, image).expect("logits")
    }

    fn loss(&self, parameters: &[Parameter<'_>], image: &[f32], label: &[i32]) -> f32 {
        let state = self.state(parameters);
        self.program.loss(&state, image, label).expect("a loss")
    }

    fn gradients(
        &self,
        parameters: &[Parameter<'_>],
        image: &[f32],
        label: &[i32],
    ) -> (f32, Named) {
        let state = self.state(parameters);
        let found = self.program.gradients(&state, image, label);
        let Gradients { loss, gradients } = found.expect("gradients");
        (loss, named(gradients))
    }

    fn pullback(&self, parameters: &[Parameter<'_>], image: &[f32], cotangent: &[f32]) -> Named {
        let state = self.state(parameters);
        let found = self.program.pullback(&state, image, cotangent);
        named(found.expect("gradients"))
    }

    fn evaluate(
        &self,
        parameters: &[Parameter<'_>],
        image: &[f32],
        label: &[i32],
        weight: &[f32],
    ) -> (f32, u64) {
        let state = self.state(parameters);
        let found = self.program.evaluate(&state, image, label, weight);
        let found = found.expect("metrics");
        (found.loss, found.correct)
    }
}

/// Gradients by parameter.
fn named(gradients: Vec<NamedTensor>) -> Named {
    let entry = |tensor: NamedTensor| {
        let values = tensor.elements.as_f32().expect("f32").to_vec();
        let name = tensor.name.strip_suffix(".gradient");
        (name.unwrap_or(&tensor.name).to_owned(), values)
    };
    gradients.into_iter().map(entry).collect()
}

#[test]
fn cases_of_whole_nets() {
    for (name, case) in nets::ALL {
        println!("{name}");
        case(&|text, batch, functions| Box::new(Net::new(text, batch, functions)));
    }
}

/// The case of a permuted flatten is one.
#[test]
fn a_tuned_program_flattens_channels_last() {
    let net = Net::new(FLATTENED, 2, &["forward"]);
    let stored = &net.program.manifest().parameters[2];
    assert_eq!(stored.name, "dense1.weight");
    let view = stored.stored.as_ref().map(|s| s.view.clone());
    assert_eq!(
        view.as_deref(),
        Some(&[2, 2, 2, 8][..]),
        "rows in the order h, w, c"
    );
}

/// A buffer that is recycled without being cleared shows on the second call.
#[test]
fn bug_11_gradients_do_not_depend_on_earlier_steps() {
    let text = "net small { input image: f32[N, 1, 8, 8];
                image |> conv(4, kernel=3) |> relu |> max_pool(2) |> conv(4, kernel=3) |> relu
                      |> max_pool(3, stride=1) |> flatten |> dense(3) }";
    let image: Vec<f32> = (0..4 * 64)
        .map(|i| (i * 37 % 101) as f32 / 101.0 - 0.3)
        .collect();
    let label = [0, 2, 1, 2];
    let mut all: Vec<Gradients> = Vec::new();
    for _ in 0..2 {
        let net = Net::new(text, 4, &["init", "gradients", "train_step"]);
        let mut state = net.program.init(3).expect("parameters");
        for _ in 0..3 {
            all.push(
                net.program
                    .gradients(&state, &image, &label)
                    .expect("gradients"),
            );
            net.program
                .train_step(&mut state, &image, &label, 0.0, true)
                .expect("a step");
        }
    }
    assert!(all[0].gradients.iter().all(|g| g.norm() > 0.0));
    for (i, other) in all.iter().enumerate().skip(1) {
        assert!(
            *other == all[0],
            "call {i} gives other gradients than the first"
        );
    }
}
