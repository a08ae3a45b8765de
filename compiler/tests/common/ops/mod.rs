//! The cases of `goldens/ops.json` as StableHLO functions.
//!
//! `bench/goldens.py` computes their values and gradients with PyTorch and
//! JAX in f64 and writes what each field means into the file.

mod build;
mod layers;

use cnnc::stablehlo::{Builder, Function, Result, TensorType, Value};
use serde_json::Value as Json;

/// The golden file.
const TEXT: &str = include_str!("../../goldens/ops.json");

/// A tensor of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    pub shape: Vec<i64>,
    pub data: Vec<f64>,
}

/// One case: a function of f32 tensors with one result, and its values.
#[derive(Debug, Clone)]
pub struct Case {
    pub name: String,
    pub function: Function,
    /// One per argument.
    pub inputs: Vec<Array>,
    pub output: Array,
    /// Cotangent of the output; none where only the value is known.
    pub cotangent: Option<Array>,
    /// One per argument, if there is a cotangent.
    pub gradients: Vec<Array>,
    /// Whether every intermediate value is a small dyadic number, so that f32
    /// gives these values to the bit (but for the sign of zeros).
    pub exact: bool,
    /// Whether the function has a constant that f32 rounds, so that even exact
    /// arithmetic gives these values to within a few parts in 2^24 only.
    pub rounded: bool,
}

/// Operations with such constants.
const ROUNDED: [&str; 4] = [
    "gelu_tanh",
    "batch_norm",
    "batch_norm_fixed",
    "running_statistics",
];

/// Every case of the file.
pub fn cases() -> Vec<Case> {
    let file: Json = serde_json::from_str(TEXT).expect("ops.json is JSON");
    let cases = file["cases"].as_array().expect("ops.json has cases");
    cases.iter().map(case).collect()
}

/// The case called `name`.
pub fn named(name: &str) -> Case {
    let case = cases().into_iter().find(|case| case.name == name);
    case.unwrap_or_else(|| panic!("ops.json has no case {name}"))
}

fn case(json: &Json) -> Case {
    let name = text(&json["name"]);
    let inputs: Vec<Array> = list(&json["inputs"]).iter().map(array).collect();
    let output = array(&json["output"]);
    let cotangent = json["dy"].is_array().then(|| Array {
        shape: output.shape.clone(),
        data: numbers(&json["dy"]),
    });
    let gradients = match &json["gradients"] {
        Json::Array(lists) => inputs
            .iter()
            .zip(lists)
            .map(|(input, data)| Array {
                shape: input.shape.clone(),
                data: numbers(data),
            })
            .collect(),
        _ => Vec::new(),
    };
    let op = text(&json["op"]);
    let function =
        function(&op, &json["attrs"], &inputs).unwrap_or_else(|error| panic!("{name}: {error}"));
    let smoothing = json["attrs"]["smoothing"].as_f64();
    Case {
        name,
        function,
        inputs,
        output,
        cotangent,
        gradients,
        exact: json["exact"] == Json::Bool(true),
        rounded: ROUNDED.contains(&op.as_str()) || smoothing.is_some_and(|s| s != 0.0),
    }
}

/// The function of a case, called `case`.
fn function(op: &str, attrs: &Json, inputs: &[Array]) -> Result<Function> {
    let mut b = Builder::named("case");
    let x: Vec<Value> = inputs
        .iter()
        .enumerate()
        .map(|(i, input)| {
            let ty = TensorType::f32(input.shape.clone());
            b.function.argument(Some(&format!("x{i}")), ty)
        })
        .collect();
    let y = build::build(&mut b, op, attrs, &x)?;
    b.function.output(Some("y"), y);
    Ok(b.function)
}

fn text(json: &Json) -> String {
    json.as_str().expect("a string").to_owned()
}

fn list(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

fn array(json: &Json) -> Array {
    Array {
        shape: integers(&json["shape"]),
        data: numbers(&json["data"]),
    }
}

/// Numbers, of which the file writes infinities and NaN as strings.
fn numbers(json: &Json) -> Vec<f64> {
    let number = |v: &Json| match v {
        Json::String(text) => text.parse().expect("inf, -inf or nan"),
        v => v.as_f64().expect("a number"),
    };
    list(json).iter().map(number).collect()
}

fn integers(json: &Json) -> Vec<i64> {
    let integer = |v: &Json| v.as_i64().expect("an integer");
    list(json).iter().map(integer).collect()
}

fn pairs(json: &Json) -> Vec<[i64; 2]> {
    let pair = |v: &Json| match integers(v)[..] {
        [low, high] => [low, high],
        _ => panic!("{v} is no pair"),
    };
    list(json).iter().map(pair).collect()
}
