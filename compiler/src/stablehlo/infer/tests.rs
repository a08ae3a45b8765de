mod compound;
mod extremes;
mod functions;
mod indexing;

use std::slice::from_ref;

use super::result_type;
use crate::stablehlo::{
    BinaryOp, Convolution, ConvolutionDims, Direction, DotGeneral, ElementType, Literal, Op,
    Reducer, Scalar, TensorType, UnaryOp, Window,
};

fn ty(shape: &[i64]) -> TensorType {
    TensorType::f32(shape)
}

fn infer(op: &Op, operands: &[TensorType]) -> Result<TensorType, String> {
    result_type(op, &operands.iter().collect::<Vec<_>>())
}

fn shape_of(op: Op, operands: &[TensorType]) -> Vec<i64> {
    infer(&op, operands).unwrap().shape
}

/// Asserts that the operation is refused with a message that holds `why`.
fn assert_refused(op: Op, operands: &[TensorType], why: &str) {
    let message = infer(&op, operands).unwrap_err();
    assert!(message.contains(why), "{message}");
}

fn conv() -> Convolution {
    Convolution {
        dims: ConvolutionDims::nchw(2),
        strides: vec![1; 2],
        padding: vec![[0, 0]; 2],
        lhs_dilation: vec![1; 2],
        rhs_dilation: vec![1; 2],
        window_reversal: vec![false; 2],
        feature_group_count: 1,
        batch_group_count: 1,
    }
}

fn row(size: i64, stride: i64, padding: [i64; 2]) -> Window {
    Window {
        size: vec![size],
        strides: vec![stride],
        padding: vec![padding],
        ..Window::unit(1)
    }
}

#[test]
fn elementwise() {
    let (x, i) = (ty(&[2, 3]), TensorType::new([2, 3], ElementType::I32));
    let predicate = x.with_element(ElementType::I1);
    assert_eq!(
        infer(&Op::Compare(Direction::Lt), &[i.clone(), i.clone()]),
        Ok(predicate.clone())
    );
    assert_eq!(
        infer(&Op::Convert(ElementType::I8), from_ref(&x))
            .unwrap()
            .element,
        ElementType::I8
    );
    assert_refused(
        Op::Binary(BinaryOp::Add),
        &[x.clone(), i.clone()],
        "tensor<2x3xf32> and tensor<2x3xi32>",
    );
    assert_refused(
        Op::Binary(BinaryOp::Add),
        &[x.clone(), ty(&[3, 2])],
        "different types",
    );
    assert_refused(
        Op::Binary(BinaryOp::And),
        &[x.clone(), x.clone()],
        "is not defined for tensor<2x3xf32>",
    );
    assert_refused(
        Op::Unary(UnaryOp::Exponential),
        from_ref(&i),
        "is not defined for tensor<2x3xi32>",
    );
    assert_refused(Op::Unary(UnaryOp::Not), from_ref(&x), "is not defined");
    assert_refused(
        Op::Unary(UnaryOp::Abs),
        &[],
        "takes 1 operands, 0 were given",
    );
    assert_eq!(
        infer(&Op::Select, &[predicate.clone(), x.clone(), x.clone()]),
        Ok(x.clone())
    );
    let one = TensorType::scalar(ElementType::I1);
    assert_eq!(
        infer(&Op::Select, &[one, x.clone(), x.clone()]),
        Ok(x.clone())
    );
    assert_refused(Op::Select, &[i.clone(), x.clone(), x.clone()], "(C1)");
    assert_refused(Op::Select, &[predicate, x, i], "(C2)");
}

