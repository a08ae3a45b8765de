use super::{assert_kept, nhwc, plain, tuned, ty};
use crate::autodiff;
use crate::simplify::simplify;
use crate::simplify::tests::{function, names};
use crate::stablehlo::{Convolution, ConvolutionDims, Function, Module, Op, Result};
use crate::tune::{Options, weight_gradient};

fn run(module: &Module) -> Result<Module> {
    weight_gradient::run(module, &Options::default())
}

/// What reverse mode gives for the kernel of a convolution: arguments image
/// and cotangent.
fn gradient(x: &[i64], w: &[i64], conv: &Convolution) -> Function {
    let forward = function([ty(x), ty(w)], |b, [x, w]| {
        b.convolution(x, w, conv.clone())
    });
    let pullback = autodiff::pullback(&forward, &[1], "f", "dy").unwrap();
    let pullback = simplify(&pullback).unwrap();
    assert_eq!(names(&pullback), ["convolution"]);
    pullback
}

/// How many dot products there are, and of how many batching dimensions.
fn dots(function: &Function) -> (usize, usize) {
    let batching = function.body.iter().filter_map(|i| match &i.op {
        Op::DotGeneral(dot) => Some(dot.lhs_batch.len()),
        _ => None,
    });
    let batching: Vec<usize> = batching.collect();
    (batching.len(), batching.first().copied().unwrap_or(0))
}

fn assert_dots(x: &[i64], w: &[i64], conv: &Convolution, expected: (usize, usize)) {
    let after = tuned(run, &gradient(x, w, conv));
    assert!(!names(&after).contains(&"convolution"));
    assert_eq!(dots(&after), expected, "{conv:?}");
}

#[test]
fn weight_gradient() {
    // One channel: the taps become channels of one dot.
    let padded = Convolution {
        padding: vec![[1, 1], [0, 2]],
        ..plain(nhwc())
    };
    assert_dots(&[2, 5, 6, 1], &[3, 2, 1, 4], &padded, (1, 1));
    let spread = Convolution {
        strides: vec![2, 3],
        rhs_dilation: vec![2, 1],
        ..padded.clone()
    };
    assert_dots(&[2, 6, 9, 1], &[2, 2, 1, 4], &spread, (1, 1));
    // Stride 1: one dot per tap, over the pixels as one axis.
    assert_dots(&[2, 5, 6, 3], &[3, 2, 3, 4], &padded, (6, 1));
    let dilated = Convolution {
        rhs_dilation: vec![2, 1],
        ..padded
    };
    assert_dots(&[2, 5, 6, 3], &[2, 2, 3, 4], &dilated, (4, 1));
    // NCHW, where reverse mode gives other dimension numbers.
    let nchw = plain(ConvolutionDims::nchw(2));
    assert_dots(&[2, 3, 5, 6], &[4, 3, 2, 2], &nchw, (4, 1));
}

#[test]
fn weight_gradient_strided() {
    let conv = Convolution {
        strides: vec![2, 1],
        padding: vec![[0, 1], [1, 1]],
        ..plain(nhwc())
    };
    assert_dots(&[2, 17, 9, 3], &[2, 3, 3, 4], &conv, (6, 2));
    assert_dots(&[2, 5, 6, 3], &[2, 3, 3, 4], &conv, (1, 0));
    let dilated = Convolution {
        strides: vec![2, 3],
        rhs_dilation: vec![3, 1],
        ..conv
    };
    assert_dots(&[1, 18, 27, 3], &[2, 2, 3, 4], &dilated, (4, 2));
    assert_dots(&[2, 8, 9, 3], &[2, 2, 3, 4], &dilated, (1, 0));
}

#[test]
fn weight_gradient_grouped() {
    for stride in [1, 2] {
        let features = Convolution {
            strides: vec![stride; 2],
            feature_group_count: 2,
            ..plain(nhwc())
        };
        assert_dots(&[2, 6, 6, 4], &[2, 2, 2, 6], &features, (4, 2));
        let batches = Convolution {
            batch_group_count: 2,
            feature_group_count: 1,
            ..features
        };
        assert_dots(&[4, 6, 6, 3], &[2, 2, 3, 4], &batches, (4, 2));
    }
}

/// As many groups as channels: products and sums.
#[test]
fn weight_gradient_depthwise() {
    for (stride, dilation, outputs) in [(1, 1, 3), (2, 1, 3), (1, 2, 6), (2, 2, 9)] {
        let depthwise = Convolution {
            strides: vec![stride, 1],
            rhs_dilation: vec![dilation, 1],
            padding: vec![[1, 0], [0, 2]],
            feature_group_count: 3,
            ..plain(nhwc())
        };
        let (x, w) = ([2, 6, 6, 3], [3, 2, 1, outputs]);
        let after = tuned(run, &gradient(&x, &w, &depthwise));
        let count = |name| names(&after).iter().filter(|n| **n == name).count();
        assert_eq!((count("convolution"), count("dot_general")), (0, 0));
        assert_eq!(count("multiply"), 6);
    }
}

/// A convolution of NHWC whose features are its batch, with a kernel NHWC and a
/// result HWIO.
fn backward(x: [i64; 4], dy: [i64; 4], change: &dyn Fn(&mut Convolution)) -> Function {
    let mut conv = plain(ConvolutionDims {
        input_feature: 0,
        input_spatial: vec![1, 2],
        input_batch: 3,
        kernel_input: 0,
        kernel_spatial: vec![1, 2],
        kernel_output: 3,
        output_spatial: vec![0, 1],
        output_batch: 2,
        output_feature: 3,
    });
    change(&mut conv);
    function([ty(&x), ty(&dy)], |b, [x, dy]| b.convolution(x, dy, conv))
}

#[test]
fn weight_gradient_of_any_size() {
    // Fewer, as many and more positions than taps.
    for size in [2, 3, 4] {
        let f = backward([2, 5, 5, 3], [2, size, size, 4], &|_| {});
        assert_eq!(dots(&tuned(run, &f)), (1, 0));
    }
    let f = backward([2, 6, 6, 3], [2, 5, 5, 4], &|_| {});
    assert_eq!(dots(&tuned(run, &f)), (4, 1));
}

#[test]
fn weight_gradient_keeps_what_it_does_not_cover() {
    let (x, dy) = ([1, 5, 5, 2], [1, 4, 4, 3]);
    for f in [
        // 17 x 17 taps.
        backward([1, 35, 35, 1], [1, 19, 19, 1], &|_| {}),
        backward([1, 1, 5, 2], dy, &|c| c.lhs_dilation = vec![5, 1]),
        backward(x, dy, &|c| c.window_reversal[0] = true),
        backward([1, 6, 5, 2], dy, &|c| c.padding[0][1] = -1),
        // Nothing comes out.
        backward([1, 3, 5, 2], dy, &|_| {}),
        // A forward pass, though its kernel is larger than its result.
        function([ty(&[2, 5, 5, 2]), ty(&[4, 4, 2, 3])], |b, [x, w]| {
            b.convolution(x, w, plain(nhwc()))
        }),
    ] {
        assert_kept(run, &f);
    }
}
