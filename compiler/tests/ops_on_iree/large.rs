//! The cases of many numbers, and the work of a weight gradient.

use super::checks::run_function;
use super::common::cases::large::{self, convolution};
use super::iree::Machine;
use cnnc::iree::Target;
use cnnc::stablehlo::{
    BinaryOp, Builder, Convolution, ConvolutionDims, Function, Module, Op, TensorType,
};
use cnnc::{autodiff, tune};

#[test]
fn cases_of_many_numbers() {
    let machine = Machine::new();
    for (name, case) in large::ALL {
        println!("{name}");
        case(&|function, arguments| run_function(&machine, function, arguments));
    }
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
        let forward = convolution(x, w, [1, 1], 1, 1);
        let weight = autodiff::pullback(&forward, &[1], "weight", "cotangent").expect("a gradient");
        let module = Module {
            functions: vec![forward, weight],
            ..Module::default()
        };
        // Winograd's form is less work than that.
        let options = tune::Options::default().directly();
        let tuned = tune::tune_with(&module, Target::Cpu, &options).expect("tuned");
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

/// Multiply-adds of a convolution and of both its gradients, tuned, where products and sums of
/// whole tensors count by their elements.
fn step(x: [i64; 4], w: [i64; 4], convolution: Convolution) -> i64 {
    let mut b = Builder::named("step");
    let operands = [x, w].map(|shape| b.function.argument(None, TensorType::f32(shape)));
    let y = b.convolution(operands[0], operands[1], convolution);
    b.function.output(None, y.expect("a convolution"));
    let forward = b.function;
    let pullback = autodiff::pullback(&forward, &[0, 1], "pullback", "cotangent");
    let module = Module {
        functions: vec![forward, pullback.expect("gradients")],
        ..Module::default()
    };
    let tuned = tune::tune(&module, Target::Cpu).expect("tuned");
    let products = |function: &Function| -> i64 {
        let multiply = |op: &Op| matches!(op, Op::Binary(BinaryOp::Multiply));
        let all = function.body.iter().filter(|i| multiply(&i.op));
        all.map(|i| function.ty(i.result).elements()).sum()
    };
    let functions = tuned.functions.iter();
    functions.map(|f| work(f).0 + products(f)).sum()
}

/// Strides and groups make a step less work and not more: no zeros between the cells of a
/// cotangent are multiplied, and no group by another one's channels.
#[test]
fn bug_28_strides_dilations_and_groups_cost_what_they_compute() {
    let channels = 64;
    let of = |size: i64, stride: i64, dilation: i64, groups: i64| {
        let conv = Convolution {
            dims: ConvolutionDims::nchw(2),
            strides: vec![stride; 2],
            padding: vec![[dilation, dilation]; 2],
            lhs_dilation: vec![1, 1],
            rhs_dilation: vec![dilation; 2],
            window_reversal: vec![false, false],
            feature_group_count: groups,
            batch_group_count: 1,
        };
        let x = [32, channels, size, size];
        step(x, [channels, channels / groups, 3, 3], conv)
    };
    // Forward, by the image and by the kernel; a tenth more for padding.
    let direct = 32 * 32 * 32 * channels * channels * 9 * 33 / 10;
    // Winograd's form is less.
    let dense = of(32, 1, 1, 1);
    assert!(dense <= direct, "{dense}, directly {direct}");
    let strided = of(32, 2, 1, 1);
    assert!(strided < dense, "{strided} with a stride, {dense} without");
    let dilated = of(32, 1, 2, 1);
    assert!(dilated <= 2 * direct, "{dilated} dilated, {direct} without");
    let depthwise = of(32, 1, 1, channels);
    assert!(
        depthwise * 4 <= direct,
        "{depthwise} depthwise, {direct} dense"
    );
}
