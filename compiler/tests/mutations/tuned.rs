//! Faults of the tuning: the module for IREE against the portable one.

use cnnc::manifest;
use cnnc::stablehlo::mlir::attribute::Attribute;
use cnnc::stablehlo::{Direction, ElementType, Function, Instruction, Module, Op, Reducer, Scalar};

use super::Fault;
use super::edit::{Edit, function};

macro_rules! faults {
    ($($name:literal => |$f:ident| $body:expr;)*) => {
        vec![$(Fault {
            name: $name,
            inject: |module| {
                let $f = function(module, "train_step");
                $body
            },
        }),*]
    };
}

/// Changes how the manifest says that a parameter is stored.
fn stored(module: &mut Module, name: &str, key: &str, value: Attribute) {
    let manifest = module
        .attributes
        .iter_mut()
        .find(|(n, _)| n == manifest::ATTRIBUTE);
    let Some((_, Attribute::Dict(entries))) = manifest else {
        panic!("no manifest");
    };
    let parameters = entries.iter_mut().find(|(key, _)| key == "parameters");
    let Some((_, Attribute::Array(parameters))) = parameters else {
        panic!("no parameters");
    };
    let own = |p: &&mut Attribute| p.get("name").and_then(Attribute::as_str) == Some(name);
    let Some(Attribute::Dict(entries)) = parameters.iter_mut().find(own) else {
        panic!("no parameter {name}");
    };
    let layout = entries.iter_mut().find(|(key, _)| key == "stored");
    layout.expect("a stored parameter").1.set(key, value);
}

fn manifests() -> Vec<Fault> {
    vec![
        Fault {
            name: "manifest: height and width exchanged",
            inject: |m| {
                stored(
                    m,
                    "conv1.weight",
                    "permutation",
                    Attribute::Ints(vec![3, 2, 1, 0]),
                )
            },
        },
        Fault {
            name: "manifest: input and output features exchanged",
            inject: |m| {
                stored(
                    m,
                    "conv2.weight",
                    "permutation",
                    Attribute::Ints(vec![2, 3, 0, 1]),
                )
            },
        },
        Fault {
            name: "manifest: rows behind flatten in the portable order",
            inject: |m| {
                stored(
                    m,
                    "dense1.weight",
                    "permutation",
                    Attribute::Ints(vec![3, 0, 1, 2]),
                )
            },
        },
        Fault {
            name: "manifest: dense weight not transposed",
            inject: |m| {
                stored(
                    m,
                    "dense2.weight",
                    "permutation",
                    Attribute::Ints(vec![0, 1]),
                )
            },
        },
    ]
}

/// The chain of selects that numbers the first maximal cell.
fn index(i: &Instruction, f: &Function) -> bool {
    i.op == Op::Select && f.ty(i.result).element == ElementType::I8
}

