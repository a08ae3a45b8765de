//! What the portable training step of the MNIST CNN must look like.

use cnnc::stablehlo::{
    BinaryOp, Convolution, ConvolutionDims, Direction, ElementType, Function, Instruction, Op,
    Reducer, Value,
};

use crate::{View, unit};

const BATCH: i64 = 128;

const PARAMETERS: [&str; 10] = [
    "conv1.weight",
    "conv1.bias",
    "conv2.weight",
    "conv2.bias",
    "dense1.weight",
    "dense1.bias",
    "dense2.weight",
    "dense2.bias",
    "dense3.weight",
    "dense3.bias",
];

fn step() -> Function {
    let module = unit("mnist_cnn").portable(BATCH, &["train_step"]).unwrap();
    module.functions[0].clone()
}

fn convolution(instruction: &Instruction) -> &Convolution {
    match &instruction.op {
        Op::Convolution(conv) => conv,
        other => panic!("{other:?} is no convolution"),
    }
}

/// [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1]
fn swapped() -> ConvolutionDims {
    ConvolutionDims {
        input_batch: 1,
        input_feature: 0,
        kernel_input: 0,
        kernel_output: 1,
        output_batch: 1,
        output_feature: 0,
        ..ConvolutionDims::nchw(2)
    }
}

#[test]
fn parameters_and_metrics_come_out() {
    let step = step();
    let names = |names: &mut dyn Iterator<Item = &Option<String>>| -> Vec<String> {
        names.map(|n| n.clone().unwrap_or_default()).collect()
    };
    let arguments = names(&mut step.arguments.iter().map(|a| &a.name));
    assert_eq!(
        arguments,
        [&PARAMETERS[..], &["image", "label", "lr"]].concat()
    );
    let outputs = names(&mut step.outputs.iter().map(|o| &o.name));
    assert_eq!(outputs, [&PARAMETERS[..], &["loss", "correct"]].concat());
}

/// w - lr g, each with a gradient of its own.
#[test]
fn every_parameter_is_updated() {
    let step = step();
    let view = View::new(&step);
    let mut gradients = Vec::new();
    for (name, output) in PARAMETERS.iter().zip(&step.outputs) {
        let [w, update] = view.operands_of(output.value, "subtract").unwrap() else {
            panic!("{name}: no difference");
        };
        assert_eq!(*w, view.argument(name), "{name}");
        let [lr, gradient] = view.operands_of(*update, "multiply").unwrap() else {
            panic!("{name}: no product");
        };
        let lr = view.operands_of(*lr, "broadcast_in_dim").unwrap();
        assert_eq!(lr, [view.argument("lr")], "{name}");
        assert!(
            view.splat(*gradient).is_none(),
            "{name} has a constant gradient"
        );
        assert!(!gradients.contains(gradient), "{name} shares a gradient");
        gradients.push(*gradient);
    }
}

#[test]
fn the_pool_is_one_select_and_scatter() {
    let step = step();
    let view = View::new(&step);
    let [scatter] = view.all("select_and_scatter")[..] else {
        panic!(
            "{} select_and_scatter",
            view.all("select_and_scatter").len()
        );
    };
    let [pool] = view.all("reduce_window")[..] else {
        panic!("one pool")
    };
    assert_eq!(scatter.operands[0], pool.operands[0], "both read the relu");
    assert_eq!(view.splat(scatter.operands[2]), Some(0.0));
    let (Op::SelectAndScatter { window: back }, Op::ReduceWindow { reducer, window }) =
        (&scatter.op, &pool.op)
    else {
        panic!("no windows");
    };
    assert_eq!((back, *reducer), (window, Reducer::Max));
    assert_eq!(view.splat(pool.operands[1]), Some(f64::NEG_INFINITY));
}

#[test]
fn convolutions_are_two_forward_two_for_kernels_and_one_for_an_input() {
    let step = step();
    let view = View::new(&step);
    let (image, w1, w2) = (
        view.argument("image"),
        view.argument("conv1.weight"),
        view.argument("conv2.weight"),
    );
    let (mut forward, mut kernels, mut inputs) = (0, 0, 0);
    for i in view.all("convolution") {
        let conv = convolution(i);
        let [x, w] = i.operands[..] else {
            panic!("two operands")
        };
        let y = view.shape(i.result);
        assert_eq!(conv.feature_group_count * conv.batch_group_count, 1);
        // conv1 has no input gradient.
        assert_ne!(y, view.shape(image), "a convolution gives an image");
        if w == w1 || w == w2 {
            assert_eq!(conv.dims, ConvolutionDims::nchw(2));
            assert_eq!(x == image, w == w1);
            forward += 1;
        } else if let Some(&[transposed]) = view.operands_of(w, "reverse") {
            assert_eq!(
                view.definition(w).unwrap().op,
                Op::Reverse { dims: vec![2, 3] }
            );
            assert_eq!(view.operands_of(transposed, "transpose"), Some(&[w2][..]));
            let permutation = vec![1, 0, 2, 3];
            assert_eq!(
                view.definition(transposed).unwrap().op,
                Op::Transpose { permutation }
            );
            assert_eq!(conv.dims, ConvolutionDims::nchw(2));
            assert_eq!(y, [BATCH, 32, 28, 28]);
            inputs += 1;
        } else {
            assert_eq!(conv.dims, swapped());
            let parameter = if x == image { w1 } else { w2 };
            assert_eq!(y, view.shape(parameter));
            assert_eq!(
                view.shape(w),
                [BATCH, 32, 28, 28],
                "the kernel is a cotangent"
            );
            kernels += 1;
        }
    }
    assert_eq!((forward, kernels, inputs), (2, 2, 1));
}