#[test]
fn movement() {
    let x = || [ty(&[2, 3])];
    let broadcast = |dims: &[usize], shape: &[i64]| Op::BroadcastInDim {
        dims: dims.to_vec(),
        shape: shape.to_vec(),
    };
    assert_eq!(shape_of(broadcast(&[2, 0], &[3, 5, 2]), &x()), [3, 5, 2]);
    assert_eq!(
        shape_of(broadcast(&[0, 1], &[4, 3]), &[ty(&[1, 3])]),
        [4, 3]
    );
    assert_refused(broadcast(&[0], &[2, 3]), &x(), "(C2)");
    assert_refused(broadcast(&[1, 1], &[2, 3]), &x(), "not distinct");
    assert_refused(broadcast(&[0, 2], &[2, 3]), &x(), "exceed rank 2");
    assert_refused(broadcast(&[0, 1], &[2, 4]), &x(), "(C5)");

    assert_eq!(
        shape_of(
            Op::Reshape {
                shape: vec![3, 1, 2]
            },
            &x()
        ),
        [3, 1, 2]
    );
    assert_refused(Op::Reshape { shape: vec![5] }, &x(), "has 6 elements");
    assert_eq!(
        shape_of(
            Op::Transpose {
                permutation: vec![1, 0]
            },
            &x()
        ),
        [3, 2]
    );
    assert_refused(
        Op::Transpose {
            permutation: vec![0, 0],
        },
        &x(),
        "(C2)",
    );
    assert_refused(Op::Reverse { dims: vec![2] }, &x(), "(C2)");
    assert_refused(
        Op::Iota {
            dim: 2,
            ty: ty(&[2, 3]),
        },
        &[],
        "(C1)",
    );

    let slice = |start: i64, limit: i64, step: i64| Op::Slice {
        start: vec![0, start],
        limit: vec![2, limit],
        strides: vec![1, step],
    };
    assert_eq!(shape_of(slice(0, 3, 2), &x()), [2, 2]);
    assert_eq!(shape_of(slice(1, 1, 1), &x()), [2, 0]);
    for (start, limit, step) in [(-1, 2, 1), (2, 1, 1), (0, 4, 1), (0, 2, 0)] {
        assert_refused(slice(start, limit, step), &x(), "(C3, C4)");
    }

    let pad = |low: i64, high: i64, interior: i64| Op::Pad {
        low: vec![0, low],
        high: vec![0, high],
        interior: vec![0, interior],
    };
    let padded = || [ty(&[2, 3]), ty(&[])];
    // 3 cells with 2 between each two: 7, and 1 before, 3 cut off.
    assert_eq!(shape_of(pad(1, -3, 2), &padded()), [2, 5]);
    assert_refused(pad(-4, 0, 0), &padded(), "(C3, C4)");
    assert_refused(pad(0, 0, -1), &padded(), "(C3, C4)");
    assert_refused(pad(0, 0, 0), &[ty(&[2, 3]), ty(&[1])], "(C1)");

    let join = Op::Concatenate { dim: 1 };
    assert_eq!(
        shape_of(join.clone(), &[ty(&[2, 3]), ty(&[2, 1]), ty(&[2, 0])]),
        [2, 4]
    );
    assert_refused(join.clone(), &[ty(&[2, 3]), ty(&[3, 3])], "(C1, C2)");
    assert_refused(join, &[], "(C3)");
}

#[test]
fn constants_hold_one_value_or_all() {
    let literal = |count: usize| {
        let values = vec![Scalar::Float(1.0); count];
        Op::Constant(Literal {
            ty: ty(&[2, 3]),
            values,
        })
    };
    for (count, fits) in [(0, false), (1, true), (2, false), (6, true), (7, false)] {
        assert_eq!(infer(&literal(count), &[]).is_ok(), fits, "{count} values");
    }
}

#[test]
fn dot_general() {
    let dot = DotGeneral {
        lhs_batch: vec![1],
        rhs_batch: vec![0],
        lhs_contract: vec![0],
        rhs_contract: vec![2],
    };
    // Batch 4; free 5 of the left, free 6 of the right.
    let op = Op::DotGeneral(dot.clone());
    assert_eq!(
        shape_of(op.clone(), &[ty(&[3, 4, 5]), ty(&[4, 6, 3])]),
        [4, 5, 6]
    );
    assert_refused(op.clone(), &[ty(&[2, 4, 5]), ty(&[4, 6, 3])], "(C9, C10)");
    assert_refused(op, &[ty(&[3, 4, 5]), ty(&[5, 6, 3])], "(C9, C10)");
    let twice = DotGeneral {
        lhs_contract: vec![1],
        ..dot
    };
    assert_refused(
        Op::DotGeneral(twice),
        &[ty(&[3, 4, 5]), ty(&[4, 6, 3])],
        "not distinct",
    );
}

