//! Each operation, with no attribute at its default, through both printers and
//! back.

mod compounds;
mod indexing;

use std::collections::BTreeSet;
use std::slice::from_ref;

use cnnc::stablehlo::{
    BinaryOp, Builder, Convolution, ConvolutionDims, Direction, DotGeneral, ElementType, Function,
    Literal, Module, Op, Reducer, Scalar, TensorType, UnaryOp, Window, mlir,
};

use crate::{iree, lines};

fn f32(shape: &[i64]) -> TensorType {
    TensorType::f32(shape)
}

fn of(shape: &[i64], element: ElementType) -> TensorType {
    TensorType::new(shape, element)
}

/// One operation of arguments of these types.
fn case(arguments: &[TensorType], op: Op) -> Function {
    let mut b = Builder::named("f");
    let operands: Vec<_> = arguments
        .iter()
        .map(|ty| b.function.argument(None, ty.clone()))
        .collect();
    let result = b.push(op, &operands).unwrap();
    b.function.output(Some("y"), result);
    b.function
}

fn cases() -> Vec<Function> {
    let mut cases = Vec::new();
    cases.extend(elementwise());
    cases.extend(constants());
    cases.extend(movement());
    cases.extend(contractions());
    cases.extend(windows());
    cases.extend(indexing::cases());
    cases.extend(compounds::cases());
    for (index, case) in cases.iter_mut().enumerate() {
        case.name = format!("f{index}");
    }
    cases
}

fn elementwise() -> Vec<Function> {
    let x = f32(&[2, 3]);
    let bits = of(&[2, 3], ElementType::Ui32);
    let mut cases = Vec::new();
    for &op in UnaryOp::ALL {
        let x = match op {
            UnaryOp::Not | UnaryOp::CountLeadingZeros | UnaryOp::Popcnt => &bits,
            _ => &x,
        };
        cases.push(case(from_ref(x), Op::Unary(op)));
    }
    for &op in BinaryOp::ALL {
        let x = if op.is_bitwise() { &bits } else { &x };
        cases.push(case(&[x.clone(), x.clone()], Op::Binary(op)));
    }
    for &direction in Direction::ALL {
        for x in [&x, &bits] {
            cases.push(case(&[x.clone(), x.clone()], Op::Compare(direction)));
        }
        cases.push(case(&[x.clone(), x.clone()], Op::CompareTotal(direction)));
    }
    for bound in [&x, &f32(&[])] {
        let operands = [bound.clone(), x.clone(), bound.clone()];
        cases.push(case(&operands, Op::Clamp));
    }
    cases.push(case(
        &[of(&[2, 3], ElementType::I1), x.clone(), x.clone()],
        Op::Select,
    ));
    for element in ElementType::ALL {
        cases.push(case(from_ref(&x), Op::Convert(element)));
    }
    for element in [ElementType::Ui32, ElementType::I32] {
        cases.push(case(from_ref(&x), Op::BitcastConvert(element)));
    }
    let mut stopped = cases[0].clone();
    stopped.body[0].stop_gradient = true;
    cases.push(stopped);
    cases
}

fn constants() -> Vec<Function> {
    let literal = |ty: TensorType, values: &[Scalar]| {
        let values = values.to_vec();
        case(&[], Op::Constant(Literal { ty, values }))
    };
    let mut cases = Vec::new();
    for element in ElementType::ALL {
        // The value of a bit pattern, and one for each element.
        let values = match element {
            ElementType::I1 => [true, false].map(Scalar::Bool),
            ElementType::F32 => [0.1f32, f32::MIN_POSITIVE].map(|v| Scalar::Float(f64::from(v))),
            ElementType::F64 => [0.1, 5e-324].map(Scalar::Float),
            ElementType::I8 => [-128, 127].map(Scalar::Int),
            ElementType::I32 => [i64::from(i32::MIN), 7].map(Scalar::Int),
            ElementType::I64 => [i64::MIN, i64::MAX].map(Scalar::Int),
            ElementType::Ui8 => [255, 1].map(Scalar::Int),
            ElementType::Ui32 => [i64::from(u32::MAX), 1].map(Scalar::Int),
            // -1 are the bits of 2^64 - 1.
            ElementType::Ui64 => [-1, 1].map(Scalar::Int),
        };
        cases.push(literal(of(&[], element), &values[..1]));
        cases.push(literal(of(&[4, 2], element), &values[1..]));
        cases.push(literal(of(&[1, 2, 1], element), &values));
        cases.push(case(
            &[],
            Op::Iota {
                dim: 1,
                ty: of(&[2, 3], element),
            },
        ));
    }
    cases.retain(
        |case| !matches!(&case.body[0].op, Op::Iota { ty, .. } if ty.element == ElementType::I1),
    );
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0] {
        cases.push(literal(f32(&[3]), &[Scalar::Float(value)]));
        cases.push(literal(of(&[], ElementType::F64), &[Scalar::Float(value)]));
    }
    // Larger constants are printed as hexadecimal blobs.
    let many: Vec<Scalar> = (0..200)
        .map(|i| Scalar::Float(f64::from(i) / 8.0))
        .collect();
    cases.push(literal(f32(&[20, 10]), &many));
    cases
}

