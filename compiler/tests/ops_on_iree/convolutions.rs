//! Convolutions at sizes and shapes that have gone wrong elsewhere. All ones,
//! so that an output counts the cells under its window.

use super::checks::run_function;
use super::iree::Machine;
use cnnc::iree::Target;
use cnnc::reference::Tensor;
use cnnc::stablehlo::{
    Builder, Convolution, ConvolutionDims, Function, Module, Op, Result, TensorType,
};
use cnnc::{autodiff, tune};

/// A convolution of `x` by `w` with equal padding on all sides.
fn convolution(
    name: &str,
    x: [i64; 4],
    w: [i64; 4],
    strides: [i64; 2],
    pad: i64,
    groups: i64,
) -> Function {
    let build = || -> Result<Function> {
        let mut b = Builder::named(name);
        let x = b.function.argument(Some("x"), TensorType::f32(x));
        let w = b.function.argument(Some("w"), TensorType::f32(w));
        let conv = Convolution {
            dims: ConvolutionDims::nchw(2),
            strides: strides.to_vec(),
            padding: vec![[pad, pad]; 2],
            lhs_dilation: vec![1, 1],
            rhs_dilation: vec![1, 1],
            window_reversal: vec![false, false],
            feature_group_count: groups,
            batch_group_count: 1,
        };
        let y = b.convolution(x, w, conv)?;
        b.function.output(Some("y"), y);
        Ok(b.function)
    };
    build().expect("a convolution")
}

fn ones(shape: [i64; 4]) -> Tensor<f32> {
    let ty = TensorType::f32(shape);
    let values = vec![1.0; ty.elements() as usize];
    Tensor::numbers(ty, values).expect("a tensor")
}

/// Asserts that a convolution of ones by ones is `value(row, column)` in every
/// image and channel.
fn check_ones(function: Function, x: [i64; 4], w: [i64; 4], value: impl Fn(usize, usize) -> f32) {
    let machine = Machine::new();
    let y = run_function(&machine, function, &[ones(x), ones(w)]);
    let (height, width) = (y[0].ty().shape[2] as usize, y[0].ty().shape[3] as usize);
    for (i, &found) in y[0].as_numbers().iter().enumerate() {
        let (row, column) = (i / width % height, i % width);
        assert_eq!(
            found,
            value(row, column),
            "image and channel {}, row {row}, column {column}",
            i / width / height
        );
    }
}

#[test]
fn bug_22_c_depthwise_of_256_channels() {
    let (x, w) = ([1, 256, 112, 112], [256, 1, 3, 3]);
    let function = convolution("depthwise", x, w, [2, 2], 1, 256);
    check_ones(function, x, w, |row, column| match (row, column) {
        (0, 0) => 4.0,
        (0, _) | (_, 0) => 6.0,
        _ => 9.0,
    });
}

#[test]
fn bug_29_a_same_padding_on_8x8() {
    let (x, w) = ([2, 3, 8, 8], [16, 3, 3, 3]);
    let function = convolution("same", x, w, [1, 1], 1, 1);
    check_ones(function, x, w, |row, column| {
        let edge = |i| i == 0 || i == 7;
        match (edge(row), edge(column)) {
            (true, true) => 12.0,
            (false, false) => 27.0,
            _ => 18.0,
        }
    });
}

#[test]
fn bug_29_b_the_stem_of_a_resnet() {
    let (x, w) = ([1, 3, 224, 224], [64, 3, 7, 7]);
    let function = convolution("stem", x, w, [2, 2], 3, 1);
    // Windows begin at 2 i - 3: the first two and the last one stick out.
    let covered = |i: usize| match i {
        0 => 4.0,
        1 => 6.0,
        111 => 5.0,
        _ => 7.0,
    };
    check_ones(function, x, w, |row, column| {
        3.0 * covered(row) * covered(column)
    });
}

#[test]
fn bug_29_c_two_strides() {
    let (x, w) = ([1, 2, 9, 6], [4, 2, 3, 3]);
    let function = convolution("strides", x, w, [2, 1], 0, 1);
    check_ones(function, x, w, |_, _| 18.0);
}

/// Multiply-adds of convolutions and dot products, and the largest kernel of
/// a convolution, in spatial cells.
fn work(function: &Function) -> (i64, i64) {
    let (mut total, mut largest) = (0, 0);
    for i in &function.body {
        let shape = |operand: usize| function.ty(i.operands[operand]).shape.as_slice();
        let results = function.ty(i.result).elements();
        match &i.op {
            Op::Convolution(conv) => {
                let kernel = shape(1);
                let spatial: i64 = conv
                    .dims
                    .kernel_spatial
                    .iter()
                    .map(|&d| kernel[d])
                    .product();
                total += results * spatial * kernel[conv.dims.kernel_input];
                largest = largest.max(spatial);
            }
            Op::DotGeneral(dot) => {
                let contracted: i64 = dot.lhs_contract.iter().map(|&d| shape(0)[d]).product();
                total += results * contracted;
            }
            _ => {}
        }
    }
    (total, largest)
}

/// The gradients of a 3x3 convolution are no more work than twice the
/// convolution, and no convolution's kernel is a feature map.
#[test]
fn bug_27_weight_gradient_is_no_giant_kernel() {
    for (batch, size, input, output) in [(32, 32, 16, 32), (32, 32, 64, 64), (4, 128, 16, 32)] {
        let (x, w) = ([batch, input, size, size], [output, input, 3, 3]);
        let forward = convolution("forward", x, w, [1, 1], 1, 1);
        let weight = autodiff::pullback(&forward, &[1], "weight", "cotangent").expect("a gradient");
        let module = Module {
            functions: vec![forward, weight],
            ..Module::default()
        };
        let tuned = tune::tune(&module, Target::Cpu).expect("tuned");
        let [(forward, nine), (weight, largest)] = [0, 1].map(|i| work(&tuned.functions[i]));
        assert_eq!(forward, batch * size * size * output * input * 9);
        assert_eq!(nine, 9);
        assert!(largest <= 9, "a kernel of {largest} cells");
        // Rows are widened by their padding: (size + 2) / size.
        assert!(
            weight >= forward / 2,
            "{weight} multiply-adds, forward {forward}"
        );
        assert!(
            weight * 10 <= forward * 11,
            "{weight} multiply-adds, forward {forward}"
        );
    }
}
