//! Every derivative rule against forward mode, exactly, over the field.

mod common;
#[path = "pullbacks/compound.rs"]
mod compound;
#[path = "pullbacks/functions.rs"]
mod functions;
#[path = "pullbacks/indexing.rs"]
mod indexing;

use cnnc::reference::Exact;
use cnnc::stablehlo::{
    BinaryOp, Builder, Convolution, ConvolutionDims, Direction, DotGeneral, ElementType, Function,
    Op, Reducer, Result, TensorType, UnaryOp, Value, Window, infer,
};
use common::adjoint::{assert_exact, assert_near, draw_arguments, pullback, sides};
use common::ops::cases;
use common::random::Random;

/// A function of f32 tensors of these shapes.
fn function(
    shapes: &[&[i64]],
    build: impl FnOnce(&mut Builder, &[Value]) -> Result<Value>,
) -> Function {
    let mut b = Builder::named("f");
    let arguments: Vec<Value> = shapes
        .iter()
        .map(|&shape| b.function.argument(None, TensorType::f32(shape)))
        .collect();
    let y = build(&mut b, &arguments).expect("a well-typed function");
    b.function.output(None, y);
    b.function
}

fn one_op(shapes: &[&[i64]], op: Op) -> Function {
    function(shapes, |b, x| b.push(op, x))
}

#[test]
fn a_wrong_pullback_is_caught() {
    let square = function(&[&[3]], |b, x| b.multiply(x[0], x[0]));
    let right = pullback("square", &square);
    let wrong = function(&[&[3], &[3]], |b, x| b.multiply(x[0], x[1]));
    let mut random = Random::new(1);
    let arguments = draw_arguments::<Exact>(&mut random, &square, -1.0, 1.0);
    let [backward, forward] = sides(&square, &right, &arguments, &mut random);
    assert_eq!(backward.element, forward.element);
    let [backward, forward] = sides(&square, &wrong, &arguments, &mut random);
    assert_ne!(backward.element, forward.element);
}

#[test]
fn unary() {
    for &op in UnaryOp::ALL {
        let inactive = matches!(
            op,
            UnaryOp::CountLeadingZeros | UnaryOp::IsFinite | UnaryOp::Not | UnaryOp::Popcnt
        );
        if !inactive {
            let f = one_op(&[&[2, 3]], Op::Unary(op));
            assert_exact(op.name(), &f, 0.5, 2.0);
            assert_near(op.name(), &f, 0.5, 2.0);
        }
    }
    let abs = one_op(&[&[16]], Op::Unary(UnaryOp::Abs));
    assert_exact("abs of either sign", &abs, -2.0, 2.0);
}

#[test]
fn binary() {
    for op in [
        BinaryOp::Add,
        BinaryOp::Subtract,
        BinaryOp::Multiply,
        BinaryOp::Divide,
        BinaryOp::Maximum,
        BinaryOp::Minimum,
    ] {
        assert_exact(
            op.name(),
            &one_op(&[&[3, 4], &[3, 4]], Op::Binary(op)),
            -2.0,
            2.0,
        );
        // Both operands the same: their cotangents add up.
        if !matches!(op, BinaryOp::Maximum | BinaryOp::Minimum) {
            let same = function(&[&[3]], |b, x| b.push(Op::Binary(op), &[x[0], x[0]]));
            assert_exact(&format!("{} of x and x", op.name()), &same, -2.0, 2.0);
        }
    }
}

#[test]
fn extrema_against_a_constant() {
    for op in [BinaryOp::Maximum, BinaryOp::Minimum] {
        for constant_first in [false, true] {
            let f = function(&[&[16]], |b, x| {
                let limit = b.splat_like(0.5, x[0])?;
                let operands = if constant_first {
                    [limit, x[0]]
                } else {
                    [x[0], limit]
                };
                b.push(Op::Binary(op), &operands)
            });
            assert_exact(op.name(), &f, -2.0, 2.0);
        }
    }
}

#[test]
fn select_by_an_argument_and_by_a_comparison() {
    let mut b = Builder::named("f");
    let predicate = TensorType::new([2, 3], ElementType::I1);
    let p = b.function.argument(None, predicate);
    let x = b.function.argument(None, TensorType::f32([2, 3]));
    let y = b.function.argument(None, TensorType::f32([2, 3]));
    let z = b.select(p, x, y).expect("a select");
    b.function.output(None, z);
    assert_exact("select", &b.function, -1.0, 1.0);
    let compared = function(&[&[8], &[8]], |b, x| {
        let p = b.compare(Direction::Lt, x[0], x[1])?;
        let product = b.multiply(x[0], x[1])?;
        b.select(p, product, x[0])
    });
    assert_exact("select by compare", &compared, -1.0, 1.0);
    let scalar = function(&[&[], &[3]], |b, x| {
        let zero = b.splat_like(0.0, x[0])?;
        let p = b.compare(Direction::Gt, x[0], zero)?;
        let double = b.add(x[1], x[1])?;
        b.select(p, double, x[1])
    });
    assert_exact("select by a scalar", &scalar, -1.0, 1.0);
}

