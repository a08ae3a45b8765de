//! The cases of `goldens/ops.json` as StableHLO functions.
//!
//! `bench/goldens.py` computes their values and gradients with PyTorch and
//! JAX in f64 and writes what each field means into the file.

use cnnc::stablehlo::{
    BinaryOp, Builder, Convolution, ConvolutionDims, Direction, DotGeneral, ElementType, Function,
    Literal, Op, Reducer, Result, Scalar, TensorType, UnaryOp, Value, Window,
};
use serde_json::Value as Json;

/// The golden file.
const TEXT: &str = include_str!("../goldens/ops.json");

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
}

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
    let function = function(&text(&json["op"]), &json["attrs"], &inputs)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    Case {
        name,
        function,
        inputs,
        output,
        cotangent,
        gradients,
        exact: json["exact"] == Json::Bool(true),
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
    let y = build(&mut b, op, attrs, &x)?;
    b.function.output(Some("y"), y);
    Ok(b.function)
}

fn build(b: &mut Builder, op: &str, attrs: &Json, x: &[Value]) -> Result<Value> {
    let attr = |name: &str| integers(&attrs[name]);
    let dims = |name: &str| -> Vec<usize> { attr(name).iter().map(|&v| v as usize).collect() };
    if let Some(op) = BinaryOp::parse(op) {
        return b.push(Op::Binary(op), x);
    }
    if let Some(op) = UnaryOp::parse(op) {
        return b.push(Op::Unary(op), x);
    }
    match op {
        "max_pool" => b.reduce_window(Reducer::Max, x[0], pool(attrs)),
        "sum_pool" => b.reduce_window(Reducer::Add, x[0], pool(attrs)),
        "conv2d" => conv2d(b, attrs, x),
        "dense" => {
            let product = b.dot(x[0], x[1], &[1], &[0])?;
            add_bias(b, product, x[2])
        }
        "relu" => {
            let zero = b.splat_like(0.0, x[0])?;
            b.maximum(x[0], zero)
        }
        "softmax_cross_entropy" => softmax_cross_entropy(b, &attr("labels"), x[0]),
        "select" => {
            let shape = b.shape(x[0]);
            let values = attr("pred").iter().map(|&p| Scalar::Bool(p != 0)).collect();
            let ty = TensorType::new(shape, ElementType::I1);
            let predicate = b.push(Op::Constant(Literal { ty, values }), &[])?;
            b.select(predicate, x[0], x[1])
        }
        "reduce_add" => b.reduce(Reducer::Add, x[0], &dims("dimensions")),
        "reduce_max" => b.reduce(Reducer::Max, x[0], &dims("dimensions")),
        "broadcast_in_dim" => b.broadcast(x[0], &dims("dimensions"), &attr("shape")),
        "reshape" => b.reshape(x[0], &attr("shape")),
        "transpose" => b.transpose(x[0], &dims("permutation")),
        "reverse" => b.reverse(x[0], &dims("dimensions")),
        "slice" => b.slice(x[0], &attr("start"), &attr("limit"), &attr("strides")),
        "pad" => b.pad(x[0], x[1], &attr("low"), &attr("high"), &attr("interior")),
        "concatenate" => b.concatenate(x, attrs["dimension"].as_u64().unwrap_or(0) as usize),
        "dot_general" => {
            let dot = DotGeneral {
                lhs_batch: dims("lhs_batch"),
                rhs_batch: dims("rhs_batch"),
                lhs_contract: dims("lhs_contracting"),
                rhs_contract: dims("rhs_contracting"),
            };
            b.dot_general(x[0], x[1], dot)
        }
        other => panic!("ops.json has an operation {other} that is not built here"),
    }
}

/// A window over H and W of an NCHW tensor.
fn pool(attrs: &Json) -> Window {
    let spatial = |name: &str| [vec![1, 1], integers(&attrs[name])].concat();
    Window {
        size: spatial("window"),
        strides: spatial("strides"),
        padding: [vec![[0, 0]; 2], pairs(&attrs["padding"])].concat(),
        ..Window::unit(4)
    }
}

fn conv2d(b: &mut Builder, attrs: &Json, x: &[Value]) -> Result<Value> {
    let conv = Convolution {
        dims: ConvolutionDims::nchw(2),
        strides: integers(&attrs["strides"]),
        padding: pairs(&attrs["padding"]),
        lhs_dilation: integers(&attrs["lhs_dilation"]),
        rhs_dilation: integers(&attrs["dilation"]),
        window_reversal: vec![false; 2],
        feature_group_count: attrs["groups"].as_i64().expect("groups"),
        batch_group_count: attrs["batch_groups"].as_i64().expect("batch_groups"),
    };
    let y = b.convolution(x[0], x[1], conv)?;
    match x.get(2) {
        Some(&bias) => add_bias(b, y, bias),
        None => Ok(y),
    }
}

/// Adds a bias along dimension 1.
fn add_bias(b: &mut Builder, x: Value, bias: Value) -> Result<Value> {
    let shape = b.shape(x);
    let bias = b.broadcast(bias, &[1], &shape)?;
    b.add(x, bias)
}

/// Mean over the rows of log(sum of e^z) - z[label].
fn softmax_cross_entropy(b: &mut Builder, labels: &[i64], logits: Value) -> Result<Value> {
    let shape = b.shape(logits);
    let largest = b.reduce(Reducer::Max, logits, &[1])?;
    let largest = b.stop_gradient(largest);
    let largest = b.broadcast(largest, &[0], &shape)?;
    let shifted = b.subtract(logits, largest)?;
    let exponentials = b.exponential(shifted)?;
    let sum = b.sum(exponentials, &[1])?;
    let log_sum = b.log(sum)?;
    let label = b.push(
        Op::Constant(Literal {
            ty: TensorType::new([labels.len() as i64], ElementType::I32),
            values: labels.iter().map(|&l| Scalar::Int(l)).collect(),
        }),
        &[],
    )?;
    let label = b.broadcast(label, &[0], &shape)?;
    let column = b.iota(1, TensorType::new(shape, ElementType::I32))?;
    let is_label = b.compare(Direction::Eq, column, label)?;
    let zero = b.splat_like(0.0, shifted)?;
    let chosen = b.select(is_label, shifted, zero)?;
    let chosen = b.sum(chosen, &[1])?;
    let losses = b.subtract(log_sum, chosen)?;
    let total = b.sum(losses, &[0])?;
    let count = b.splat_like(labels.len() as f64, total)?;
    b.divide(total, count)
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
