use super::{assert_kept, nhwc, plain, ty};
use crate::autodiff;
use crate::simplify::simplify;
use crate::simplify::tests::{Draw, assert_same_value, function, names};
use crate::stablehlo::{
    Convolution, ConvolutionDims, ElementType, Function, Module, Result, TensorType,
};
use crate::tune::Options;
use crate::tune::winograd::{self, Form, run_always};

fn run(module: &Module) -> Result<Module> {
    winograd::run(module, &Options::default())
}

fn convolution(x: &[i64], w: &[i64], conv: &Convolution) -> Function {
    function([ty(x), ty(w)], |b, [x, w]| {
        b.convolution(x, w, conv.clone())
    })
}

/// The function in each form of tiles; asserts that it computes the same, and
/// that it does by rows.
fn in_each_form(f: &Function) -> Vec<Function> {
    let module = Module {
        functions: vec![f.clone()],
        ..Module::default()
    };
    let form = |form| {
        let after = run_always(&module, form).unwrap().functions.remove(0);
        assert_same_value(f, &after, Draw::Distinct);
        assert_same_value(f, &after, Draw::Ties);
        after
    };
    let rows = form(Form::Rows);
    // Six images and kernels, and as many cotangents.
    assert!([6, 18, 24].contains(&(count(&rows, "convolution") + count(&rows, "dot_general"))));
    let tiles = Form::TILES.map(form);
    for after in &tiles {
        assert_eq!(count(after, "convolution"), 0);
    }
    tiles.to_vec()
}

fn count(f: &Function, name: &str) -> usize {
    names(f).iter().filter(|n| **n == name).count()
}

/// Images of any size, whole tiles or not, and any padding.
const IMAGES: [([i64; 2], [[i64; 2]; 2]); 5] = [
    ([4, 4], [[1, 1], [1, 1]]),
    ([6, 9], [[0, 0], [0, 0]]),
    ([5, 7], [[0, 2], [2, 1]]),
    ([3, 3], [[0, 0], [0, 0]]),
    ([1, 2], [[1, 1], [3, 4]]),
];

#[test]
fn winograd() {
    for ([h, w], padding) in IMAGES {
        let conv = Convolution {
            padding: padding.to_vec(),
            ..plain(nhwc())
        };
        for channels in [3, 4] {
            let f = convolution(&[2, h, w, channels], &[3, 3, channels, 2], &conv);
            let after = in_each_form(&f);
            let dots = after.iter().map(|f| count(f, "dot_general"));
            assert_eq!(dots.collect::<Vec<_>>(), [4, 4]);
        }
    }
    // Dimensions in any order.
    let nchw = plain(ConvolutionDims::nchw(2));
    in_each_form(&convolution(&[2, 3, 6, 5], &[2, 3, 3, 3], &nchw));
}

/// Input gradients: the kernel is reversed.
#[test]
fn winograd_of_a_reversed_kernel() {
    for dims in [vec![0, 1], vec![1, 0], vec![1]] {
        let f = function([ty(&[1, 5, 5, 2]), ty(&[3, 3, 2, 2])], |b, [x, w]| {
            let w = b.reverse(w, &dims)?;
            b.convolution(x, w, plain(nhwc()))
        });
        let reversals = |f| count(&simplify(f).unwrap(), "reverse");
        let left = dims.len() % 2;
        assert_eq!(
            in_each_form(&f).iter().map(reversals).collect::<Vec<_>>(),
            [left; 2]
        );
    }
}

/// What reverse mode gives for the kernel, which has the tiles of the image in
/// common with the forward pass.
#[test]
fn winograd_weight_gradient() {
    for ([h, w], padding) in IMAGES {
        let conv = Convolution {
            padding: padding.to_vec(),
            ..plain(nhwc())
        };
        let forward = convolution(&[2, h, w, 3], &[3, 3, 3, 2], &conv);
        let gradient = autodiff::pullback(&forward, &[1], "f", "dy").unwrap();
        let gradient = simplify(&gradient).unwrap();
        assert_eq!(names(&gradient), ["convolution"]);
        for after in in_each_form(&gradient) {
            assert_eq!(count(&after, "dot_general"), 4);
        }
    }
    let nchw = plain(ConvolutionDims::nchw(2));
    let forward = convolution(&[2, 3, 5, 6], &[2, 3, 3, 3], &nchw);
    let gradient = autodiff::pullback(&forward, &[1], "f", "dy").unwrap();
    in_each_form(&simplify(&gradient).unwrap());
}

#[test]
fn tiles_are_shared() {
    let conv = Convolution {
        padding: vec![[1, 1]; 2],
        ..plain(nhwc())
    };
    let mut f = convolution(&[2, 5, 5, 3], &[3, 3, 3, 3], &conv);
    let dims = ConvolutionDims {
        input_feature: 0,
        input_spatial: vec![1, 2],
        input_batch: 3,
        kernel_input: 0,
        kernel_spatial: vec![1, 2],
        kernel_output: 3,
        output_spatial: vec![0, 1],
        output_batch: 2,
        output_feature: 3,
    };
    let x = f.arguments[0].value;
    let y = f.outputs[0].value;
    let mut b = crate::stablehlo::Builder::new(f);
    let conv = Convolution { dims, ..conv };
    let dw = b.convolution(x, y, conv).unwrap();
    b.function.output(None, dw);
    f = b.function;
    for after in in_each_form(&f) {
        // Tiles, kernel, products, pixels; cotangent, products, kernel.
        assert_eq!(count(&after, "dot_general"), 7);
    }
}

/// The choice is by the channels of both sides, and the number of products.
#[test]
fn winograd_keeps_what_it_does_not_cover() {
    let padded = Convolution {
        padding: vec![[1, 1]; 2],
        ..plain(nhwc())
    };
    let with = |change: &dyn Fn(&mut Convolution)| {
        let mut conv = padded.clone();
        change(&mut conv);
        let (groups, batch) = (conv.feature_group_count, conv.batch_group_count);
        convolution(
            &[2 * batch, 8, 8, 64 * groups],
            &[3, 3, 64, 64 * groups * batch],
            &conv,
        )
    };
    let changed = with(&|_| {});
    let module = Module {
        functions: vec![changed],
        ..Module::default()
    };
    let after = run(&module).unwrap().functions.remove(0);
    assert_eq!(count(&after, "convolution"), 0);
    for f in [
        with(&|c| c.strides[0] = 2),
        with(&|c| c.lhs_dilation[1] = 2),
        with(&|c| c.rhs_dilation[0] = 2),
        with(&|c| c.window_reversal[0] = true),
        with(&|c| c.padding[0] = [-1, 1]),
        with(&|c| c.feature_group_count = 2),
        with(&|c| c.batch_group_count = 2),
        convolution(&[2, 8, 8, 64], &[3, 3, 64, 32], &padded),
        convolution(&[2, 8, 8, 32], &[3, 3, 32, 64], &padded),
        convolution(&[2, 8, 8, 64], &[3, 2, 64, 64], &padded),
        convolution(&[2, 1, 1, 64], &[3, 3, 64, 64], &padded),
        convolution(&[0, 8, 8, 64], &[3, 3, 64, 64], &padded),
    ] {
        assert_kept(run, &f);
    }
}

/// 1 / 576 of a kernel of integers is none.
#[test]
fn winograd_keeps_integers() {
    let ty = |shape: &[i64]| TensorType::new(shape, ElementType::I32);
    let f = function([ty(&[2, 8, 8, 64]), ty(&[3, 3, 64, 64])], |b, [x, w]| {
        b.convolution(x, w, plain(nhwc()))
    });
    assert_kept(run, &f);
}