#[test]
fn convolution() {
    let (x, w) = (ty(&[4, 6, 9, 8]), ty(&[10, 6, 3, 2]));
    let op = |conv: Convolution| Op::Convolution(conv);
    assert_eq!(shape_of(op(conv()), &[x.clone(), w.clone()]), [4, 10, 7, 7]);
    let strided = Convolution {
        strides: vec![2, 3],
        padding: vec![[1, 0], [-1, 2]],
        rhs_dilation: vec![2, 3],
        lhs_dilation: vec![1, 2],
        ..conv()
    };
    // Rows: 9 + 1 - 5 = 5, floor(5 / 2) + 1. Columns: 15 + 1 - 4 = 12, 12 / 3 + 1.
    assert_eq!(
        shape_of(op(strided), &[x.clone(), w.clone()]),
        [4, 10, 3, 5]
    );
    // A window larger than what it slides over has no position.
    assert_eq!(
        shape_of(op(conv()), &[ty(&[4, 6, 2, 8]), w.clone()]),
        [4, 10, 0, 7]
    );

    let grouped = |features: i64, batch: i64| {
        op(Convolution {
            feature_group_count: features,
            batch_group_count: batch,
            ..conv()
        })
    };
    assert_eq!(
        shape_of(grouped(2, 1), &[x.clone(), ty(&[10, 3, 3, 2])]),
        [4, 10, 7, 7]
    );
    assert_eq!(
        shape_of(grouped(1, 2), &[x.clone(), w.clone()]),
        [2, 10, 7, 7]
    );
    assert_refused(grouped(2, 1), &[x.clone(), w.clone()], "(C10-C16)");
    assert_refused(grouped(4, 1), &[x.clone(), w.clone()], "(C10-C16)");
    assert_refused(grouped(1, 3), &[x.clone(), w.clone()], "(C10-C16)");
    assert_refused(grouped(2, 2), &[x.clone(), w.clone()], "(C21-C23)");
    assert_refused(grouped(0, 1), &[x.clone(), w.clone()], "(C21-C23)");
    assert_refused(op(conv()), &[x.clone(), ty(&[10, 5, 3, 2])], "(C10-C16)");
    assert_refused(op(conv()), &[x.clone(), ty(&[10, 6, 3])], "(C1)");
    let still = Convolution {
        strides: vec![0, 1],
        ..conv()
    };
    assert_refused(
        op(still),
        &[x.clone(), w.clone()],
        "(C2, C3) window_strides [0, 1]",
    );
    let short = Convolution {
        padding: vec![[0, 0]],
        ..conv()
    };
    assert_refused(op(short), &[x.clone(), w.clone()], "(C4)");
    let mut twice = conv();
    twice.dims.output_feature = 0;
    assert_refused(op(twice), &[x, w], "(C20) output dimensions");
}

#[test]
fn windows() {
    let of = |window: Window| Op::ReduceWindow {
        reducer: Reducer::Max,
        window,
    };
    let x = |size: i64| [ty(&[size]), ty(&[])];
    // floor((n + pads - k) / s) + 1, where the window fits at all.
    for (size, window, expected) in [
        (6, row(2, 2, [0, 0]), 3),
        (7, row(2, 2, [0, 0]), 3),
        (5, row(3, 2, [1, 1]), 3),
        (5, row(3, 1, [-1, 0]), 2),
        (2, row(3, 1, [0, 0]), 0),
        (0, row(1, 1, [0, 0]), 0),
    ] {
        assert_eq!(shape_of(of(window), &x(size)), [expected]);
    }
    let dilated = Window {
        base_dilations: vec![2],
        window_dilations: vec![3],
        ..row(2, 1, [0, 0])
    };
    // 4 cells spread to 7, a window of 2 to 4.
    assert_eq!(shape_of(of(dilated.clone()), &x(4)), [4]);
    assert_refused(
        of(row(0, 1, [0, 0])),
        &x(4),
        "window_dimensions [0] must be positive",
    );
    assert_refused(
        of(row(1, 0, [0, 0])),
        &x(4),
        "window_strides [0] must be positive",
    );
    assert_refused(
        of(Window::unit(2)),
        &x(4),
        "window_dimensions has 2 entries, expected 1",
    );
    assert_refused(
        of(row(1, 1, [0, 0])),
        &[ty(&[4]), ty(&[1])],
        "initial value",
    );

    let scatter = |window: Window| Op::SelectAndScatter { window };
    let operands = |windows: i64| [ty(&[6]), ty(&[windows]), ty(&[])];
    assert_eq!(shape_of(scatter(row(2, 2, [0, 0])), &operands(3)), [6]);
    assert_refused(scatter(row(2, 2, [0, 0])), &operands(2), "(C1)");
    assert_refused(scatter(dilated), &operands(3), "no dilation");
}

#[test]
fn reductions() {
    let over = |dims: &[usize]| Op::Reduce {
        reducer: Reducer::Add,
        dims: dims.to_vec(),
    };
    let x = [ty(&[2, 3, 4]), ty(&[])];
    assert_eq!(shape_of(over(&[2, 0]), &x), [3]);
    assert_eq!(shape_of(over(&[]), &x), [2, 3, 4]);
    assert_refused(over(&[3]), &x, "exceed rank 3");
    assert_refused(over(&[1, 1]), &x, "not distinct");
    let integer = TensorType::scalar(ElementType::I32);
    assert_refused(over(&[0]), &[ty(&[2]), integer], "initial value");
}
