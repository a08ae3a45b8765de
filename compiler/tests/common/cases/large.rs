//! Operations at sizes and shapes that have gone wrong elsewhere.

use cnnc::autodiff;
use cnnc::reference::Tensor;
use cnnc::stablehlo::{
    Builder, Convolution, ConvolutionDims, Function, Op, Reducer, Result, TensorType, UnaryOp,
    Value, Window,
};

/// Runs a function: on IREE, or in the interpreter.
pub type Run<'a> = &'a dyn Fn(Function, &[Tensor<f32>]) -> Vec<Tensor<f32>>;

/// A name, and what is checked.
pub type Check = (&'static str, fn(Run<'_>));

/// Every case by name.
pub const ALL: [Check; 8] = [
    ("bug_02_pool_of_480_negative_channels", pool_of_480_channels),
    (
        "bug_22_c_depthwise_of_256_channels",
        depthwise_of_256_channels,
    ),
    ("bug_29_a_same_padding_on_8x8", same_padding_on_8x8),
    ("bug_29_b_the_stem_of_a_resnet", stem_of_a_resnet),
    ("bug_29_c_two_strides", two_strides),
    ("bug_30_a_odd_rows_of_225x225", odd_rows_of_225x225),
    (
        "bug_31_softmax_over_1960_classes",
        softmax_over_1960_classes,
    ),
    ("bug_39_b_constant_channels", constant_channels),
];

fn tensor(shape: impl Into<Vec<i64>>, value: impl Fn(usize) -> f32) -> Tensor<f32> {
    let ty = TensorType::f32(shape);
    let values = (0..ty.elements() as usize).map(value).collect();
    Tensor::numbers(ty, values).expect("a tensor")
}

/// A function of f32 tensors of these shapes.
fn function<const N: usize>(
    shapes: [&[i64]; N],
    build: impl FnOnce(&mut Builder, [Value; N]) -> Result<Value>,
) -> Function {
    let mut b = Builder::named("case");
    let x = shapes.map(|shape| b.function.argument(None, TensorType::f32(shape)));
    let y = build(&mut b, x).expect("a function");
    b.function.output(Some("y"), y);
    b.function
}

fn pullback(function: &Function) -> Function {
    let all: Vec<usize> = (0..function.arguments.len()).collect();
    autodiff::pullback(function, &all, "pullback", "cotangent").expect("a pullback")
}

const CHANNELS: usize = 480;
const SIZE: usize = 28;

/// Negative everywhere, so that padding of 0 would win, with many ties.
fn cell(channel: usize, row: usize, column: usize) -> f32 {
    -1.0 - ((7 * channel + 3 * row + 5 * column) % 11) as f32
}

/// Value and place of the first maximum of a window.
fn first_maximum(channel: usize, row: usize, column: usize) -> (f32, [usize; 2]) {
    let mut best = (f32::NEG_INFINITY, [0, 0]);
    for i in 2 * row..(2 * row + 3).min(SIZE) {
        for j in 2 * column..(2 * column + 3).min(SIZE) {
            if cell(channel, i, j) > best.0 {
                best = (cell(channel, i, j), [i, j]);
            }
        }
    }
    best
}

/// 3x3, stride 2, padded as `same`: a row and a column after.
pub fn pool_of_480_channels(run: Run<'_>) {
    let shape = |size: usize| [1, CHANNELS as i64, size as i64, size as i64];
    let pool = function([&shape(SIZE)], |b, [x]| {
        let window = Window {
            size: vec![1, 1, 3, 3],
            strides: vec![1, 1, 2, 2],
            padding: vec![[0, 0], [0, 0], [0, 1], [0, 1]],
            ..Window::unit(4)
        };
        b.reduce_window(Reducer::Max, x, window)
    });
    let x = tensor(shape(SIZE), |i| {
        let place = i % (SIZE * SIZE);
        cell(i / (SIZE * SIZE), place / SIZE, place % SIZE)
    });
    let out = SIZE / 2;
    let (mut y, mut dy) = (Vec::new(), Vec::new());
    let mut dx = vec![0.0f32; CHANNELS * SIZE * SIZE];
    for channel in 0..CHANNELS {
        for i in 0..out * out {
            let (value, [row, column]) = first_maximum(channel, i / out, i % out);
            y.push(value);
            dy.push((i % 7) as f32 + 1.0);
            dx[(channel * SIZE + row) * SIZE + column] += (i % 7) as f32 + 1.0;
        }
    }
    let found = run(pool.clone(), std::slice::from_ref(&x));
    assert!(found[0].as_numbers() == y, "values differ");
    let found = run(pullback(&pool), &[x, tensor(shape(out), |i| dy[i])]);
    assert!(found[0].as_numbers() == dx, "gradients differ");
}

