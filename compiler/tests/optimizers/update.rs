//! An optimizer as a function of one tensor, and two machines to run it on.

use super::iree::{Loaded, Machine};
use cnnc::driver;
use cnnc::network::{Optimizer, Options};
use cnnc::optimizer::{self, Operands};
use cnnc::reference::{self, Tensor};
use cnnc::stablehlo::{Builder, ElementType, Function, TensorType};

/// The optimizer of a `train` section.
pub fn optimizer(text: &str) -> Optimizer {
    let source = format!(
        "net a {{ input x: f32[N, 1, 1, 2]; x |> flatten |> dense(2) }}
         train {{ optimizer = {text}; }}"
    );
    let unit = driver::read("a.net", &source, &Options::default());
    let unit = unit.unwrap_or_else(|error| panic!("{text}: {error}"));
    unit.network.train.optimizer
}

/// Parameter, gradient, slots, learning rate and number of the update to
/// parameter and slots.
pub fn function(name: &str, optimizer: &Optimizer, ty: &TensorType) -> Function {
    let mut b = Builder::named(name);
    let scalar = TensorType::scalar(ty.element);
    let parameter = b.function.argument(None, ty.clone());
    let gradient = b.function.argument(None, ty.clone());
    let slots: Vec<_> = optimizer::slots(optimizer)
        .into_iter()
        .map(|slot| b.function.argument(Some(slot), ty.clone()))
        .collect();
    let operands = Operands {
        parameter,
        gradient,
        slots: &slots,
        lr: b.function.argument(None, scalar.clone()),
        update: Some(b.function.argument(None, scalar)),
        decays: true,
    };
    let updated = optimizer::update(&mut b, optimizer, &operands).expect("well-typed");
    b.function.output(None, updated.parameter);
    for slot in updated.slots {
        b.function.output(None, slot);
    }
    b.function
}

/// Runs functions of floating-point tensors.
pub enum Engine {
    /// The interpreter, for functions of f64.
    Interpreter(Vec<Function>),
    /// IREE, for functions of f32.
    Iree(Box<Machine>, Box<Loaded>),
}

impl Engine {
    /// Both machines with the functions that `build` makes of an element type.
    pub fn both(build: impl Fn(ElementType) -> Vec<Function>) -> [Engine; 2] {
        let machine = Machine::new();
        let loaded = machine.load(build(ElementType::F32)).expect("compiled");
        [
            Engine::Interpreter(build(ElementType::F64)),
            Engine::Iree(Box::new(machine), Box::new(loaded)),
        ]
    }

    /// What relative errors the arithmetic is allowed.
    pub fn tolerance(&self) -> f64 {
        match self {
            Engine::Interpreter(_) => 1e-12,
            Engine::Iree(..) => 2e-6,
        }
    }

    /// The results of a function.
    pub fn call(&self, name: &str, arguments: &[Vec<f64>]) -> Vec<Vec<f64>> {
        match self {
            Engine::Interpreter(functions) => {
                let function = functions.iter().find(|f| f.name == name);
                let function = function.expect("a function of this name");
                let tensors: Vec<Tensor<f64>> = types(function)
                    .zip(arguments)
                    .map(|(ty, values)| Tensor::from_f64(ty, values).expect("fits"))
                    .collect();
                let results = reference::run(function, &tensors).expect("runs");
                results.iter().map(Tensor::to_f64).collect()
            }
            Engine::Iree(machine, loaded) => {
                let function = loaded.tuned.function(name).expect("a function");
                let tensors: Vec<Tensor<f32>> = types(function)
                    .zip(arguments)
                    .map(|(ty, values)| Tensor::from_f64(ty, values).expect("fits"))
                    .collect();
                let results = machine.call(loaded, name, &tensors).expect("runs");
                results.iter().map(Tensor::to_f64).collect()
            }
        }
    }

    /// The parameters after each step (learning rate, gradient) from `weight`.
    pub fn steps(
        &self,
        name: &str,
        optimizer: &Optimizer,
        weight: &[f64],
        steps: &[(f64, Vec<f64>)],
    ) -> Vec<Vec<f64>> {
        let slots = optimizer::slots(optimizer).len();
        let mut state = vec![weight.to_vec()];
        state.extend(std::iter::repeat_n(vec![0.0; weight.len()], slots));
        let mut after = Vec::new();
        for (number, (lr, gradient)) in steps.iter().enumerate() {
            let mut arguments = vec![state[0].clone(), gradient.clone()];
            arguments.extend_from_slice(&state[1..]);
            arguments.extend([vec![*lr], vec![number as f64 + 1.0]]);
            state = self.call(name, &arguments);
            after.push(state[0].clone());
        }
        after
    }
}

fn types(function: &Function) -> impl Iterator<Item = TensorType> + '_ {
    let arguments = function.arguments.iter();
    arguments.map(|argument| function.ty(argument.value).clone())
}