#[test]
fn convert_between_floats_and_not_through_integers() {
    let there_and_back = function(&[&[4]], |b, x| {
        let wide = b.convert(x[0], ElementType::F64)?;
        let square = b.multiply(wide, wide)?;
        b.convert(square, ElementType::F32)
    });
    assert_exact("convert", &there_and_back, -2.0, 2.0);
    let rounded = function(&[&[4]], |b, x| {
        let integer = b.convert(x[0], ElementType::I32)?;
        let whole = b.convert(integer, ElementType::F32)?;
        b.multiply(whole, x[0])
    });
    assert_exact("convert through i32", &rounded, -2.0, 2.0);
}

#[test]
fn stop_gradient_stops() {
    let f = function(&[&[4]], |b, x| {
        let square = b.multiply(x[0], x[0])?;
        let held = b.stop_gradient(square);
        b.add(held, x[0])
    });
    // The interpreter does not know the mark: the sides differ by the square.
    let mut random = Random::new(0);
    let arguments = draw_arguments::<Exact>(&mut random, &f, -1.0, 1.0);
    let [backward, forward] = sides(&f, &pullback("stop", &f), &arguments, &mut random);
    assert_ne!(backward.element, forward.element);
}

#[test]
fn concatenate() {
    for dim in 0..3 {
        let mut other = [2, 3, 4];
        other[dim] = 5;
        let f = function(&[&[2, 3, 4], &other], |b, x| {
            b.concatenate(&[x[0], x[1], x[0]], dim)
        });
        assert_exact(&format!("concatenate along {dim}"), &f, -1.0, 1.0);
    }
}

#[test]
fn movement_of_random_shapes() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let rank = random.integer(1, 4) as usize;
        let shape: Vec<i64> = (0..rank).map(|_| random.integer(1, 4)).collect();
        let permutation = random.permutation(rank);
        let mut dims = random.permutation(rank);
        dims.truncate(random.integer(0, rank as i64) as usize);
        let mut list =
            |low, high| -> Vec<i64> { (0..rank).map(|_| random.integer(low, high)).collect() };
        let (low, high, interior) = (list(-2, 2), list(-2, 2), list(0, 2));
        let (start, length, strides) = (list(0, 3), list(0, 4), list(1, 3));
        let start: Vec<i64> = start.iter().zip(&shape).map(|(&s, &n)| s.min(n)).collect();
        let limit = (0..rank)
            .map(|i| (start[i] + length[i]).min(shape[i]))
            .collect();
        // Dimensions of the operand go to any dimensions of the result, and
        // those of size 1 stretch.
        let targets: Vec<usize> = random.permutation(rank + 1)[..rank].to_vec();
        let mut large: Vec<i64> = (0..=rank).map(|_| random.integer(1, 3)).collect();
        for (&target, &size) in targets.iter().zip(&shape) {
            if size > 1 {
                large[target] = size;
            }
        }
        let ops = [
            Op::Transpose { permutation },
            Op::Reverse { dims },
            Op::Slice {
                start,
                limit,
                strides,
            },
            Op::BroadcastInDim {
                dims: targets,
                shape: large,
            },
        ];
        for op in ops {
            let name = format!("seed {seed}: {op:?} of {shape:?}");
            assert_exact(&name, &one_op(&[&shape], op), -1.0, 1.0);
        }
        let pad = Op::Pad {
            low,
            high,
            interior,
        };
        let types = [TensorType::f32(shape.clone()), TensorType::f32([])];
        if infer::result_type(&pad, &[&types[0], &types[1]]).is_ok() {
            let name = format!("seed {seed}: {pad:?} of {shape:?}");
            assert_exact(&name, &one_op(&[&shape, &[]], pad), -1.0, 1.0);
        }
    }
}

#[test]
fn dot_general_of_random_dimensions() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let mut count = |most| random.integer(0, most) as usize;
        let (batch, contract) = (count(2), count(2));
        let (rank_a, rank_b) = (batch + contract + count(2), batch + contract + count(2));
        let (a, b) = (random.permutation(rank_a), random.permutation(rank_b));
        let mut sizes =
            |rank: usize| -> Vec<i64> { (0..rank).map(|_| random.integer(1, 4)).collect() };
        let (shape_a, mut shape_b) = (sizes(rank_a), sizes(rank_b));
        for i in 0..batch + contract {
            shape_b[b[i]] = shape_a[a[i]];
        }
        let dot = DotGeneral {
            lhs_batch: a[..batch].to_vec(),
            rhs_batch: b[..batch].to_vec(),
            lhs_contract: a[batch..batch + contract].to_vec(),
            rhs_contract: b[batch..batch + contract].to_vec(),
        };
        let name = format!("seed {seed}: {dot:?} of {shape_a:?} and {shape_b:?}");
        assert_exact(
            &name,
            &one_op(&[&shape_a, &shape_b], Op::DotGeneral(dot)),
            -1.0,
            1.0,
        );
    }
}

