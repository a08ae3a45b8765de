//! What the tuned module of the MNIST CNN must look like.

use cnnc::iree::Target;
use cnnc::stablehlo::{BinaryOp, ConvolutionDims, Direction, Module, Op};

use crate::{View, unit};

/// Small enough for the cache.
const BATCH: i64 = 32;

fn module() -> Module {
    unit("mnist_cnn").tuned(BATCH, &[], Target::Cpu).unwrap()
}

/// A batch of 128 goes through the convolutional stages in four parts, and is whole in the dense layers.
#[test]
fn large_batches_are_in_parts() {
    let tuned = unit("mnist_cnn").tuned(4 * BATCH, &["train_step"], Target::Cpu);
    let tuned = tuned.unwrap();
    let view = View::new(&tuned.functions[0]);
    let convolutions = view.all("convolution");
    assert_eq!(convolutions.len(), 8);
    for i in convolutions {
        assert_eq!(view.shape(i.result), [BATCH, 28, 28, 32]);
    }
    let features = view.all("concatenate").into_iter();
    let features = features.filter(|i| view.shape(i.result)[0] == 4 * BATCH);
    let shapes: Vec<&[i64]> = features.map(|i| view.shape(i.result)).collect();
    assert_eq!(shapes, [[4 * BATCH, 14, 14, 32]]);
    // The weight gradient of conv2, by rows: six images and three taps for each part.
    let dots = view.all("dot_general").into_iter();
    let dots = dots.filter(|i| view.shape(i.operands[0]) == [BATCH, 208, 32]);
    assert_eq!(dots.count(), 4 * 6 * 3);
}

/// NHWC x HWIO -> NHWC.
fn nhwc() -> ConvolutionDims {
    ConvolutionDims {
        input_batch: 0,
        input_feature: 3,
        input_spatial: vec![1, 2],
        kernel_input: 2,
        kernel_output: 3,
        kernel_spatial: vec![0, 1],
        output_batch: 0,
        output_feature: 3,
        output_spatial: vec![1, 2],
    }
}

#[test]
fn pools_are_slices_and_indices() {
    for function in &module().functions {
        for name in ["select_and_scatter", "reduce_window"] {
            let found = View::new(function).all(name).len();
            assert_eq!(found, 0, "{name} in @{}", function.name);
        }
    }
}

/// One forward, one for the input of conv2: those of the kernels are dots, and
/// conv1 is products.
#[test]
fn convolutions_are_channels_last() {
    for (function, expected) in [("forward", 1), ("gradients", 2), ("train_step", 2)] {
        let module = module();
        let view = View::new(module.function(function).unwrap());
        let convolutions = view.all("convolution");
        assert_eq!(convolutions.len(), expected, "@{function}");
        for i in convolutions {
            let Op::Convolution(conv) = &i.op else {
                panic!("no convolution")
            };
            assert_eq!(conv.dims, nhwc());
            assert_eq!(conv.window_reversal, [false; 2]);
            assert_eq!(view.shape(i.result), [BATCH, 28, 28, 32]);
        }
    }
}

/// One transpose: the kernel of conv2 with its features exchanged, for the
/// input gradient. None is of an activation.
#[test]
fn no_transpose_is_left_that_the_forms_do_not_need() {
    let module = module();
    for name in ["forward", "loss", "evaluate"] {
        assert!(
            View::new(module.function(name).unwrap())
                .all("transpose")
                .is_empty(),
            "@{name}"
        );
    }
    for name in ["gradients", "pullback", "train_step"] {
        let view = View::new(module.function(name).unwrap());
        let transposes: Vec<(&[i64], &Op)> = view
            .all("transpose")
            .iter()
            .map(|i| (view.shape(i.operands[0]), &i.op))
            .collect();
        let exchange = Op::Transpose {
            permutation: vec![0, 1, 3, 2],
        };
        let expected: [(&[i64], &Op); 1] = [(&[3, 3, 32, 32], &exchange)];
        assert_eq!(transposes, expected, "@{name}");
    }
}

/// Parameters are stored as the step wants them, and every function agrees.
#[test]
fn parameters_have_one_shape_in_all_functions() {
    let module = module();
    let step = View::new(module.function("train_step").unwrap());
    assert_eq!(step.shape(step.argument("conv1.weight")), [3, 3, 1, 32]);
    assert_eq!(step.shape(step.argument("conv2.weight")), [3, 3, 32, 32]);
    assert_eq!(step.shape(step.argument("image")), [BATCH, 1, 28, 28]);
    let init = module.function("init").unwrap();
    for (index, output) in init.outputs.iter().enumerate() {
        let name = output.name.as_deref().unwrap();
        let shape = &init.ty(output.value).shape;
        assert_eq!(shape, step.shape(step.argument(name)), "{name}");
        let updated = step.function.outputs[index].value;
        assert_eq!(shape, step.shape(updated), "{name}");
        let gradients = module.function("gradients").unwrap();
        let gradient = &gradients.outputs[1 + index];
        assert_eq!(
            gradient.name.as_deref(),
            Some(format!("{name}.gradient").as_str())
        );
        assert_eq!(shape, &gradients.ty(gradient.value).shape, "{name}");
    }
}

/// So that the relu's input need not be kept.
#[test]
fn masks_read_the_output_of_their_relu() {
    let module = module();
    let step = module.function("train_step").unwrap();
    let view = View::new(step);
    let masks: Vec<_> = view
        .all("compare")
        .into_iter()
        .filter(|i| i.op == Op::Compare(Direction::Gt))
        .collect();
    assert_eq!(masks.len(), 4);
    for mask in masks {
        let mut relu = mask.operands[0];
        // Dense layers and pools may stand in other shapes.
        while let Some(&[inner]) = view.operands_of(relu, "reshape") {
            relu = inner;
        }
        let relu = view.definition(relu).unwrap();
        assert_eq!(relu.op, Op::Binary(BinaryOp::Maximum));
        assert_eq!(view.splat(relu.operands[1]), Some(0.0));
    }
}
