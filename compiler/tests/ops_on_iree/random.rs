//! Random convolutions and pools of small integers against the reference
//! interpreter. Every intermediate value is an integer below 2^24, so that
//! f32 must give it to the bit in whatever order it is summed.

use super::checks::run;
use super::common::ops::{Array, Case};
use super::common::random::Random;
use cnnc::autodiff;
use cnnc::reference::{self, Tensor};
use cnnc::stablehlo::{
    Builder, Convolution, ConvolutionDims, Function, Op, Reducer, TensorType, Window,
};

const CONVOLUTIONS: u64 = 60;
const POOLS: u64 = 30;

fn draw(random: &mut Random, shape: &[i64]) -> Array {
    let count: i64 = shape.iter().product();
    Array {
        shape: shape.to_vec(),
        data: (0..count).map(|_| random.integer(-3, 3) as f64).collect(),
    }
}

fn tensor(array: &Array) -> Tensor<f64> {
    Tensor::from_f64(TensorType::f32(array.shape.clone()), &array.data).expect("a tensor")
}

fn array(tensor: &Tensor<f64>) -> Array {
    Array {
        shape: tensor.ty().shape.clone(),
        data: tensor.to_f64(),
    }
}

/// A case with the interpreter's values and gradients.
fn case(random: &mut Random, op: &str, name: String, function: Function) -> Case {
    let shapes = function
        .arguments
        .iter()
        .map(|a| function.ty(a.value).shape.clone());
    let inputs: Vec<Array> = shapes.map(|shape| draw(random, &shape)).collect();
    let mut tensors: Vec<Tensor<f64>> = inputs.iter().map(tensor).collect();
    let output = array(&reference::run(&function, &tensors).expect("values")[0]);
    let arguments: Vec<usize> = (0..inputs.len()).collect();
    let pullback = autodiff::pullback(&function, &arguments, "pullback", "cotangent");
    let cotangent = pullback.is_ok().then(|| draw(random, &output.shape));
    tensors.extend(cotangent.iter().map(tensor));
    let gradients = match pullback {
        Ok(pullback) => reference::run(&pullback, &tensors).expect("gradients"),
        Err(_) => Vec::new(),
    };
    let gradients: Vec<Array> = gradients.iter().map(array).collect();
    for value in gradients.iter().chain([&output]).flat_map(|a| &a.data) {
        assert!(
            value.fract() == 0.0 && value.abs() < 16_777_216.0,
            "{name}: {value}"
        );
    }
    Case {
        name,
        op: op.to_owned(),
        function,
        inputs,
        output,
        cotangent,
        gradients,
        exact: true,
        tolerance: 0.0,
    }
}

/// A function of one operation; none if the operands do not fit it.
fn function(op: Op, shapes: &[Vec<i64>], constant: Option<f64>) -> Option<Function> {
    let mut b = Builder::named("case");
    let mut operands = Vec::new();
    for (i, shape) in shapes.iter().enumerate() {
        let ty = TensorType::f32(shape.clone());
        operands.push(b.function.argument(Some(&format!("x{i}")), ty));
    }
    if let Some(value) = constant {
        operands.push(b.scalar_like(value, operands[0]).ok()?);
    }
    let y = b.push(op, &operands).ok()?;
    if b.ty(y).elements() == 0 {
        return None;
    }
    b.function.output(Some("y"), y);
    Some(b.function)
}

/// 1, or now and then something else up to `most`.
fn mostly_one(random: &mut Random, most: i64) -> i64 {
    if random.integer(0, 4) == 0 {
        random.integer(2, most)
    } else {
        1
    }
}

/// `sizes` of NCHW or OIHW in another order of dimensions.
fn stored(sizes: [i64; 4], order: &[usize]) -> Vec<i64> {
    let mut shape = vec![0; 4];
    for (dim, &size) in order.iter().zip(&sizes) {
        shape[*dim] = size;
    }
    shape
}