/// A convolution with equal padding on all sides.
pub fn convolution(x: [i64; 4], w: [i64; 4], strides: [i64; 2], pad: i64, groups: i64) -> Function {
    function([&x, &w], |b, [x, w]| {
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
        b.convolution(x, w, conv)
    })
}

/// Asserts that a convolution of ones by weights of k in output channel k is
/// `value(k, row, column)` in every image.
fn check(
    run: Run<'_>,
    function: Function,
    weight: impl Fn(usize) -> f32,
    value: impl Fn(usize, usize, usize) -> f32,
) {
    let shapes: Vec<Vec<i64>> = function
        .arguments
        .iter()
        .map(|a| function.ty(a.value).shape.clone())
        .collect();
    let each: i64 = shapes[1][1..].iter().product();
    let x = tensor(shapes[0].clone(), |_| 1.0);
    let w = tensor(shapes[1].clone(), |i| weight(i / each as usize));
    let y = run(function, &[x, w]);
    let [_, channels, height, width] = y[0].ty().shape[..] else {
        panic!("{}", y[0].ty());
    };
    let (channels, height, width) = (channels as usize, height as usize, width as usize);
    for (i, &found) in y[0].as_numbers().iter().enumerate() {
        let (row, column) = (i / width % height, i % width);
        let channel = i / width / height % channels;
        assert_eq!(
            found,
            value(channel, row, column),
            "channel {channel}, row {row}, column {column}"
        );
    }
}

/// All ones: an output counts the cells under its window.
fn check_ones(run: Run<'_>, function: Function, count: impl Fn(usize, usize) -> f32) {
    check(run, function, |_| 1.0, |_, row, column| count(row, column));
}

fn depthwise_of_256_channels(run: Run<'_>) {
    let function = convolution([1, 256, 112, 112], [256, 1, 3, 3], [2, 2], 1, 256);
    check_ones(run, function, |row, column| match (row, column) {
        (0, 0) => 4.0,
        (0, _) | (_, 0) => 6.0,
        _ => 9.0,
    });
}

fn same_padding_on_8x8(run: Run<'_>) {
    let function = convolution([2, 3, 8, 8], [16, 3, 3, 3], [1, 1], 1, 1);
    check_ones(run, function, |row, column| {
        let edge = |i| i == 0 || i == 7;
        match (edge(row), edge(column)) {
            (true, true) => 12.0,
            (false, false) => 27.0,
            _ => 18.0,
        }
    });
}

fn stem_of_a_resnet(run: Run<'_>) {
    let function = convolution([1, 3, 224, 224], [64, 3, 7, 7], [2, 2], 3, 1);
    // Windows begin at 2 i - 3: the first two and the last one stick out.
    let covered = |i: usize| match i {
        0 => 4.0,
        1 => 6.0,
        111 => 5.0,
        _ => 7.0,
    };
    check_ones(run, function, |row, column| {
        3.0 * covered(row) * covered(column)
    });
}

fn two_strides(run: Run<'_>) {
    let function = convolution([1, 2, 9, 6], [4, 2, 3, 3], [2, 1], 0, 1);
    check_ones(run, function, |_, _| 18.0);
}

fn odd_rows_of_225x225(run: Run<'_>) {
    let function = convolution([1, 3, 225, 225], [32, 3, 3, 3], [2, 2], 0, 1);
    check(run, function, |k| k as f32, |k, _, _| 27.0 * k as f32);
}

