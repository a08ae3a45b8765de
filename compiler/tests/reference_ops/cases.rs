//! The cases that IREE runs, too, in the interpreter over f32.

use super::common::cases::{large, nets};
use cnnc::driver;
use cnnc::network::Options;
use cnnc::reference::{Tensor, run};
use cnnc::simplify::simplify;
use cnnc::stablehlo::{Function, Module, TensorType};
use nets::{Named, Parameter};

#[test]
fn cases_of_many_numbers() {
    for (name, case) in large::ALL {
        println!("{name}");
        case(&|function: Function, arguments: &[Tensor<f32>]| {
            let simple = simplify(&function).expect("simplified");
            run(&simple, arguments).expect("results")
        });
    }
}

#[test]
fn cases_of_whole_nets() {
    for (name, case) in nets::ALL {
        println!("{name}");
        case(&|text, batch, functions| {
            let unit = driver::read("test.net", text, &Options::default()).expect("a net");
            Box::new(Portable(unit.portable(batch, functions).expect("a module")))
        });
    }
}

/// The portable module of a net.
struct Portable(Module);

impl Portable {
    /// The results of a function, whose arguments are given by name: numbers,
    /// and labels.
    fn call(
        &self,
        name: &str,
        numbers: &[Parameter<'_>],
        label: &[i32],
    ) -> Vec<(String, Tensor<f32>)> {
        let function = self.0.function(name).expect("a function");
        let argument = |argument: &cnnc::stablehlo::Argument| {
            let ty: TensorType = function.ty(argument.value).clone();
            let name = argument.name.as_deref().expect("a name");
            let given = numbers.iter().find(|(n, _)| *n == name);
            match given {
                Some((_, values)) => Tensor::numbers(ty, values.to_vec()),
                None => Tensor::integers(ty, label.iter().map(|&l| l.into()).collect()),
            }
            .unwrap_or_else(|error| panic!("{name}: {error}"))
        };
        let arguments: Vec<Tensor<f32>> = function.arguments.iter().map(argument).collect();
        let results = run(function, &arguments).expect("results");
        let names = function.outputs.iter().map(|o| o.name.clone());
        let names = names.map(|name| name.expect("a name"));
        names.zip(results).collect()
    }
}

/// The gradients among some results, by parameter.
fn gradients(results: &[(String, Tensor<f32>)]) -> Named {
    let entry = |(name, tensor): &(String, Tensor<f32>)| {
        let name = name.strip_suffix(".gradient")?;
        Some((name.to_owned(), tensor.as_numbers().to_vec()))
    };
    results.iter().filter_map(entry).collect()
}

fn with<'a>(parameters: &[Parameter<'a>], more: &[Parameter<'a>]) -> Vec<Parameter<'a>> {
    [parameters, more].concat()
}

impl nets::Net for Portable {
    fn forward(&self, parameters: &[Parameter<'_>], image: &[f32]) -> Vec<f32> {
        let given = with(parameters, &[("image", image)]);
        self.call("forward", &given, &[])[0].1.as_numbers().to_vec()
    }

    fn loss(&self, parameters: &[Parameter<'_>], image: &[f32], label: &[i32]) -> f32 {
        let given = with(parameters, &[("image", image)]);
        self.call("loss", &given, label)[0].1.as_numbers()[0]
    }

    fn gradients(
        &self,
        parameters: &[Parameter<'_>],
        image: &[f32],
        label: &[i32],
    ) -> (f32, Named) {
        let given = with(parameters, &[("image", image)]);
        let results = self.call("gradients", &given, label);
        (results[0].1.as_numbers()[0], gradients(&results))
    }

    fn pullback(&self, parameters: &[Parameter<'_>], image: &[f32], cotangent: &[f32]) -> Named {
        let given = with(parameters, &[("image", image), ("cotangent", cotangent)]);
        gradients(&self.call("pullback", &given, &[]))
    }

    fn evaluate(
        &self,
        parameters: &[Parameter<'_>],
        image: &[f32],
        label: &[i32],
        weight: &[f32],
    ) -> (f32, u64) {
        let given = with(parameters, &[("image", image), ("weight", weight)]);
        let results = self.call("evaluate", &given, label);
        let correct = results[1].1.as_integers()[0];
        (results[0].1.as_numbers()[0], correct as u64)
    }
}