/// A convolution: strides, dilations of both operands, any padding, reversal,
/// groups of features or of the batch, and any order of dimensions.
fn convolution(random: &mut Random) -> Option<Function> {
    let groups = mostly_one(random, 3);
    let of_batch = random.integer(0, 3) == 0;
    let (feature_groups, batch_groups) = if of_batch { (1, groups) } else { (groups, 1) };
    let channels = random.integer(1, 4);
    let outputs = groups * random.integer(1, 4);
    let pair = |random: &mut Random, least: i64, most: i64| {
        vec![random.integer(least, most), random.integer(least, most)]
    };
    let pads = |random: &mut Random| [random.integer(-1, 3), random.integer(-1, 3)];
    let image = pair(random, 3, 9);
    let kernel = pair(random, 1, 4);
    let conv = Convolution {
        dims: ConvolutionDims::nchw(2),
        strides: pair(random, 1, 3),
        padding: vec![pads(random), pads(random)],
        lhs_dilation: vec![mostly_one(random, 3), mostly_one(random, 2)],
        rhs_dilation: vec![mostly_one(random, 2), mostly_one(random, 3)],
        window_reversal: vec![random.integer(0, 5) == 0, random.integer(0, 5) == 0],
        feature_group_count: feature_groups,
        batch_group_count: batch_groups,
    };
    let natural: Vec<usize> = (0..4).collect();
    let mut order = || {
        if random.integer(0, 2) == 0 {
            random.permutation(4)
        } else {
            natural.clone()
        }
    };
    let [x, w, y] = [order(), order(), order()];
    let batch = batch_groups * random.integer(1, 3);
    let shapes = [
        stored([batch, feature_groups * channels, image[0], image[1]], &x),
        stored([outputs, channels, kernel[0], kernel[1]], &w),
    ];
    let dims = ConvolutionDims {
        input_batch: x[0],
        input_feature: x[1],
        input_spatial: x[2..].to_vec(),
        kernel_output: w[0],
        kernel_input: w[1],
        kernel_spatial: w[2..].to_vec(),
        output_batch: y[0],
        output_feature: y[1],
        output_spatial: y[2..].to_vec(),
    };
    function(Op::Convolution(Convolution { dims, ..conv }), &shapes, None)
}

/// A pool: maximum or sum, over two or three dimensions; sums with dilations.
fn pool(random: &mut Random) -> Option<Function> {
    let reducer = random.choose(&[Reducer::Max, Reducer::Max, Reducer::Add]);
    let mut window = Window::unit(4);
    let order = if random.integer(0, 2) == 0 {
        random.permutation(4)
    } else {
        (0..4).collect()
    };
    for (place, &d) in order.iter().enumerate().skip(1) {
        // The channels of an image are pooled now and then.
        if place == 1 && random.integer(0, 5) != 0 {
            continue;
        }
        let size = random.integer(1, 5);
        window.size[d] = size;
        window.strides[d] = random.integer(1, 4);
        window.padding[d] = [random.integer(0, size - 1), random.integer(0, size - 1)];
        if reducer == Reducer::Add {
            window.window_dilations[d] = mostly_one(random, 2);
            window.base_dilations[d] = mostly_one(random, 2);
        }
    }
    let shape = stored(
        [
            random.integer(1, 2),
            random.integer(1, 5),
            random.integer(3, 10),
            random.integer(3, 10),
        ],
        &order,
    );
    let neutral = if reducer == Reducer::Max {
        f64::NEG_INFINITY
    } else {
        0.0
    };
    function(
        Op::ReduceWindow { reducer, window },
        &[shape],
        Some(neutral),
    )
}

/// `count` cases, each drawn from seeds of its own until one fits.
fn cases(what: &str, count: u64, build: fn(&mut Random) -> Option<Function>) -> Vec<Case> {
    let case = |number: u64| {
        let mut random = Random::new(number + 1);
        let function = (0..1000)
            .find_map(|_| build(&mut random))
            .expect("one fits");
        case(&mut random, what, format!("{what}_{number}"), function)
    };
    (0..count).map(case).collect()
}

pub fn convolutions() -> Vec<Case> {
    cases("convolution", CONVOLUTIONS, convolution)
}

pub fn pools() -> Vec<Case> {
    cases("pool", POOLS, pool)
}

#[test]
fn convolutions_equal_the_interpreter() {
    run(60, &convolutions());
}

#[test]
fn pools_equal_the_interpreter() {
    run(30, &pools());
}