fn movement() -> Vec<Function> {
    let x = f32(&[2, 3, 4]);
    vec![
        case(
            &[f32(&[3, 1])],
            Op::BroadcastInDim {
                dims: vec![2, 0],
                shape: vec![5, 4, 3],
            },
        ),
        case(
            &[f32(&[])],
            Op::BroadcastInDim {
                dims: vec![],
                shape: vec![2, 2],
            },
        ),
        case(
            from_ref(&x),
            Op::Reshape {
                shape: vec![6, 1, 4],
            },
        ),
        case(
            from_ref(&x),
            Op::Transpose {
                permutation: vec![2, 0, 1],
            },
        ),
        case(from_ref(&x), Op::Reverse { dims: vec![2, 0] }),
        case(
            from_ref(&x),
            Op::Slice {
                start: vec![1, 0, 1],
                limit: vec![2, 3, 4],
                strides: vec![1, 2, 3],
            },
        ),
        case(
            &[x.clone(), f32(&[])],
            Op::Pad {
                low: vec![1, -1, 0],
                high: vec![0, 2, -2],
                interior: vec![3, 0, 1],
            },
        ),
        case(&[x.clone(), f32(&[2, 1, 4]), x], Op::Concatenate { dim: 1 }),
    ]
}

fn contractions() -> Vec<Function> {
    let dot = DotGeneral {
        lhs_batch: vec![2],
        rhs_batch: vec![0],
        lhs_contract: vec![0, 3],
        rhs_contract: vec![3, 1],
    };
    let dims = ConvolutionDims {
        input_batch: 2,
        input_feature: 0,
        input_spatial: vec![3, 1],
        kernel_input: 1,
        kernel_output: 3,
        kernel_spatial: vec![0, 2],
        output_batch: 1,
        output_feature: 3,
        output_spatial: vec![2, 0],
    };
    let conv = Convolution {
        dims,
        strides: vec![2, 1],
        padding: vec![[3, 2], [-1, 4]],
        lhs_dilation: vec![1, 2],
        rhs_dilation: vec![3, 2],
        window_reversal: vec![false, true],
        feature_group_count: 2,
        batch_group_count: 1,
    };
    let batched = Convolution {
        feature_group_count: 1,
        batch_group_count: 2,
        ..conv.clone()
    };
    let line = Convolution {
        dims: ConvolutionDims::nchw(1),
        strides: vec![2],
        padding: vec![[0, 1]],
        lhs_dilation: vec![1],
        rhs_dilation: vec![2],
        window_reversal: vec![false],
        feature_group_count: 1,
        batch_group_count: 1,
    };
    vec![
        case(
            &[f32(&[5, 2, 3, 4]), f32(&[3, 4, 6, 5])],
            Op::DotGeneral(dot),
        ),
        case(
            &[f32(&[4, 6, 2, 7]), f32(&[2, 2, 3, 4])],
            Op::Convolution(conv),
        ),
        case(
            &[f32(&[4, 6, 2, 7]), f32(&[2, 4, 3, 4])],
            Op::Convolution(batched),
        ),
        case(&[f32(&[2, 3, 9]), f32(&[4, 3, 3])], Op::Convolution(line)),
    ]
}

fn windows() -> Vec<Function> {
    let window = Window {
        size: vec![2, 3],
        strides: vec![1, 2],
        base_dilations: vec![2, 1],
        window_dilations: vec![1, 2],
        padding: vec![[1, 0], [2, 3]],
    };
    let undilated = Window {
        base_dilations: vec![1, 1],
        window_dilations: vec![1, 1],
        ..window.clone()
    };
    let mut cases = Vec::new();
    for &reducer in Reducer::ALL {
        for element in [ElementType::F32, ElementType::I32] {
            if element.is_float() && reducer.op().is_bitwise() {
                continue;
            }
            let arguments = [of(&[4, 5], element), of(&[], element)];
            let dims = vec![1, 0];
            cases.push(case(&arguments, Op::Reduce { reducer, dims }));
            let window = window.clone();
            cases.push(case(&arguments, Op::ReduceWindow { reducer, window }));
        }
    }
    let arguments = [f32(&[4, 5]), f32(&[4, 4]), f32(&[])];
    cases.push(case(&arguments, Op::SelectAndScatter { window: undilated }));
    cases
}

#[test]
fn every_operation_is_read_back() {
    let functions = cases();
    let names: BTreeSet<&str> = functions.iter().map(|f| f.body[0].op.name()).collect();
    let known = UnaryOp::ALL.len() + BinaryOp::ALL.len() + OTHERS.len();
    assert_eq!(names.len(), known, "{names:?}");
    let module = Module {
        name: "m".to_owned(),
        functions,
        ..Module::default()
    };
    let text = mlir::print(&module).unwrap();
    let iree = iree();
    let pretty = iree.pretty(&text, "").unwrap();
    let generic = iree.generic(&pretty).unwrap();
    for (how, text) in [("generic", &text), ("pretty", &generic)] {
        let read = mlir::parse(text).unwrap();
        assert_eq!(read.functions.len(), module.functions.len());
        for (read, function) in read.functions.iter().zip(&module.functions) {
            // Debug text tells -0.0 from 0.0, but not one NaN from another.
            assert_eq!(lines(read), lines(function), "{how}");
            assert_eq!(read.body[0].op, function.body[0].op, "{how}");
        }
    }
}

/// Names of the operations that are in no table.
const OTHERS: [&str; 28] = [
    "constant",
    "iota",
    "compare",
    "select",
    "clamp",
    "convert",
    "bitcast_convert",
    "broadcast_in_dim",
    "reshape",
    "transpose",
    "reverse",
    "slice",
    "pad",
    "concatenate",
    "dynamic_slice",
    "dynamic_update_slice",
    "gather",
    "scatter",
    "optimization_barrier",
    "if",
    "case",
    "sort",
    "while",
    "dot_general",
    "convolution",
    "reduce",
    "reduce_window",
    "select_and_scatter",
];
