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
    /// The operation or layer that it is about.
    pub op: String,
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
    /// Relative error that the operation leaves by itself, 0 for most.
    pub tolerance: f64,
}

/// Operations with a constant that f32 rounds, so that even exact arithmetic
/// gives their values to within a few parts in 2^24 only.
const ROUNDED: [&str; 4] = [
    "gelu_tanh",
    "batch_norm",
    "batch_norm_fixed",
    "running_statistics",
];

/// Every case of the file.
pub fn cases() -> Vec<Case> {
    read(TEXT, |op, attrs, inputs| {
        function(op, attrs, inputs).unwrap_or_else(|error| panic!("{op}: {error}"))
    })
}

/// The cases of a golden file; `make` builds the function of an operation with
/// its attributes, and may give the inputs other shapes.
pub fn read(text: &str, make: fn(&str, &Json, &mut [Array]) -> Function) -> Vec<Case> {
    let file: Json = serde_json::from_str(text).expect("the file is JSON");
    let cases = file["cases"].as_array().expect("the file has cases");
    cases.iter().map(|json| case(json, make)).collect()
}

/// The case called `name`.
pub fn named(name: &str) -> Case {
    let case = cases().into_iter().find(|case| case.name == name);
    case.unwrap_or_else(|| panic!("ops.json has no case {name}"))
}

fn case(json: &Json, make: fn(&str, &Json, &mut [Array]) -> Function) -> Case {
    let name = text(&json["name"]);
    let mut inputs: Vec<Array> = list(&json["inputs"]).iter().map(array).collect();
    let op = text(&json["op"]);
    let function = make(&op, &json["attrs"], &mut inputs);
    let result = function.ty(function.outputs[0].value);
    let output = Array {
        shape: result.shape.clone(),
        ..array(&json["output"])
    };
    assert_eq!(result.elements() as usize, output.data.len(), "{name}");
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
    let smoothing = json["attrs"]["smoothing"].as_f64();
    let rounded = ROUNDED.contains(&op.as_str()) || smoothing.is_some_and(|s| s != 0.0);
    let least = if rounded {
        4.0 / (1u64 << 24) as f64
    } else {
        0.0
    };
    Case {
        name,
        op: layer(&json["attrs"]).unwrap_or(op),
        function,
        inputs,
        output,
        cotangent,
        gradients,
        exact: json["exact"] == Json::Bool(true),
        tolerance: json["tolerance"].as_f64().unwrap_or(0.0).max(least),
    }
}

/// The last op of a net's body.
fn layer(attrs: &Json) -> Option<String> {
    let last = attrs["body"].as_str()?.rsplit("|>").next()?.trim();
    Some(last.split(['(', ')']).next()?.to_owned())
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
