//! Small networks, and values for their arguments.

use cnnc::driver::{self, Unit};
use cnnc::network::Options;
use cnnc::reference::{Exact, Prime, Tensor};
use cnnc::stablehlo::Function;

use super::random::Random;

/// The network of a body that begins at `image: f32[N, channels, height, width]`.
pub fn unit([channels, height, width]: [i64; 3], body: &str) -> Unit {
    let text = format!(
        "net t {{\n  input image: f32[N, {channels}, {height}, {width}];\n  image {body}\n}}\n"
    );
    driver::read("t.net", &text, &Options::default()).unwrap()
}

pub fn function(unit: &Unit, batch: i64, name: &str) -> Function {
    let module = unit.portable(batch, &[name]).unwrap();
    module.function(name).unwrap().clone()
}

/// Arguments of a function by name: all elements, or one for all of them.
pub fn arguments(function: &Function, give: impl Fn(&str) -> Vec<f64>) -> Vec<Tensor<f64>> {
    let arguments = function.arguments.iter();
    arguments
        .map(|argument| {
            let ty = function.ty(argument.value).clone();
            let values = give(argument.name.as_deref().unwrap());
            match values[..] {
                [one] => Tensor::from_f64(ty.clone(), &vec![one; ty.elements() as usize]),
                _ => Tensor::from_f64(ty, &values),
            }
            .unwrap()
        })
        .collect()
}

/// The first images of the test data, as the network sees them.
pub fn digits(count: usize) -> Vec<f32> {
    let bytes = include_bytes!("../fixtures/mnist16-images.idx3-ubyte");
    let pixels = bytes[16..].iter().take(count * 784);
    pixels.map(|&byte| f32::from(byte) / 255.0).collect()
}

/// Random parameters, and these images; labels are 0, 1, ...
pub fn random_arguments(function: &Function, images: &[f32], seed: u64) -> Vec<Tensor<f64>> {
    let mut random = Random::new(seed);
    let arguments = function.arguments.iter();
    arguments
        .map(|argument| {
            let ty = function.ty(argument.value).clone();
            let count = ty.elements() as usize;
            let values: Vec<f64> = match argument.name.as_deref().unwrap() {
                "image" => images.iter().map(|&value| f64::from(value)).collect(),
                "label" => (0..count).map(|label| (label % 10) as f64).collect(),
                _ => (0..count).map(|_| random.real(-0.5, 0.5)).collect(),
            };
            Tensor::from_f64(ty, &values).unwrap()
        })
        .collect()
}

/// The same values, led by which the parameters have random elements.
pub fn in_field(arguments: &[Tensor<f64>], parameters: usize, seed: u64) -> Vec<Tensor<Exact>> {
    let mut random = Random::new(seed);
    let arguments = arguments.iter().enumerate();
    arguments
        .map(|(index, tensor)| {
            let ty = tensor.ty().clone();
            if !ty.element.is_float() {
                return Tensor::integers(ty, tensor.as_integers().to_vec()).unwrap();
            }
            let number = |&shadow: &f64| match index < parameters {
                true => Exact::new(Prime::new(random.bits()), shadow),
                false => Exact::new(Prime::from_f64(shadow), shadow),
            };
            Tensor::numbers(ty, tensor.as_numbers().iter().map(number).collect()).unwrap()
        })
        .collect()
}