#[test]
fn convolution_of_random_attributes() {
    let mut accepted = [0; 4];
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let spatial = random.choose(&[1, 2, 2, 3]);
        let groups = random.choose(&[1, 1, 2, 3]);
        let batch_groups = if groups == 1 {
            random.choose(&[1, 1, 2, 3])
        } else {
            1
        };
        let inputs = random.integer(1, 2);
        let mut layout = || random.permutation(spatial + 2);
        let (x, w, y) = (layout(), layout(), layout());
        let dims = ConvolutionDims {
            input_batch: x[0],
            input_feature: x[1],
            input_spatial: x[2..].to_vec(),
            kernel_input: w[0],
            kernel_output: w[1],
            kernel_spatial: w[2..].to_vec(),
            output_batch: y[0],
            output_feature: y[1],
            output_spatial: y[2..].to_vec(),
        };
        let mut list =
            |low, high| -> Vec<i64> { (0..spatial).map(|_| random.integer(low, high)).collect() };
        let (cells, taps) = (list(1, 6), list(1, 4));
        let (low, high) = (list(-1, 3), list(-1, 3));
        let conv = Convolution {
            dims,
            strides: list(1, 3),
            padding: low.into_iter().zip(high).map(|(l, h)| [l, h]).collect(),
            lhs_dilation: list(1, 3),
            rhs_dilation: list(1, 3),
            window_reversal: list(0, 1).into_iter().map(|r| r == 1).collect(),
            feature_group_count: groups,
            batch_group_count: batch_groups,
        };
        let mut x_shape = vec![0; spatial + 2];
        x_shape[x[0]] = batch_groups * random.integer(1, 2);
        x_shape[x[1]] = inputs * groups;
        let mut w_shape = vec![0; spatial + 2];
        w_shape[w[0]] = inputs;
        w_shape[w[1]] = groups * batch_groups * random.integer(1, 2);
        for i in 0..spatial {
            x_shape[x[2 + i]] = cells[i];
            w_shape[w[2 + i]] = taps[i];
        }
        let name = format!("seed {seed}: {conv:?} of {x_shape:?} and {w_shape:?}");
        let f = one_op(&[&x_shape, &w_shape], Op::Convolution(conv));
        if f.ty(f.outputs[0].value).elements() == 0 {
            continue;
        }
        assert_exact(&name, &f, -1.0, 1.0);
        accepted[0] += 1;
        accepted[1] += usize::from(groups > 1);
        accepted[2] += usize::from(batch_groups > 1);
        accepted[3] += usize::from(spatial == 3);
    }
    // Most draws have an output, and every kind is among them.
    assert!(
        accepted[0] >= 300 && accepted.iter().all(|&n| n >= 40),
        "{accepted:?}"
    );
}

#[test]
fn reductions() {
    for reducer in [Reducer::Add, Reducer::Max, Reducer::Min] {
        for dims in [
            vec![0],
            vec![1],
            vec![2],
            vec![0, 2],
            vec![2, 0],
            vec![0, 1, 2],
        ] {
            let f = function(&[&[2, 3, 4]], |b, x| b.reduce(reducer, x[0], &dims));
            let name = format!("reduce {} over {dims:?}", reducer.name());
            assert_exact(&name, &f, -1.0, 1.0);
        }
    }
}

#[test]
fn reduce_window_of_random_windows() {
    let mut count = 0;
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let rank = random.choose(&[1, 2, 3]);
        let reducer = random.choose(&[Reducer::Add, Reducer::Max]);
        let mut list =
            |low, high| -> Vec<i64> { (0..rank).map(|_| random.integer(low, high)).collect() };
        let shape = list(1, 6);
        let (low, high) = (list(-1, 2), list(-1, 2));
        let most = if reducer == Reducer::Add { 3 } else { 1 };
        let window = Window {
            size: list(1, 3),
            strides: list(1, 3),
            base_dilations: list(1, most),
            window_dilations: list(1, most),
            padding: low.into_iter().zip(high).map(|(l, h)| [l, h]).collect(),
        };
        let name = format!(
            "seed {seed}: {} over {window:?} of {shape:?}",
            reducer.name()
        );
        let f = function(&[&shape], |b, x| b.reduce_window(reducer, x[0], window));
        if f.ty(f.outputs[0].value).elements() == 0 {
            continue;
        }
        assert_exact(&name, &f, -1.0, 1.0);
        count += 1;
    }
    assert!(count >= 100, "only {count} windows fit");
}

#[test]
fn the_goldens() {
    let mut count = 0;
    for case in cases() {
        if case.cotangent.is_some() {
            assert_exact(&case.name, &case.function, 0.5, 2.0);
            count += 1;
        }
    }
    assert!(count >= 130, "only {count} cases");
}