/// A dense layer and a softmax, each of 1960, and their gradients. All rows of
/// the weight are alike, so that the softmax is 1/1960 everywhere.
fn softmax_over_1960_classes(run: Run<'_>) {
    let (batch, size) = (100, 1960);
    let softmax = function([&[batch, size], &[size, size]], |b, [x, w]| {
        let z = b.dot(x, w, &[1], &[0])?;
        let shape = b.shape(z);
        let largest = b.reduce(Reducer::Max, z, &[1])?;
        let largest = b.stop_gradient(largest);
        let largest = b.broadcast(largest, &[0], &shape)?;
        let shifted = b.subtract(z, largest)?;
        let e = b.exponential(shifted)?;
        let sum = b.sum(e, &[1])?;
        let sum = b.broadcast(sum, &[0], &shape)?;
        b.divide(e, sum)
    });
    let x = tensor([batch, size], |i| if i % 1960 < 3 { 1.0 } else { 0.0 });
    let w = tensor([size, size], |i| ((i / 1960) % 5) as f32);
    let p = 1.0 / 1960.0;
    let near = |found: f32, expected: f32| (found - expected).abs() < 1e-9;
    let found = run(softmax.clone(), &[x.clone(), w.clone()]);
    assert!(found[0].as_numbers().iter().all(|&v| near(v, p)));
    // By the first class alone: p (1 - p) for its logit, -p p for the others,
    // times the image, and summed over the batch for the weight.
    let dy = tensor([batch, size], |i| if i % 1960 == 0 { 1.0 } else { 0.0 });
    let found = run(pullback(&softmax), &[x, w, dy]);
    let sum = |row: usize| (row % 5) as f32 * (p * (1.0 - p) - 1959.0 * p * p);
    let dx = found[0].as_numbers();
    assert!((0..1960).all(|i| (dx[i] - sum(i)).abs() < 1e-6));
    for (i, &found) in found[1].as_numbers().iter().enumerate() {
        let own = if i % 1960 == 0 { p * (1.0 - p) } else { -p * p };
        let expected = if i / 1960 < 3 { 100.0 * own } else { 0.0 };
        assert!((found - expected).abs() < 1e-6, "{i}: {found}, {expected}");
    }
}

/// A mean that is an ulp off must not be blown up by 1 / eps^(1/2): 0.1
/// everywhere, whose variance is 0.
fn constant_channels(run: Run<'_>) {
    let shape = [2, 32, 28, 28];
    let norm = function([&shape], |b, [x]| {
        let mean = |b: &mut Builder, x| {
            let sum = b.sum(x, &[0, 2, 3])?;
            let count = b.splat_like(2.0 * 28.0 * 28.0, sum)?;
            b.divide(sum, count)
        };
        let average = mean(b, x)?;
        let average = b.broadcast(average, &[1], &shape)?;
        let centred = b.subtract(x, average)?;
        let square = b.multiply(centred, centred)?;
        let variance = mean(b, square)?;
        let eps = b.splat_like(1e-5, variance)?;
        let variance = b.add(variance, eps)?;
        let scale = b.push(Op::Unary(UnaryOp::Rsqrt), &[variance])?;
        let scale = b.broadcast(scale, &[1], &shape)?;
        b.multiply(centred, scale)
    });
    let x = tensor(shape, |_| 0.1);
    let y = run(norm.clone(), std::slice::from_ref(&x));
    let numbers = y[0].as_numbers().iter();
    let largest = numbers.fold(0.0f32, |max, v| max.max(v.abs()));
    assert!(largest < 1e-2, "{largest}");
    // A cotangent c that depends on the row: dx is (c - mean c) / eps^(1/2).
    let cotangent = |i: usize| ((i / 28 % 28) as f32 - 13.5) / 16.0;
    let dx = run(pullback(&norm), &[x, tensor(shape, cotangent)]);
    for (i, &found) in dx[0].as_numbers().iter().enumerate() {
        let expected = cotangent(i) * 1e-5f32.powf(-0.5);
        assert!((found - expected).abs() < 0.5, "{i}: {found}, {expected}");
    }
}
