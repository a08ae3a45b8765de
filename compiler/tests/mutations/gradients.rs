//! Faults of the backward pass.

use cnnc::stablehlo::{
    BinaryOp, Builder, Direction, Function, Instruction, Literal, Module, Op, Reducer, Result,
    Value, Window,
};

use super::Fault;
use super::edit::{Edit, function};

fn gradients(module: &mut Module) -> &mut Function {
    function(module, "gradients")
}

macro_rules! faults {
    ($($name:literal => |$f:ident| $body:expr;)*) => {
        vec![$(Fault {
            name: $name,
            inject: |module| {
                let $f = gradients(module);
                $body
            },
        }),*]
    };
}

mod pools;

pub use pools::grouped;

/// Convolutions whose result is a kernel: batch and feature in each other's
/// place.
fn kernel_gradient(i: &Instruction) -> bool {
    matches!(&i.op, Op::Convolution(conv) if conv.dims.input_batch == 1)
}

/// Convolutions of a cotangent with a reversed kernel.
fn input_gradient(f: &Function, i: &Instruction) -> bool {
    let reversed = |v: Value| {
        let definition = f.body.iter().find(|d| d.result == v);
        definition.is_some_and(|d| matches!(d.op, Op::Reverse { .. }))
    };
    matches!(i.op, Op::Convolution(_)) && reversed(i.operands[1])
}

fn sums(i: &Instruction, over: &[usize]) -> bool {
    matches!(&i.op, Op::Reduce { reducer: Reducer::Add, dims } if dims == over)
}

fn sum_over(op: &mut Op, over: &[usize]) {
    if let Op::Reduce { dims, .. } = op {
        *dims = over.to_vec();
    }
}

fn last_dot(f: &Function, contract: [usize; 2]) -> usize {
    f.find(-1, |i| match &i.op {
        Op::DotGeneral(dot) => {
            dot.lhs_contract == [contract[0]] && dot.rhs_contract == [contract[1]]
        }
        _ => false,
    })
}

pub fn faults() -> Vec<Fault> {
    let mut faults = layers();
    faults.extend(loss());
    faults.extend(pools::pools());
    faults
}

