//! Faults of the training step, the evaluation and the pullback.

use cnnc::stablehlo::{BinaryOp, Direction, Function, Op, Reducer};

use super::Fault;
use super::edit::{Edit, function};

macro_rules! faults {
    ($of:literal: $($name:literal => |$f:ident| $body:expr;)*) => {
        vec![$(Fault {
            name: concat!($of, ": ", $name),
            inject: |module| {
                let $f = function(module, $of);
                $body
            },
        }),*]
    };
}

/// The update of the parameter that is returned last.
fn update(f: &Function) -> usize {
    f.named("subtract", -1)
}

pub fn faults() -> Vec<Fault> {
    let mut faults = step();
    faults.extend(evaluate());
    faults.extend(pullback());
    faults
}

fn step() -> Vec<Fault> {
    faults! { "train_step":
        "uphill" => |f| f.set(update(f), |op| *op = Op::Binary(BinaryOp::Add));
        "learning rate dropped" => |f| {
            let at = f.operand(update(f), 1);
            let gradient = f.body[at].operands.iter().position(|&v| {
                f.body.iter().any(|i| i.result == v && !matches!(i.op, Op::BroadcastInDim { .. }))
            });
            f.bypass(at, gradient.expect("a gradient"));
        };
        "learning rate twice" => |f| {
            let at = f.operand(update(f), 1);
            f.insert(at, |b, i| b.add(i.result, i.result));
        };
        "a parameter stays" => |f| f.return_argument("conv1.bias", "conv1.bias");
        "two parameters exchanged" => |f| f.swap_results("dense2.weight", "dense3.weight");
        "gradient of another parameter" => |f| {
            let (own, other) = (f.named("subtract", -1), f.named("subtract", -3));
            f.body[own].operands[1] = f.body[other].operands[1];
        };
        "weight decay that nobody asked for" => |f| {
            let at = update(f);
            f.insert(at, |b, i| {
                let rate = b.splat_like(0.999, i.result)?;
                b.multiply(i.result, rate)
            });
        };
        "mask dropped" => |f| f.bypass(f.masked(-1), 1);
        "another than the largest logit counts" => |f| {
            let at = f.find(0, |i| matches!(i.op, Op::Reduce { reducer: Reducer::Min, .. }));
            let select = f.operand(at, 0);
            f.body[select].operands.swap(1, 2);
        };
        "wrong examples counted" => |f| {
            let at = f.find(-1, |i| i.op == Op::Compare(Direction::Eq));
            f.set(at, |op| *op = Op::Compare(Direction::Ne));
        };
        "sum of the losses returned" => |f| {
            let at = f.result("loss");
            f.bypass(at, 0);
        };
    }
}

fn evaluate() -> Vec<Fault> {
    faults! { "evaluate":
        "weights ignored" => |f| f.bypass(f.named("multiply", -1), 0);
        "weights squared" => |f| {
            let at = f.named("multiply", -1);
            let weight = f.body[at].operands[1];
            f.insert(at, |b, i| b.multiply(i.result, weight));
        };
        "mean instead of sum" => |f| {
            let at = f.result("loss");
            f.insert(at, |b, i| {
                let four = b.splat_like(4.0, i.result)?;
                b.divide(i.result, four)
            });
        };
    }
}

fn pullback() -> Vec<Fault> {
    faults! { "pullback":
        "mask dropped" => |f| f.bypass(f.masked(0), 1);
        "reversal dropped" => |f| f.bypass(f.named("reverse", 0), 0);
        "cotangent averaged" => |f| {
            let cotangent = f.arguments.last().expect("a cotangent").value;
            let at = f.find(-1, |i| i.op.name() == "dot_general" && i.operands.contains(&cotangent));
            f.insert(at, |b, i| {
                let four = b.splat_like(4.0, i.result)?;
                b.divide(i.result, four)
            });
        };
        "two gradients exchanged" => |f| {
            f.swap_results("conv2.weight.gradient", "conv3.weight.gradient");
        };
    }
}
