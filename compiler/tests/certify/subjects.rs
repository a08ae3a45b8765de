//! Modules to certify, and data points.

use cnnc::certify::point::{Draw, draw};
use cnnc::certify::{Random, Subject, Values};
use cnnc::iree::Target;
use cnnc::manifest;
use cnnc::reference::Tensor;
use cnnc::stablehlo::mlir::attribute::Attribute;
use cnnc::stablehlo::{Function, Module, mlir};

use crate::examples;

/// The portable module of an example, through its text.
pub fn portable(net: &str, batch: i64) -> Subject {
    subject(&examples::example(net).portable(batch, &[]).unwrap())
}

/// The module of an example tuned for the CPU, through its text.
pub fn tuned(net: &str, batch: i64) -> Subject {
    tuned_for(Target::Cpu, net, batch)
}

/// The tuned module of an example, through its text.
pub fn tuned_for(target: Target, net: &str, batch: i64) -> Subject {
    let unit = examples::example(net);
    subject(&unit.tuned(batch, &[], target).unwrap())
}

/// A module that was printed and read back.
pub fn subject(module: &Module) -> Subject {
    Subject::new(mlir::parse(&mlir::print(module).unwrap()).unwrap()).unwrap()
}

/// Random values for the arguments of `@loss`.
pub fn random(subject: &Subject, seed: u64) -> Values<f64> {
    draw(subject, &["loss"], Draw::Real, &mut Random::new(seed)).unwrap()
}

/// Random parameters, and the first images of MNIST's test set.
pub fn mnist(subject: &Subject, seed: u64) -> Values<f64> {
    let mut values = random(subject, seed);
    let images = std::fs::read(examples::data("fixtures/mnist16-images.idx3-ubyte")).unwrap();
    let labels = std::fs::read(examples::data("fixtures/mnist16-labels.idx1-ubyte")).unwrap();
    let ty = values["image"].ty().clone();
    let pixels = images[16..]
        .iter()
        .map(|&b| f64::from(f32::from(b) / 255.0));
    let pixels: Vec<f64> = pixels.take(ty.elements() as usize).collect();
    values.insert("image".to_owned(), Tensor::numbers(ty, pixels).unwrap());
    let ty = values["label"].ty().clone();
    let classes = labels[8..].iter().map(|&b| i64::from(b));
    let classes: Vec<i64> = classes.take(ty.elements() as usize).collect();
    values.insert("label".to_owned(), Tensor::integers(ty, classes).unwrap());
    values
}

/// A module of a loss and its gradients by all arguments, each of which is a
/// weight.
pub fn of_loss(loss: Function, gradients: Function) -> Subject {
    let parameter = |argument: &cnnc::stablehlo::Argument| {
        Attribute::dict([
            ("name", Attribute::String(argument.name.clone().unwrap())),
            (
                "shape",
                Attribute::Ints(loss.ty(argument.value).shape.clone()),
            ),
            ("role", Attribute::String("weight".to_owned())),
            ("fan_in", Attribute::Int(1)),
        ])
    };
    let parameters = loss.arguments.iter().map(parameter).collect();
    let manifest = Attribute::dict([
        ("classes", Attribute::Int(1)),
        ("parameters", Attribute::Array(parameters)),
    ]);
    subject(&Module {
        name: "loss".to_owned(),
        attributes: vec![(manifest::ATTRIBUTE.to_owned(), manifest)],
        functions: vec![loss, gradients],
    })
}