fn layers() -> Vec<Fault> {
    faults! {
        "relu mask dropped" => |f| f.bypass(f.masked(0), 1);
        "relu mask of the first layer dropped" => |f| f.bypass(f.masked(-1), 1);
        "mask GE for GT" => |f| f.set(f.mask(-1), |op| *op = Op::Compare(Direction::Ge));
        "mask GE for GT at the dense layer" => |f| f.set(f.mask(0), |op| *op = Op::Compare(Direction::Ge));
        "mask LT for GT" => |f| f.set(f.mask(1), |op| *op = Op::Compare(Direction::Lt));
        "mask branches exchanged" => |f| {
            let at = f.masked(2);
            f.body[at].operands.swap(1, 2);
        };
        "mask of another layer" => |f| {
            let (own, other) = (f.mask(-1), f.mask(-2));
            f.body[own].operands[0] = f.body[other].operands[0];
        };
        "reversal dropped" => |f| f.bypass(f.named("reverse", 0), 0);
        "reversal along one axis only" => |f| f.set(f.named("reverse", -1), |op| {
            *op = Op::Reverse { dims: vec![2] };
        });
        "transposition of the kernel dropped" => |f| {
            let at = f.operand(f.named("reverse", 0), 0);
            f.bypass(at, 0);
        };
        "kernel as in the forward pass" => |f| {
            let at = f.named("reverse", -1);
            let transpose = f.operand(at, 0);
            f.bypass(at, 0);
            f.bypass(transpose, 0);
        };
        "padding off by one" => |f| {
            let at = f.find(0, |i| input_gradient(f, i));
            f.set_convolution(at, |conv| conv.padding = vec![[1, 2], [1, 2]]);
        };
        "padding off by one along one axis" => |f| {
            let at = f.find(-1, |i| input_gradient(f, i));
            f.set_convolution(at, |conv| conv.padding[1] = [2, 0]);
        };
        "cotangent not spread by the stride" => |f| {
            let at = f.find(0, |i| input_gradient(f, i));
            f.set_convolution(at, |conv| {
                conv.lhs_dilation = vec![1, 1];
                conv.padding = vec![[3, 3], [3, 3]];
            });
        };
        "kernel gradient not spread by the stride" => |f| {
            let at = f.find(0, kernel_gradient);
            f.set_convolution(at, |conv| {
                conv.rhs_dilation = vec![1, 1];
                conv.padding = vec![[-1, -1], [-1, -1]];
            });
        };
        "stride and dilation exchanged" => |f| {
            let at = f.find(0, kernel_gradient);
            f.set_convolution(at, |conv| {
                std::mem::swap(&mut conv.strides, &mut conv.rhs_dilation);
                conv.padding = vec![[0, 0], [0, 0]];
            });
        };
        "kernel gradient padded on the wrong side" => |f| {
            let at = f.find(0, kernel_gradient);
            f.set_convolution(at, |conv| conv.padding = vec![[1, 0], [1, 0]]);
        };
        "batch and feature exchanged" => |f| {
            let at = f.find(1, kernel_gradient);
            f.set_convolution(at, |conv| {
                std::mem::swap(&mut conv.dims.input_batch, &mut conv.dims.input_feature);
            });
        };
        "input and output features exchanged" => |f| {
            let at = f.find(1, kernel_gradient);
            f.set_convolution(at, |conv| {
                std::mem::swap(&mut conv.dims.output_batch, &mut conv.dims.output_feature);
            });
        };
        "height and width exchanged" => |f| {
            let at = f.find(-1, kernel_gradient);
            f.set_convolution(at, |conv| conv.dims.output_spatial = vec![3, 2]);
        };
        "kernel gradient reversed" => |f| {
            let at = f.find(-1, kernel_gradient);
            f.insert(at, |b, i| b.reverse(i.result, &[2, 3]));
        };
        "kernel gradient from half of a sum" => |f| {
            let at = f.find(0, kernel_gradient);
            let sum = f.operand(at, 0);
            f.body[at].operands[0] = f.body[sum].operands[1];
        };
        "bias summed over the wrong axes" => |f| {
            let at = f.find(-1, |i| sums(i, &[0, 2, 3]));
            f.set(at, |op| sum_over(op, &[1, 2, 3]));
        };
        "bias summed over channels instead of rows" => |f| {
            let at = f.find(0, |i| sums(i, &[0, 2, 3]));
            f.set(at, |op| sum_over(op, &[0, 1, 3]));
        };
        "dense bias summed over features" => |f| {
            let at = f.find(-1, |i| sums(i, &[0]));
            f.set(at, |op| sum_over(op, &[1]));
        };
        "bias gradient twice" => |f| {
            let at = f.find(0, |i| sums(i, &[0, 2, 3]));
            f.insert(at, |b, i| b.add(i.result, i.result));
        };
        "dense weight not transposed" => |f| {
            let at = f.find(1, |i| match &i.op {
                Op::DotGeneral(dot) => dot.rhs_contract == [1],
                _ => false,
            });
            f.set(at, |op| if let Op::DotGeneral(dot) = op { dot.rhs_contract = vec![0] });
        };
        "dense weight gradient transposed" => |f| {
            let at = f.find(1, |i| match &i.op {
                Op::DotGeneral(dot) => dot.lhs_contract == [0],
                _ => false,
            });
            f.body[at].operands.reverse();
        };
        "dense weight gradient from the wrong layer" => |f| {
            let first = f.find(0, |i| matches!(&i.op, Op::DotGeneral(dot) if dot.lhs_contract == [0]));
            let next = f.find(1, |i| matches!(&i.op, Op::DotGeneral(dot) if dot.lhs_contract == [0]));
            f.body[first].operands[0] = f.body[next].operands[0];
        };
        "dense weight gradient before the mask" => |f| {
            let at = last_dot(f, [0, 0]);
            let masked = f.operand(at, 1);
            f.body[at].operands[1] = f.body[masked].operands[1];
        };
        "cotangent of the second branch not added" => |f| f.bypass(f.named("add", -1), 0);
        "cotangent of the first branch not added" => |f| f.bypass(f.named("add", -1), 1);
        "cotangent of one branch twice" => |f| {
            let at = f.named("add", -1);
            f.body[at].operands[1] = f.body[at].operands[0];
        };
        "cotangents subtracted" => |f| f.set(f.named("add", -1), |op| {
            *op = Op::Binary(BinaryOp::Subtract);
        });
        "flatten undone in another order" => |f| {
            let at = f.find(-1, |i| matches!(&i.op, Op::Reshape { shape } if shape.len() == 4));
            f.insert(at, |b, i| {
                let x = b.reshape(i.operands[0], &[4, 2, 2, 4])?;
                b.transpose(x, &[0, 3, 1, 2])
            });
        };
        "two gradients exchanged" => |f| {
            f.swap_results("dense2.weight.gradient", "dense3.weight.gradient");
        };
        "two bias gradients exchanged" => |f| {
            f.swap_results("conv1.bias.gradient", "conv2.bias.gradient");
        };
        "parameter returned for its gradient" => |f| {
            f.return_argument("conv2.weight.gradient", "conv2.weight");
        };
        "gradient zero" => |f| {
            let at = f.find(-1, |i| sums(i, &[0, 2, 3]));
            f.insert(at, |b, i| b.splat_like(0.0, i.result));
        };
        "gradient a millionth too large" => |f| {
            let at = f.find(-1, kernel_gradient);
            f.insert(at, |b, i| {
                let factor = b.splat_like(1.000_001, i.result)?;
                b.multiply(i.result, factor)
            });
        };
    }
}

