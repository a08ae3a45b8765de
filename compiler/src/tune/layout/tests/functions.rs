use super::{laid_out, run};
use crate::simplify::simplify;
use crate::simplify::tests::{names, text};
use crate::stablehlo::{
    Builder, Compound, Convolution, ConvolutionDims, ElementType, Function, Gather, Instruction,
    Module, Op, Reducer, Result, TensorType, Value, Window,
};
use crate::tune::layout::{Inner, Layout, Owners};

/// A function of these arguments; those called w... are parameters.
fn function<const N: usize>(
    arguments: [(&str, &[i64]); N],
    build: impl FnOnce(&mut Builder, [Value; N]) -> Result<Value>,
) -> Function {
    let mut b = Builder::named("f");
    let arguments =
        arguments.map(|(name, shape)| b.function.argument(Some(name), TensorType::f32(shape)));
    let result = build(&mut b, arguments).unwrap();
    b.function.output(Some("y"), result);
    b.function
}

fn nchw() -> Convolution {
    Convolution {
        dims: ConvolutionDims::nchw(2),
        strides: vec![1; 2],
        padding: vec![[1, 1]; 2],
        lhs_dilation: vec![1; 2],
        rhs_dilation: vec![1; 2],
        window_reversal: vec![false; 2],
        feature_group_count: 1,
        batch_group_count: 1,
    }
}

fn plain(order: &[usize]) -> Layout {
    Layout {
        order: order.to_vec(),
        inner: vec![Inner::Plain; order.len()],
    }
}

/// Permutations of the transposes that are left.
fn transposes(function: &Function) -> Vec<Vec<usize>> {
    let function = simplify(function).unwrap();
    let permutation = |op: &Op| match op {
        Op::Transpose { permutation } => Some(permutation.clone()),
        _ => None,
    };
    function
        .body
        .iter()
        .filter_map(|i| permutation(&i.op))
        .collect()
}

fn convolutions(function: &Function) -> Vec<ConvolutionDims> {
    let dims = |op: &Op| match op {
        Op::Convolution(conv) => Some(conv.dims.clone()),
        _ => None,
    };
    function.body.iter().filter_map(|i| dims(&i.op)).collect()
}

fn is_nhwc(dims: &ConvolutionDims) -> bool {
    dims.input_batch == 0
        && dims.input_spatial == [1, 2]
        && dims.input_feature == 3
        && dims.kernel_spatial == [0, 1]
        && dims.kernel_input == 2
        && dims.kernel_output == 3
        && dims.output_batch == 0
        && dims.output_spatial == [1, 2]
        && dims.output_feature == 3
}

#[test]
fn layout() {
    let f = function(
        [
            ("x", &[2, 3, 4, 4]),
            ("w1", &[5, 3, 3, 3]),
            ("w2", &[5]),
            ("w3", &[20, 6]),
        ],
        |b, [x, kernel, bias, dense]| {
            let y = b.convolution(x, kernel, nchw())?;
            let shape = b.shape(y);
            let bias = b.broadcast(bias, &[1], &shape)?;
            let y = b.add(y, bias)?;
            let zero = b.splat_like(0.0, y)?;
            let y = b.maximum(y, zero)?;
            let mut window = Window::unit(4);
            window.size[2..].fill(2);
            window.strides[2..].fill(2);
            let y = b.reduce_window(Reducer::Max, y, window)?;
            let y = b.reshape(y, &[2, 20])?;
            b.dot(y, dense, &[1], &[0])
        },
    );
    let (after, layouts) = laid_out(&f);
    assert!(
        convolutions(&after).iter().all(is_nhwc),
        "{:?}",
        convolutions(&after)
    );
    // The image comes as it came; everything else is stored as it is used.
    assert_eq!(transposes(&after), [[0, 2, 3, 1]]);
    assert_eq!(layouts["w1"], plain(&[2, 3, 1, 0]));
    assert_eq!(layouts["w2"], plain(&[0]));
    // Rows in the order height, width, channels; IREE wants [out, in].
    let rows = Inner::Permuted {
        factors: vec![5, 2, 2],
        permutation: vec![1, 2, 0],
    };
    assert_eq!(layouts["w3"].inner, [rows, Inner::Plain]);
    let shapes: Vec<&[i64]> = after
        .arguments
        .iter()
        .map(|a| after.ty(a.value).shape.as_slice())
        .collect();
    let dense = layouts["w3"].stored_shape(&[20, 6]);
    assert_eq!(shapes, [&[2, 3, 4, 4][..], &[3, 3, 3, 5], &[5], &dense]);
}

#[test]
fn layout_keeps_functions_without_wishes() {
    let f = function([("x", &[2, 3, 4, 4]), ("w", &[3])], |b, [x, w]| {
        let w = b.broadcast(w, &[1], &[2, 3, 4, 4])?;
        let y = b.multiply(x, w)?;
        let flat = b.reshape(y, &[2, 48])?;
        b.sum(flat, &[1])
    });
    let (after, layouts) = laid_out(&f);
    assert_eq!(text(&after), text(&f));
    assert!(layouts.values().all(Layout::is_canonical));
}

