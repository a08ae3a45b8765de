use super::{apply, real, whole};
use crate::reference::Tensor;
use crate::stablehlo::{Convolution, ConvolutionDims, DotGeneral, ElementType, Op};

/// One spatial dimension, stride 1, no padding.
fn conv1d() -> Convolution {
    Convolution {
        dims: ConvolutionDims::nchw(1),
        strides: vec![1],
        padding: vec![[0, 0]],
        lhs_dilation: vec![1],
        rhs_dilation: vec![1],
        window_reversal: vec![false],
        feature_group_count: 1,
        batch_group_count: 1,
    }
}

fn convolve(conv: Convolution, x: &[f64], w: &[f64]) -> Vec<f64> {
    let x = real(&[1, 1, x.len() as i64], x);
    let w = real(&[1, 1, w.len() as i64], w);
    apply(Op::Convolution(conv), &[x, w]).to_f64()
}

#[test]
fn dot_general_by_the_specification() {
    let lhs = real(&[2, 2, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    let rhs = real(&[2, 2, 2], &[1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0]);
    let dot = DotGeneral {
        lhs_batch: vec![0],
        rhs_batch: vec![0],
        lhs_contract: vec![2],
        rhs_contract: vec![1],
    };
    assert_eq!(apply(Op::DotGeneral(dot), &[lhs.clone(), rhs]), lhs);
}

#[test]
fn dot_general_of_integers_and_of_nothing() {
    let dot = || {
        Op::DotGeneral(DotGeneral {
            lhs_contract: vec![0],
            rhs_contract: vec![0],
            ..DotGeneral::default()
        })
    };
    let product = |element, a: &[i64], b: &[i64]| {
        let result: Tensor<f64> = apply(dot(), &[whole(element, a), whole(element, b)]);
        result.as_integers().to_vec()
    };
    assert_eq!(product(ElementType::I32, &[1, 2, 3], &[4, 5, 6]), [32]);
    assert_eq!(product(ElementType::Ui8, &[16, 1], &[16, 3]), [3]);
    assert_eq!(product(ElementType::I1, &[1, 1], &[1, 1]), [1]);
    assert_eq!(
        apply(dot(), &[real(&[0], &[]), real(&[0], &[])]),
        real(&[], &[0.0])
    );
}

#[test]
fn convolution_by_the_specification() {
    let x = [
        1., 2., 5., 6., 3., 4., 7., 8., 10., 11., 14., 15., 12., 13., 16., 17.,
    ];
    let conv = Convolution {
        dims: ConvolutionDims {
            input_batch: 0,
            input_feature: 3,
            input_spatial: vec![1, 2],
            kernel_input: 2,
            kernel_output: 3,
            kernel_spatial: vec![0, 1],
            output_batch: 0,
            output_feature: 3,
            output_spatial: vec![1, 2],
        },
        strides: vec![4, 4],
        padding: vec![[0, 0]; 2],
        lhs_dilation: vec![2, 2],
        rhs_dilation: vec![1, 1],
        window_reversal: vec![false; 2],
        feature_group_count: 1,
        batch_group_count: 1,
    };
    let operands = [real(&[1, 4, 4, 1], &x), real(&[3, 3, 1, 1], &[1.0; 9])];
    let y = apply(Op::Convolution(conv), &operands);
    assert_eq!(y, real(&[1, 2, 2, 1], &[10.0, 26.0, 46.0, 62.0]));
}

#[test]
fn convolution_attributes_by_hand() {
    let (x, w) = ([1.0, 2.0, 3.0, 4.0], [1.0, 10.0]);
    assert_eq!(convolve(conv1d(), &x, &w), [21.0, 32.0, 43.0]);
    let strided = Convolution {
        strides: vec![2],
        ..conv1d()
    };
    assert_eq!(convolve(strided, &x, &w), [21.0, 43.0]);
    let reversed = Convolution {
        window_reversal: vec![true],
        ..conv1d()
    };
    assert_eq!(convolve(reversed, &x, &w), [12.0, 23.0, 34.0]);
    let dilated = Convolution {
        rhs_dilation: vec![3],
        ..conv1d()
    };
    assert_eq!(convolve(dilated, &x, &w), [41.0]);
    // 0 1 0 2 0 3 0 4 between one cell of padding and one that is cut off.
    let spread = Convolution {
        lhs_dilation: vec![2],
        padding: vec![[1, -1]],
        ..conv1d()
    };
    assert_eq!(convolve(spread, &x, &w), [10.0, 1.0, 20.0, 2.0, 30.0, 3.0]);
    let cropped = Convolution {
        padding: vec![[-1, 1]],
        ..conv1d()
    };
    assert_eq!(convolve(cropped, &x, &w), [32.0, 43.0, 4.0]);
}

#[test]
fn convolution_groups_by_hand() {
    // Two features, two groups: each output sees its own feature.
    let conv = Convolution {
        feature_group_count: 2,
        ..conv1d()
    };
    let x = real(&[1, 2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let w = real(&[4, 1, 1], &[1.0, 10.0, 100.0, 1000.0]);
    assert_eq!(
        apply(Op::Convolution(conv), &[x, w]),
        real(
            &[1, 4, 2],
            &[1.0, 2.0, 10.0, 20.0, 300.0, 400.0, 3000.0, 4000.0]
        )
    );
    // Batch 4 in two groups: outputs 0 and 1 see images 0, 1 and 2, 3.
    let conv = Convolution {
        batch_group_count: 2,
        ..conv1d()
    };
    let x = real(&[4, 1, 1], &[1.0, 2.0, 3.0, 4.0]);
    let w = real(&[2, 1, 1], &[1.0, 10.0]);
    assert_eq!(
        apply(Op::Convolution(conv), &[x, w]),
        real(&[2, 2, 1], &[1.0, 30.0, 2.0, 40.0])
    );
}

#[test]
fn padding_is_zero_times_the_weight() {
    let conv = || Convolution {
        padding: vec![[1, 0]],
        ..conv1d()
    };
    assert_eq!(convolve(conv(), &[1.0, 2.0], &[5.0, 1.0]), [1.0, 7.0]);
    let y = convolve(conv(), &[1.0, 2.0], &[f64::INFINITY, 1.0]);
    assert!(y[0].is_nan(), "{y:?}");
    assert_eq!(y[1], f64::INFINITY);
}

#[test]
fn convolution_of_integers_wraps() {
    let x = Tensor::integers(
        crate::stablehlo::TensorType::new([1, 1, 2], ElementType::I8),
        vec![100, 2],
    )
    .unwrap();
    let y: Tensor<f64> = apply(Op::Convolution(conv1d()), &[x.clone(), x]);
    // 100 * 100 + 2 * 2 = 10004 = 39 * 256 + 20
    assert_eq!(y.as_integers(), [20]);
}
