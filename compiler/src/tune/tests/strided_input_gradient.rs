use super::{assert_kept, nhwc, plain, tuned, ty};
use crate::autodiff;
use crate::simplify::simplify;
use crate::simplify::tests::{function, names};
use crate::stablehlo::{Convolution, ConvolutionDims, Function};
use crate::tune::strided_input_gradient::run;

fn convolution(x: &[i64], w: &[i64], conv: &Convolution) -> Function {
    function([ty(x), ty(w)], |b, [x, w]| {
        b.convolution(x, w, conv.clone())
    })
}

/// What reverse mode gives for the input of a convolution: arguments kernel
/// and cotangent.
fn gradient(x: &[i64], w: &[i64], conv: &Convolution) -> Function {
    let forward = convolution(x, w, conv);
    let pullback = autodiff::pullback(&forward, &[0], "f", "dx").unwrap();
    simplify(&pullback).unwrap()
}

fn count(f: &Function, name: &str) -> usize {
    names(f).iter().filter(|n| **n == name).count()
}

#[test]
fn strided_input_gradient() {
    // Kernels smaller and larger than the stride, images that the stride
    // divides and others, asymmetric padding.
    let padding = [[[0, 0], [0, 0]], [[1, 1], [0, 1]], [[0, 2], [2, 1]]];
    for (kernel, strides) in [
        ([3, 3], [2, 2]),
        ([2, 4], [3, 2]),
        ([1, 3], [2, 1]),
        ([5, 1], [2, 3]),
    ] {
        for padding in padding {
            let conv = Convolution {
                strides: strides.to_vec(),
                padding: padding.to_vec(),
                ..plain(nhwc())
            };
            let [h, w] = kernel;
            for size in [[6, 8], [7, 5]] {
                let f = gradient(&[2, size[0], size[1], 2], &[h, w, 2, 3], &conv);
                assert_eq!(count(&f, "convolution"), 1);
                let after = tuned(run, &f);
                assert_eq!(
                    (count(&after, "convolution"), count(&after, "dot_general")),
                    (0, 1)
                );
            }
        }
    }
}

/// Dimensions in any order, and taps that are apart: with a distance of 2 and
/// a stride of 2 every tap meets the same phase, with one of 3 all do.
#[test]
fn strided_input_gradient_of_dilated_kernels() {
    for dilation in [[2, 2], [3, 2], [1, 4]] {
        let conv = Convolution {
            strides: vec![2, 2],
            rhs_dilation: dilation.to_vec(),
            padding: vec![[1, 0], [2, 3]],
            ..plain(ConvolutionDims::nchw(2))
        };
        let after = tuned(run, &gradient(&[2, 2, 9, 8], &[3, 2, 2, 3], &conv));
        assert_eq!(count(&after, "dot_general"), 1);
    }
}

/// One phase is met: its cells are padded apart.
#[test]
fn strided_input_gradient_of_one_tap() {
    for ([h, w], strides) in [([8, 8], [2, 2]), ([7, 6], [2, 3]), ([5, 7], [4, 1])] {
        let conv = Convolution {
            strides: strides.to_vec(),
            ..plain(nhwc())
        };
        let after = tuned(run, &gradient(&[2, h, w, 3], &[1, 1, 3, 2], &conv));
        assert_eq!(count(&after, "concatenate"), 0);
        assert_eq!(count(&after, "dot_general"), 1);
    }
}

/// Any padding, also where windows lie in it alone or the image is cropped.
#[test]
fn strided_input_gradient_beside_the_image() {
    for padding in [[-1, 3], [4, -2], [-3, 8], [9, 0], [0, 9]] {
        let conv = Convolution {
            lhs_dilation: vec![2, 3],
            padding: vec![padding, [1, 2]],
            ..plain(nhwc())
        };
        let f = convolution(&[1, 3, 2, 2], &[2, 3, 2, 2], &conv);
        assert_eq!(count(&tuned(run, &f), "convolution"), 0);
    }
}

#[test]
fn strided_input_gradient_keeps_what_it_does_not_cover() {
    let with = |change: &dyn Fn(&mut Convolution), w: [i64; 4]| {
        let mut conv = plain(nhwc());
        conv.lhs_dilation = vec![2, 2];
        change(&mut conv);
        convolution(&[2, 5, 5, 4], &w, &conv)
    };
    for f in [
        with(&|c| c.lhs_dilation = vec![1, 1], [3, 3, 4, 2]),
        with(&|c| c.strides[1] = 2, [3, 3, 4, 2]),
        with(&|c| c.feature_group_count = 2, [3, 3, 2, 2]),
        with(&|c| c.batch_group_count = 2, [3, 3, 4, 2]),
        with(&|_| {}, [6, 6, 4, 2]),
        with(&|_| {}, [3, 3, 4, 0]),
    ] {
        assert_kept(run, &f);
    }
}
