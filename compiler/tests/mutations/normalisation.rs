//! A normalisation over the batch, and faults of its gradient. Its root
//! stands in the field for something that only differentiates like a root.

use cnnc::autodiff;
use cnnc::manifest;
use cnnc::stablehlo::mlir::attribute::Attribute;
use cnnc::stablehlo::{Builder, Function, Module, Op, Result, TensorType, UnaryOp};

use super::Fault;
use super::edit::{Edit, function};

const SHAPE: [i64; 2] = [4, 3];

/// The sum of (scale x^)^2 y over a batch, where x^ is x, the weight, less its
/// mean and divided by its deviation.
fn loss() -> Result<Function> {
    let mut b = Builder::named("loss");
    let x = b.function.argument(Some("x"), TensorType::f32(SHAPE));
    let scale = b.function.argument(Some("scale"), TensorType::f32([3]));
    let y = b.function.argument(Some("image"), TensorType::f32(SHAPE));
    let count = b.splat(4.0, TensorType::f32([3]))?;
    let sum = b.sum(x, &[0])?;
    let mean = b.divide(sum, count)?;
    let mean = b.broadcast(mean, &[1], &SHAPE)?;
    let centred = b.subtract(x, mean)?;
    let square = b.multiply(centred, centred)?;
    let sum = b.sum(square, &[0])?;
    let variance = b.divide(sum, count)?;
    let eps = b.splat_like(1e-5, variance)?;
    let variance = b.add(variance, eps)?;
    let root = b.push(Op::Unary(UnaryOp::Rsqrt), &[variance])?;
    let root = b.multiply(root, scale)?;
    let root = b.broadcast(root, &[1], &SHAPE)?;
    let normal = b.multiply(centred, root)?;
    let square = b.multiply(normal, normal)?;
    let weighted = b.multiply(square, y)?;
    let total = b.sum(weighted, &[0, 1])?;
    b.function.output(Some("loss"), total);
    Ok(b.function)
}

pub fn module() -> Module {
    let loss = loss().expect("a well-typed loss");
    let gradients = autodiff::gradients(&loss, &[0, 1], "gradients").expect("rules for all");
    let parameter = |name: &str, shape: &[i64]| {
        Attribute::dict([
            ("name", Attribute::String(name.to_owned())),
            ("shape", Attribute::Ints(shape.to_vec())),
            ("role", Attribute::String("weight".to_owned())),
            ("fan_in", Attribute::Int(1)),
        ])
    };
    let parameters = vec![parameter("x", &SHAPE), parameter("scale", &[3])];
    let manifest = Attribute::dict([
        ("version", Attribute::Int(1)),
        ("classes", Attribute::Int(3)),
        ("parameters", Attribute::Array(parameters)),
    ]);
    Module {
        name: "normalised".to_owned(),
        attributes: vec![(manifest::ATTRIBUTE.to_owned(), manifest)],
        functions: vec![loss, gradients],
    }
}

macro_rules! faults {
    ($($name:literal => |$f:ident| $body:expr;)*) => {
        vec![$(Fault {
            name: $name,
            inject: |module| {
                let $f = function(module, "gradients");
                $body
            },
        }),*]
    };
}

pub fn faults() -> Vec<Fault> {
    faults! {
        "mean term dropped" => |f| f.bypass(f.named("add", -1), 0);
        "half of the square's derivative" => |f| f.bypass(f.named("add", -2), 0);
        "variance term dropped" => |f| {
            f.bypass(f.named("add", -2), 0);
            f.bypass(f.named("add", -2), 0);
        };
        "variance term alone" => |f| f.bypass(f.named("add", -3), 1);
        "root's derivative of the wrong power" => |f| {
            let root = f.find(0, |i| i.op == Op::Unary(UnaryOp::Rsqrt));
            let root = f.body[root].result;
            let square = f.find(0, |i| i.op.name() == "multiply" && i.operands == [root, root]);
            f.bypass(square, 0);
        };
        "gradient of the scale without the root" => |f| f.bypass(f.result("scale.gradient"), 0);
    }
}
