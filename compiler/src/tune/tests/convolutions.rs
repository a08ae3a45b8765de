use super::{assert_kept, nhwc, passed, plain, tuned, ty};
use crate::simplify::tests::{function, names, text};
use crate::stablehlo::{Convolution, ConvolutionDims, Function, Module, Op, Result};
use crate::tune::{Options, explicit_convolution, single_channel};

fn products(module: &Module) -> Result<Module> {
    single_channel::run(module, &Options::default())
}

fn explicit(module: &Module) -> Result<Module> {
    explicit_convolution::run(module, &Options::default())
}

fn convolution(x: &[i64], w: &[i64], conv: &Convolution) -> Function {
    function([ty(x), ty(w)], |b, [x, w]| {
        b.convolution(x, w, conv.clone())
    })
}

/// The convolutions that are left.
fn left(function: &Function) -> Vec<Convolution> {
    let conv = |op: &Op| match op {
        Op::Convolution(conv) => Some(conv.clone()),
        _ => None,
    };
    function.body.iter().filter_map(|i| conv(&i.op)).collect()
}

#[test]
fn single_channel() {
    let cases = [
        plain(nhwc()),
        Convolution {
            padding: vec![[1, 1], [0, 2]],
            strides: vec![2, 1],
            ..plain(nhwc())
        },
        Convolution {
            rhs_dilation: vec![1, 2],
            strides: vec![1, 3],
            ..plain(nhwc())
        },
    ];
    for conv in cases {
        let after = tuned(products, &convolution(&[2, 6, 7, 1], &[3, 2, 1, 4], &conv));
        assert!(left(&after).is_empty());
        assert_eq!(
            names(&after).iter().filter(|n| **n == "multiply").count(),
            6
        );
    }
    // Dimensions in any order.
    let conv = plain(ConvolutionDims::nchw(2));
    let after = tuned(products, &convolution(&[2, 1, 6, 7], &[4, 1, 3, 2], &conv));
    assert!(left(&after).is_empty());
}

#[test]
fn single_channel_keeps_what_it_does_not_cover() {
    let two_channels = convolution(&[1, 4, 4, 2], &[3, 3, 2, 2], &plain(nhwc()));
    let large = convolution(&[1, 6, 8, 1], &[5, 7, 1, 2], &plain(nhwc()));
    let with = |change: &dyn Fn(&mut Convolution), batch: i64| {
        let mut conv = plain(nhwc());
        change(&mut conv);
        convolution(&[batch, 4, 4, 1], &[3, 3, 1, 2], &conv)
    };
    for f in [
        two_channels,
        large,
        with(&|c| c.lhs_dilation[0] = 2, 1),
        with(&|c| c.window_reversal[1] = true, 1),
        with(&|c| c.padding[0][1] = -1, 1),
        with(&|c| c.batch_group_count = 2, 2),
    ] {
        assert_kept(products, &f);
    }
}

#[test]
fn single_channel_without_pixels() {
    tuned(
        products,
        &convolution(&[1, 2, 4, 1], &[3, 3, 1, 2], &plain(nhwc())),
    );
    tuned(
        products,
        &convolution(&[0, 4, 4, 1], &[3, 3, 1, 2], &plain(nhwc())),
    );
}

#[test]
fn explicit_reversal() {
    for reversal in [[true, true], [false, true]] {
        let conv = Convolution {
            window_reversal: reversal.to_vec(),
            feature_group_count: 2,
            ..plain(nhwc())
        };
        let after = tuned(explicit, &convolution(&[1, 4, 5, 4], &[2, 3, 2, 6], &conv));
        assert_eq!(names(&after), ["reverse", "convolution"]);
        assert_eq!(left(&after)[0].window_reversal, [false, false]);
    }
}

#[test]
fn explicit_crop() {
    // Negative padding, and a last row that no window reaches.
    let cases = [
        (vec![[-1, 0], [0, -2]], [1, 1], [1, 1]),
        (vec![[0, 0], [0, 0]], [3, 2], [1, 1]),
        (vec![[-1, 2], [1, -1]], [2, 1], [1, 1]),
        // The crop falls between the cells of a spread input.
        (vec![[-1, -1], [0, 0]], [1, 1], [2, 3]),
        (vec![[-2, 1], [-1, 3]], [2, 1], [3, 2]),
    ];
    for (padding, strides, lhs_dilation) in cases {
        let conv = Convolution {
            padding,
            strides: strides.to_vec(),
            lhs_dilation: lhs_dilation.to_vec(),
            ..plain(nhwc())
        };
        let after = tuned(explicit, &convolution(&[2, 6, 5, 2], &[2, 3, 2, 3], &conv));
        let [conv] = &left(&after)[..] else {
            panic!("one convolution")
        };
        assert!(
            conv.padding.iter().flatten().all(|&p| p >= 0),
            "{:?}",
            conv.padding
        );
    }
}

#[test]
fn explicit_crop_of_windows_beside_the_input() {
    // The windows lie in the padding alone.
    for padding in [[-2, 4], [5, -3], [-3, 3]] {
        let conv = Convolution {
            padding: vec![padding, [0, 0]],
            ..plain(nhwc())
        };
        tuned(explicit, &convolution(&[1, 1, 3, 2], &[1, 1, 2, 2], &conv));
        tuned(explicit, &convolution(&[1, 3, 3, 2], &[1, 1, 2, 2], &conv));
    }
}

#[test]
fn batch_groups_as_feature_groups() {
    for dims in [nhwc(), ConvolutionDims::nchw(2)] {
        let (x, w) = match dims.input_feature {
            3 => ([6, 4, 4, 3], [2, 2, 3, 4]),
            _ => ([6, 3, 4, 4], [4, 3, 2, 2]),
        };
        let conv = Convolution {
            batch_group_count: 2,
            ..plain(dims)
        };
        let after = tuned(explicit, &convolution(&x, &w, &conv));
        assert_eq!(
            names(&after),
            ["reshape", "transpose", "reshape", "convolution"]
        );
        let [conv] = &left(&after)[..] else {
            panic!("one convolution")
        };
        assert_eq!((conv.batch_group_count, conv.feature_group_count), (1, 2));
    }
}

#[test]
fn explicit_convolutions_stay() {
    let conv = Convolution {
        padding: vec![[1, 1], [0, 1]],
        strides: vec![1, 2],
        rhs_dilation: vec![2, 1],
        feature_group_count: 2,
        ..plain(nhwc())
    };
    assert_kept(explicit, &convolution(&[1, 5, 6, 4], &[2, 3, 2, 6], &conv));
}

#[test]
fn all_of_it_at_once() {
    let conv = Convolution {
        padding: vec![[-1, 2], [2, -2]],
        strides: vec![2, 3],
        lhs_dilation: vec![2, 1],
        rhs_dilation: vec![1, 2],
        window_reversal: vec![true, false],
        batch_group_count: 2,
        ..plain(nhwc())
    };
    let f = convolution(&[4, 5, 9, 3], &[3, 2, 3, 4], &conv);
    let after = tuned(explicit, &f);
    let again = passed(explicit, &after);
    assert_eq!(text(&again), text(&after));
}