pub fn faults() -> Vec<Fault> {
    let mut faults = manifests();
    faults.extend(faults! {
        "first maximum: a later cell wins" => |f| {
            // The select of cell 1 comes after that of cell 0.
            let at = f.find(-1, |i| index(i, f));
            let moved = f.body.remove(f.operand(at, 2));
            f.body.insert(at - 1, moved);
            let (before, after) = f.body.split_at_mut(at);
            for place in 0..2 {
                std::mem::swap(
                    &mut before[at - 1].operands[place],
                    &mut after[0].operands[place],
                );
            }
        };
        "first maximum: numbers exchanged" => |f| {
            let at = f.find(-1, |i| index(i, f));
            let before = f.operand(at, 2);
            let constant = f.operand(at, 1);
            let other = f.body[f.operand(before, 1)].op.clone();
            f.set(constant, |op| *op = other);
        };
        "relu mask GE on the relu's result" => |f| f.set(f.mask(-1), |op| *op = Op::Compare(Direction::Ge));
        "window cells numbered by columns" => |f| {
            let rows = f.find(0, |i| matches!(&i.op, Op::Iota { dim: 2, ty } if ty.rank() == 6));
            let columns = f.find(0, |i| matches!(&i.op, Op::Iota { dim: 4, ty } if ty.rank() == 6));
            let (a, b) = (f.body[rows].op.clone(), f.body[columns].op.clone());
            f.body[rows].op = b;
            f.body[columns].op = a;
        };
        "second stage of a sum over the wrong axis" => |f| {
            let at = f.find(-1, |i| match &i.op {
                Op::Reduce { reducer: Reducer::Add, dims } => {
                    let operand = f.body.iter().find(|d| d.result == i.operands[0]);
                    let staged = operand.is_some_and(|d| matches!(&d.op, Op::Reduce { dims, .. } if *dims == [1, 2]));
                    *dims == [0] && staged
                }
                _ => false,
            });
            f.set(at, |op| if let Op::Reduce { dims, .. } = op { *dims = vec![1] });
        };
        "a tap of the kernel gradient shifted" => |f| {
            let at = f.find(-1, |i| matches!(&i.op, Op::Slice { start, .. } if start.len() == 3 && start[2] == 11));
            f.set(at, |op| if let Op::Slice { start, limit, .. } = op {
                start[2] += 1;
                limit[2] += 1;
            });
        };
        "taps of the kernel gradient stacked in another order" => |f| {
            let at = f.find(0, |i| matches!(i.op, Op::Concatenate { dim: 0 }) && i.operands.len() == 9);
            f.body[at].operands.swap(3, 5);
        };
        "a row's spare padding not zero" => |f| {
            // What is padded, made one axis and sliced is the cotangent.
            let users = |v| f.body.iter().filter(move |d| d.operands.first() == Some(&v));
            let at = f.find(0, |i| {
                let reshaped = users(i.result).filter(|d| d.op.name() == "reshape");
                let sliced = reshaped.flat_map(|d| users(d.result)).any(|d| d.op.name() == "slice");
                i.op.name() == "pad" && sliced
            });
            f.constant(at, 1, 1.0);
        };
        "a tap of the first layer dropped" => |f| {
            let at = f.find(3, |i| i.op.name() == "add");
            f.bypass(at, 0);
        };
        "a tap of the first layer with another's weight" => |f| {
            let at = f.find(3, |i| matches!(&i.op, Op::Slice { start, limit, .. } if start.len() == 4 && limit[3] == 4 && limit[2] == 1));
            f.set(at, |op| if let Op::Slice { start, limit, .. } = op {
                start[1] = 1 - start[1];
                limit[1] = start[1] + 1;
            });
        };
        "a cell of the pool's windows left out" => |f| {
            let at = f.find(-2, |i| i.op.name() == "maximum" && f.ty(i.result).shape == [4, 2, 2, 4]);
            f.bypass(at, 0);
        };
        "input gradient padded on the other side" => |f| {
            let at = f.find(0, |i| matches!(&i.op, Op::Pad { low, high, .. } if *low == [0, 1, 1, 0] && *high == [0; 4]));
            f.set(at, |op| if let Op::Pad { low, high, .. } = op { std::mem::swap(low, high) });
        };
        "two taps of the strided input gradient exchanged" => |f| {
            let tap = |from: i64| move |i: &Instruction| matches!(&i.op, Op::Slice { start, limit, .. } if start.len() == 4 && start[3] == from && limit[3] == from + 4);
            let (a, b) = (f.find(0, tap(8)), f.find(0, tap(24)));
            for (at, from) in [(a, 24), (b, 8)] {
                f.set(at, |op| if let Op::Slice { start, limit, .. } = op {
                    (start[3], limit[3]) = (from, from + 4);
                });
            }
        };
        "kernel dimensions exchanged" => |f| {
            let at = f.named("convolution", 0);
            f.set_convolution(at, |conv| conv.dims.kernel_spatial.reverse());
        };
        "update stored in the portable layout" => |f| {
            let at = f.result("dense2.weight");
            f.insert(at, |b, i| b.transpose(i.result, &[1, 0]));
        };
    });
    faults.push(Fault {
        name: "forward: logits of the batch reversed",
        inject: |module| {
            let f = function(module, "forward");
            let at = f.result("logits");
            f.insert(at, |b, i| b.reverse(i.result, &[0]));
        },
    });
    faults.push(Fault {
        name: "init: a parameter transposed",
        inject: |module| {
            let f = function(module, "init");
            let at = f.result("dense3.weight");
            f.insert(at, |b, i| b.transpose(i.result, &[1, 0]));
        },
    });
    faults
}

/// Faults of groups and overlapping windows.
pub fn grouped() -> Vec<Fault> {
    faults! {
        "overlapping cotangents overwrite each other" => |f| {
            let at = f.find(-1, |i| {
                let padded = |v| f.body.iter().any(|d| d.result == v && matches!(&d.op, Op::Pad { interior, .. } if interior.contains(&1)));
                i.op.name() == "add" && padded(i.operands[1])
            });
            f.bypass(at, 1);
        };
        "a window's cell scattered one row off" => |f| {
            let at = f.find(0, |i| matches!(&i.op, Op::Pad { low, interior, .. } if interior[1] == 1 && low[1] == 1));
            f.set(at, |op| if let Op::Pad { low, high, .. } = op {
                low[1] -= 1;
                high[1] += 1;
            });
        };
        "padding of windows not the lowest" => |f| {
            let at = f.find(0, |i| {
                let lowest = |d: &Instruction| match &d.op {
                    Op::Constant(literal) => {
                        let value = literal.splat_value().map(Scalar::as_f64);
                        d.result == i.operands[1] && value == Some(f64::NEG_INFINITY)
                    }
                    _ => false,
                };
                i.op.name() == "pad" && f.body.iter().any(lowest)
            });
            f.constant(at, 1, 0.5);
        };
        "groups exchanged" => |f| {
            let at = f.find(0, |i| matches!(&i.op, Op::Convolution(conv) if conv.feature_group_count == 2));
            f.insert(at, |b, i| b.reverse(i.result, &[3]));
        };
    }
}
