//! The cases of many numbers, and the work of a weight gradient.

use super::checks::run_function;
use super::common::cases::large::{self, convolution};
use super::iree::Machine;
use cnnc::iree::Target;
use cnnc::stablehlo::{Function, Module, Op};
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