#[test]
fn relu_masks_are_comparisons_with_zero_and_a_choice() {
    let step = step();
    let view = View::new(&step);
    let masks: Vec<&Instruction> = step
        .body
        .iter()
        .filter(|i| i.op == Op::Compare(Direction::Gt))
        .collect();
    let mut relus = Vec::new();
    for i in step
        .body
        .iter()
        .filter(|i| i.op == Op::Binary(BinaryOp::Maximum))
    {
        assert_eq!(view.splat(i.operands[1]), Some(0.0));
        relus.push(i.operands[0]);
    }
    let masked: Vec<Value> = masks.iter().map(|m| m.operands[0]).collect();
    assert_eq!(masked.len(), 4);
    assert!(relus.len() == 4 && relus.iter().all(|x| masked.contains(x)));
    for mask in masks {
        assert_eq!(view.splat(mask.operands[1]), Some(0.0));
        let users: Vec<&Instruction> = step
            .body
            .iter()
            .filter(|i| i.operands.contains(&mask.result))
            .collect();
        let [choice] = users[..] else {
            panic!("{} users of a mask", users.len())
        };
        assert_eq!((&choice.op, choice.operands[0]), (&Op::Select, mask.result));
        assert_eq!(view.splat(choice.operands[2]), Some(0.0));
    }
}

/// (softmax - one_hot) / N.
#[test]
fn the_loss_head_is_softmax_minus_one_hot() {
    let step = step();
    let view = View::new(&step);
    // The gradient of the last bias sums it over the batch.
    let bias = &step.outputs[9];
    let update = view.operands_of(bias.value, "subtract").unwrap()[1];
    let gradient = view.operands_of(update, "multiply").unwrap()[1];
    let head = view.operands_of(gradient, "reduce").unwrap()[0];
    let [difference, count] = *view.operands_of(head, "divide").unwrap() else {
        panic!()
    };
    assert_eq!(view.splat(count), Some(BATCH as f64));
    let [softmax, one_hot] = *view.operands_of(difference, "subtract").unwrap() else {
        panic!()
    };

    let [e, sums] = *view.operands_of(softmax, "divide").unwrap() else {
        panic!()
    };
    assert_eq!(view.definition(e).unwrap().op.name(), "exponential");
    let sum = view.operands_of(sums, "broadcast_in_dim").unwrap()[0];
    assert_eq!(view.operands_of(sum, "reduce").unwrap()[0], e);
    let across = Op::Reduce {
        reducer: Reducer::Add,
        dims: vec![1],
    };
    assert_eq!(view.definition(sum).unwrap().op, across);

    let [is_label, one, zero] = *view.operands_of(one_hot, "select").unwrap() else {
        panic!()
    };
    assert_eq!((view.splat(one), view.splat(zero)), (Some(1.0), Some(0.0)));
    let [column, label] = *view.operands_of(is_label, "compare").unwrap() else {
        panic!()
    };
    assert_eq!(
        view.definition(is_label).unwrap().op,
        Op::Compare(Direction::Eq)
    );
    assert_eq!(view.definition(column).unwrap().op.name(), "iota");
    let label = view.operands_of(label, "broadcast_in_dim").unwrap();
    assert_eq!(label, [view.argument("label")]);
}

/// No derivative is found by comparing a tensor with its own maximum, tiled or
/// broadcast: that would share a cotangent among ties. The one comparison of
/// this kind counts correct answers.
#[test]
fn only_the_count_of_correct_answers_compares_with_a_maximum() {
    let step = step();
    let view = View::new(&step);
    let of_floats = |i: &&Instruction| {
        i.op == Op::Compare(Direction::Eq) && step.ty(i.operands[0]).element == ElementType::F32
    };
    let comparisons: Vec<&Instruction> = step.body.iter().filter(of_floats).collect();
    let [comparison] = comparisons[..] else {
        panic!("{} comparisons", comparisons.len())
    };
    let largest = view
        .operands_of(comparison.operands[1], "broadcast_in_dim")
        .unwrap()[0];
    assert_eq!(
        view.operands_of(largest, "reduce").unwrap()[0],
        comparison.operands[0]
    );

    let mut reached = vec![false; step.value_count()];
    reached[comparison.result.index()] = true;
    for i in &step.body {
        reached[i.result.index()] |= i.operands.iter().any(|o| reached[o.index()]);
    }
    let reached: Vec<&str> = step
        .outputs
        .iter()
        .filter(|o| reached[o.value.index()])
        .map(|o| o.name.as_deref().unwrap_or_default())
        .collect();
    assert_eq!(reached, ["correct"]);
}

#[test]
fn the_pullback_has_one_gradient_per_parameter_and_no_loss() {
    let module = unit("mnist_cnn").portable(BATCH, &["pullback"]).unwrap();
    let pullback = &module.functions[0];
    let outputs: Vec<&str> = pullback
        .outputs
        .iter()
        .map(|o| o.name.as_deref().unwrap_or_default())
        .collect();
    assert_eq!(outputs, PARAMETERS.map(|name| format!("{name}.gradient")));
    let view = View::new(pullback);
    assert_eq!(view.shape(view.argument("cotangent")), [BATCH, 10]);
    for (name, output) in PARAMETERS.iter().zip(&pullback.outputs) {
        assert_eq!(
            view.shape(output.value),
            view.shape(view.argument(name)),
            "{name}"
        );
    }
    assert!(
        view.all("exponential").is_empty(),
        "the softmax belongs to the loss"
    );
}