#[test]
fn layout_keeps_the_border() {
    // The result of a convolution leaves as NCHW, and so does an argument that
    // is no parameter.
    let f = function(
        [("x", &[2, 3, 4, 4]), ("kernel", &[5, 3, 3, 3])],
        |b, [x, k]| b.convolution(x, k, nchw()),
    );
    let (after, layouts) = laid_out(&f);
    assert!(convolutions(&after).iter().all(is_nhwc));
    assert_eq!(
        transposes(&after),
        [[0, 2, 3, 1], [2, 3, 1, 0], [0, 3, 1, 2]]
    );
    assert!(layouts.is_empty());
}

#[test]
fn layout_of_a_gradient_is_its_parameters() {
    let loss = function([("x", &[2, 3, 6, 6]), ("w", &[5, 3, 3, 3])], |b, [x, w]| {
        let y = b.convolution(x, w, nchw())?;
        let squares = b.multiply(y, y)?;
        b.sum(squares, &[0, 1, 2, 3])
    });
    let gradients = crate::autodiff::gradients(&loss, &[0, 1], "f").unwrap();
    let (after, layouts) = laid_out(&simplify(&gradients).unwrap());
    assert_eq!(layouts["w"], plain(&[2, 3, 1, 0]));
    let gradient = &after.outputs[2];
    assert_eq!(gradient.name.as_deref(), Some("w.gradient"));
    assert_eq!(after.ty(gradient.value).shape, [3, 3, 3, 5]);
    // The image comes and its gradient leaves as NCHW; the input gradient
    // exchanges the kernel's features; the weight gradient needs nothing.
    let mut found = transposes(&after);
    found.sort();
    assert_eq!(found, [[0, 1, 3, 2], [0, 2, 3, 1], [0, 3, 1, 2]]);
}

#[test]
fn layout_is_one_for_all_functions() {
    // @use sees the kernel only as numbers to add up, and comes first.
    let first = function([("w", &[5, 3, 3, 3])], |b, [w]| b.sum(w, &[0, 1, 2]));
    let mut second = function([("x", &[1, 3, 4, 4]), ("w", &[5, 3, 3, 3])], |b, [x, w]| {
        b.convolution(x, w, nchw())
    });
    second.name = "train_step".to_owned();
    let module = Module {
        functions: vec![first.clone(), second],
        ..Module::default()
    };
    let (module, layouts) = run(&module, &Owners::from_iter(["w".to_owned()])).unwrap();
    let order: Vec<&str> = module.functions.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(order, ["f", "train_step"]);
    assert_eq!(layouts["w"], plain(&[2, 3, 1, 0]));
    for (function, argument) in [(0, 0), (1, 1)] {
        let f = &module.functions[function];
        assert_eq!(f.ty(f.arguments[argument].value).shape, [3, 3, 3, 5]);
    }
    super::assert_stored(
        &first,
        &module.functions[0],
        &layouts,
        crate::simplify::tests::Draw::Distinct,
    );
}

#[test]
fn layout_meets_a_reshape_that_mixes_dimensions() {
    // Batch and channels merge, which NHWC does not hold side by side.
    let f = function([("x", &[2, 3, 4, 4]), ("w", &[5, 3, 3, 3])], |b, [x, w]| {
        let y = b.convolution(x, w, nchw())?;
        let rows = b.reshape(y, &[10, 16])?;
        b.sum(rows, &[1])
    });
    let (after, _) = laid_out(&f);
    assert!(
        transposes(&after).contains(&vec![0, 3, 1, 2]),
        "{:?}",
        transposes(&after)
    );
    assert!(names(&after).contains(&"reduce"));
}

/// Between two convolutions, whatever is not looked into works on logical
/// values, once.
#[test]
fn operations_that_are_not_looked_into_are_canonical() {
    let image: &[i64] = &[2, 3, 4, 4];
    let kernel: &[i64] = &[3, 3, 3, 3];
    let f = function(
        [("x", image), ("w1", kernel), ("w2", kernel)],
        |b, [x, v, w]| {
            let y = b.convolution(x, v, nchw())?;
            let z = b.convolution(y, w, nchw())?;
            let both = b.compound(&Compound::Barrier, &[y, z])?;
            let sum = b.add(both[0], both[1])?;
            let one = b.splat(1.0, TensorType::scalar(ElementType::I32))?;
            let zero = b.splat_like(0.0, one)?;
            let part = b.dynamic_slice(sum, &[zero, one, one, zero], &[2, 1, 2, 4])?;
            let moved = b.dynamic_update_slice(z, part, &[zero, one, zero, zero])?;
            let (low, high) = (b.scalar_like(-0.5, x)?, b.scalar_like(0.5, x)?);
            let within = b.clamp(low, moved, high)?;
            let gather = Gather {
                offset_dims: vec![0, 1, 3],
                collapsed_slice_dims: vec![2],
                start_index_map: vec![2],
                index_vector_dim: 1,
                slice_sizes: vec![2, 3, 1, 4],
                ..Gather::default()
            };
            let rows = b.iota(0, TensorType::new([4], ElementType::I32))?;
            let taken = b.gather(within, rows, gather)?;
            b.convolution(taken, w, nchw())
        },
    );
    let (after, _) = laid_out(&f);
    let after = simplify(&after).unwrap();
    assert!(convolutions(&after).iter().all(is_nhwc));
    let barrier = |i: &&Instruction| i.op.compound().is_some();
    let barriers: Vec<&Instruction> = after.body.iter().filter(barrier).collect();
    let [a, b] = barriers[..] else {
        panic!("{barriers:?}");
    };
    assert!(a.is_same_compound(b));
}
