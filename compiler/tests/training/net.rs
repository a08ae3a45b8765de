//! A net on both machines.

use super::programs;
use cnnc::driver::{self, Unit};
use cnnc::network::Options;
use cnnc::reference::{self, Tensor};
use cnnc_runtime::device::Runtime;
use cnnc_runtime::program::Program;
use cnnc_runtime::state::{Snapshot, State};
use cnnc_runtime::tensor::{Elements, NamedTensor};

/// A net of `.net` text, tuned and compiled for batches of one size.
pub struct Net {
    pub unit: Unit,
    pub batch: i64,
    pub program: Program,
}

pub fn unit(text: &str) -> Unit {
    driver::read("a.net", text, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

impl Net {
    pub fn new(runtime: &Runtime, text: &str, batch: i64, functions: &[&str]) -> Self {
        let unit = unit(text);
        let program = programs::program(runtime, &unit, batch, functions);
        Net {
            unit,
            batch,
            program,
        }
    }

    /// Parameters by name, in canonical layout; all state is 0.
    pub fn state(&self, values: &[(&str, &[f32])]) -> State {
        let manifest = self.program.manifest();
        let parameters = manifest.parameters.iter().map(|parameter| {
            let of = values.iter().find(|(name, _)| *name == parameter.name);
            let (_, values) = of.unwrap_or_else(|| panic!("no values of {}", parameter.name));
            NamedTensor {
                name: parameter.name.clone(),
                shape: parameter.shape.clone(),
                elements: Elements::F32(values.to_vec()),
            }
        });
        let snapshot = Snapshot::of_parameters(manifest, parameters.collect());
        State::upload(self.program.runtime(), manifest, &snapshot).expect("fits")
    }

    /// Loss and gradient of the only parameter, by the interpreter in f64 and
    /// by IREE.
    pub fn gradient(&self, weight: &[f32], image: &[f32], label: &[i32]) -> [(f64, Vec<f64>); 2] {
        let module = self.unit.portable(self.batch, &["gradients"]);
        let module = module.expect("a module");
        let function = module.function("gradients").expect("it is there");
        let types = function.arguments.iter().map(|a| function.ty(a.value));
        let widen = |values: &[f32]| values.iter().map(|&v| f64::from(v)).collect::<Vec<f64>>();
        let label64: Vec<f64> = label.iter().map(|&l| f64::from(l)).collect();
        let given = [widen(weight), widen(image), label64];
        let arguments: Vec<Tensor<f64>> = types
            .zip(&given)
            .map(|(ty, values)| Tensor::from_f64(ty.clone(), values).expect("fits"))
            .collect();
        let results = reference::run(function, &arguments).expect("runs");
        let exact = (results[0].to_f64()[0], results[1].to_f64());
        let name = self.program.manifest().parameters[0].name.clone();
        let state = self.state(&[(&name, weight)]);
        let found = self.program.gradients(&state, image, label).expect("runs");
        let gradient = found.gradients[0].elements.as_f32().expect("f32");
        [exact, (f64::from(found.loss), widen(gradient))]
    }
}

/// A tensor of the state or the parameters, by name.
pub fn tensor(net: &Net, state: &State, name: &str) -> Vec<f32> {
    let snapshot = state.download(net.program.manifest()).expect("read");
    let mut all = snapshot.parameters.iter().chain(&snapshot.state);
    let found = all.find(|tensor| tensor.name == name);
    match &found.unwrap_or_else(|| panic!("no {name}")).elements {
        Elements::F32(values) => values.clone(),
        Elements::I32(values) => values.iter().map(|&v| v as f32).collect(),
        other => panic!("{name} is {:?}", other.dtype()),
    }
}