fn loss() -> Vec<Fault> {
    faults! {
        "mean over the batch missing" => |f| f.bypass(f.named("divide", -1), 0);
        "mean taken twice" => |f| {
            let divisor = f.body[f.named("divide", -1)].operands[1];
            let at = f.named("divide", -1);
            f.insert(at, |b, i| b.divide(i.result, divisor));
        };
        "mean over one example too many" => |f| {
            let at = f.operand(f.named("divide", -1), 1);
            let ty = f.ty(f.body[at].result).clone();
            f.set(at, |op| *op = Op::Constant(Literal::splat(5.0, ty)));
        };
        "one-hot added" => |f| {
            let at = f.operand(f.named("divide", -1), 0);
            f.set(at, |op| *op = Op::Binary(BinaryOp::Add));
        };
        "one-hot dropped" => |f| {
            let at = f.operand(f.named("divide", -1), 0);
            f.bypass(at, 0);
        };
        "one-hot of the other classes" => |f| {
            let subtract = f.operand(f.named("divide", -1), 0);
            let at = f.operand(subtract, 1);
            f.body[at].operands.swap(1, 2);
        };
        "sign" => |f| {
            let at = f.named("divide", -1);
            f.insert(at, |b, i| b.negate(i.result));
        };
        "exponential missing in the softmax" => |f| {
            let at = f.named("divide", -2);
            let exponential = f.operand(at, 0);
            f.body[at].operands[0] = f.body[exponential].operands[0];
        };
        "softmax not normalised" => |f| f.bypass(f.named("divide", -2), 0);
        "softmax over the batch" => |f| {
            let at = f.operand(f.named("divide", -2), 1);
            f.set(at, |op| *op = Op::BroadcastInDim { dims: vec![1], shape: vec![4, 4] });
        };
        "softmax without the shift" => |f| {
            let at = f.named("divide", -2);
            let exponential = f.operand(at, 0);
            let shifted = f.operand(exponential, 0);
            let logits = f.body[shifted].operands[0];
            f.insert(exponential, |b, _| b.exponential(logits));
            // The sum is still of the shifted ones.
            let sum = f.find(0, |i| sums(i, &[1]));
            f.body[sum].operands[0] = f.body[exponential].result;
        };
        "loss returned twice as large" => |f| {
            let loss = f.outputs[0].value;
            let at = f.find(0, |i| i.result == loss);
            f.insert(at, |b, i| b.add(i.result, i.result));
        };
        "bias missing in the forward pass" => |f| f.bypass(f.named("add", 0), 0);
    }
}
