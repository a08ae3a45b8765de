//! The operations of the file, by name.

use super::{integers, layers, pairs};
use cnnc::stablehlo::{
    BinaryOp, Builder, Convolution, ConvolutionDims, DotGeneral, ElementType, Literal, Op, Reducer,
    Result, Scalar, TensorType, UnaryOp, Value, Window,
};
use serde_json::Value as Json;

pub(super) fn build(b: &mut Builder, op: &str, attrs: &Json, x: &[Value]) -> Result<Value> {
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
        "softmax_cross_entropy" => match attrs["smoothing"].as_f64() {
            None | Some(0.0) => layers::softmax_cross_entropy(b, &attr("labels"), x[0]),
            Some(smoothing) => layers::smoothed(b, &attr("labels"), smoothing, x[0]),
        },
        "avg_pool" => {
            let counted = attrs["count_padding"] == Json::Bool(true);
            layers::avg_pool(b, x[0], pool(attrs), counted)
        }
        "global_avg_pool" => layers::mean(b, x[0], &[2, 3]),
        "relu6" => layers::relu6(b, x[0]),
        "swish" => layers::swish(b, x[0]),
        "gelu_tanh" => layers::gelu_tanh(b, x[0]),
        "batch_norm" => layers::batch_norm(b, x, number(attrs, "eps")),
        "batch_norm_fixed" => layers::batch_norm_fixed(b, x, number(attrs, "eps")),
        "running_statistics" => layers::running_statistics(b, x, number(attrs, "momentum")),
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

fn number(attrs: &Json, name: &str) -> f64 {
    attrs[name].as_f64().unwrap_or_else(|| panic!("{name}"))
}

/// Adds a bias along dimension 1.
fn add_bias(b: &mut Builder, x: Value, bias: Value) -> Result<Value> {
    let shape = b.shape(x);
    let bias = b.broadcast(bias, &[1], &shape)?;
    b.add(x, bias)
}
