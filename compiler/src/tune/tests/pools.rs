use super::{assert_kept, passed, tuned, ty};
use crate::reference::{Tensor, run};
use crate::simplify::tests::{function, names};
use crate::stablehlo::{
    ElementType, Function, Instruction, Op, Reducer, TensorType, Window, infer,
};
use crate::tune::{pool_backward, pool_forward};

/// A window over the last two of four dimensions.
fn window(size: [i64; 2], strides: [i64; 2], padding: [[i64; 2]; 2]) -> Window {
    let mut window = Window::unit(4);
    window.size[2..].copy_from_slice(&size);
    window.strides[2..].copy_from_slice(&strides);
    window.padding[2..].copy_from_slice(&padding);
    window
}

fn forward(shape: &[i64], window: &Window) -> Function {
    function([ty(shape)], |b, [x]| {
        b.reduce_window(Reducer::Max, x, window.clone())
    })
}

fn backward(shape: &[i64], window: &Window) -> Function {
    let op = Op::ReduceWindow {
        reducer: Reducer::Max,
        window: window.clone(),
    };
    let scalar = ty(&[]);
    let windows = infer::result_type(&op, &[&ty(shape), &scalar]).unwrap();
    function([ty(shape), windows], |b, [x, dy]| {
        b.select_and_scatter(x, dy, window.clone())
    })
}

fn evaluated(function: &Function, arguments: &[&[f64]]) -> Vec<f64> {
    let arguments: Vec<Tensor<f64>> = function
        .arguments
        .iter()
        .zip(arguments)
        .map(|(a, values)| Tensor::from_f64(function.ty(a.value).clone(), values).unwrap())
        .collect();
    run(function, &arguments).unwrap()[0].to_f64()
}

fn has(function: &Function, name: &str) -> bool {
    names(function).contains(&name)
}

#[test]
fn pool_forward() {
    let tiles = window([2, 2], [2, 2], [[0, 0]; 2]);
    let after = tuned(pool_forward::run, &forward(&[2, 3, 4, 6], &tiles));
    let slices = ["slice"; 4];
    let tree = ["maximum"; 3];
    assert_eq!(names(&after), [&slices[..], &tree].concat());

    let overlapping = window([3, 2], [2, 1], [[1, 1], [0, 1]]);
    let after = tuned(pool_forward::run, &forward(&[1, 2, 5, 4], &overlapping));
    assert!(has(&after, "pad") && !has(&after, "reduce_window"));
    let odd = window([1, 3], [1, 3], [[0, 0]; 2]);
    assert!(!has(
        &tuned(pool_forward::run, &forward(&[1, 1, 2, 8], &odd)),
        "reduce_window"
    ));
}

#[test]
fn pool_forward_pads_with_minus_infinity() {
    let padded = window([3, 3], [2, 2], [[1, 1]; 2]);
    let after = passed(pool_forward::run, &forward(&[1, 1, 2, 2], &padded));
    assert_eq!(evaluated(&after, &[&[-4.0, -3.0, -2.0, -5.0]]), [-2.0]);
}

#[test]
fn pool_forward_keeps_large_dilated_and_summed_windows() {
    let large = window([1, 17], [1, 17], [[0, 0]; 2]);
    assert_kept(pool_forward::run, &forward(&[1, 1, 1, 34], &large));
    let mut dilated = window([1, 2], [1, 1], [[0, 0]; 2]);
    dilated.window_dilations[3] = 2;
    assert_kept(pool_forward::run, &forward(&[1, 1, 1, 6], &dilated));
    let mut spread = window([1, 2], [1, 1], [[0, 0]; 2]);
    spread.base_dilations[3] = 2;
    assert_kept(pool_forward::run, &forward(&[1, 1, 1, 6], &spread));
    let tiles = window([1, 2], [1, 2], [[0, 0]; 2]);
    let sum = function([ty(&[1, 1, 1, 6])], |b, [x]| {
        b.reduce_window(Reducer::Add, x, tiles)
    });
    assert_kept(pool_forward::run, &sum);
}

#[test]
fn pool_forward_keeps_another_initial_value() {
    let window = window([1, 2], [1, 2], [[0, 0]; 2]);
    let f = function([ty(&[1, 1, 1, 6])], |b, [x]| {
        let zero = b.scalar_like(0.0, x)?;
        let op = Op::ReduceWindow {
            reducer: Reducer::Max,
            window,
        };
        b.push(op, &[x, zero])
    });
    assert_kept(pool_forward::run, &f);
}

#[test]
fn pool_forward_keeps_a_result_without_elements() {
    let wide = window([1, 3], [1, 1], [[0, 0]; 2]);
    assert_kept(pool_forward::run, &forward(&[1, 1, 1, 2], &wide));
}

#[test]
fn pool_backward() {
    let tiles = window([2, 2], [2, 2], [[0, 0]; 2]);
    let after = tuned(pool_backward::run, &backward(&[2, 2, 4, 6], &tiles));
    assert!(
        !has(&after, "select_and_scatter") && has(&after, "reshape"),
        "tiled"
    );
    assert!(
        !has(&after, "pad"),
        "windows that cover everything need no padding"
    );
    // One index of 8 bits per window, one cotangent per cell.
    let index = |f: &Function| {
        let is_index = |v| f.ty(v).element != ElementType::F32;
        f.values()
            .filter(|&v| is_index(v))
            .map(|v| f.ty(v).element.bits())
            .max()
    };
    assert_eq!(index(&after), Some(8));

    // A row and a column that no window covers.
    let after = tuned(pool_backward::run, &backward(&[1, 2, 5, 7], &tiles));
    assert!(has(&after, "reshape") && has(&after, "pad"), "tiled");
    // 144 cells do not fit 8 bits.
    let large = window([12, 12], [12, 12], [[0, 0]; 2]);
    let after = tuned(pool_backward::run, &backward(&[1, 1, 12, 24], &large));
    assert_eq!(index(&after), Some(32));
    // Windows of one cell, and windows along the channels.
    let unit = window([1, 1], [1, 1], [[0, 0]; 2]);
    tuned(pool_backward::run, &backward(&[1, 2, 2, 3], &unit));
    let mut channels = tiles.clone();
    (channels.size[1], channels.strides[1]) = (3, 3);
    tuned(pool_backward::run, &backward(&[2, 6, 4, 2], &channels));
}

#[test]
fn wide_pool_backward() {
    for window in [
        window([2, 2], [2, 2], [[0, 0]; 2]),
        window([3, 2], [2, 1], [[1, 1], [0, 1]]),
    ] {
        let after = tuned(pool_backward::run_wide, &backward(&[2, 3, 4, 6], &window));
        assert!(!has(&after, "select_and_scatter"));
        let bytes = |i: &Instruction| after.ty(i.result).element == ElementType::I8;
        assert!(!after.body.iter().any(bytes));
    }
}

#[test]
fn pool_backward_apart() {
    for window in [
        window([2, 2], [2, 2], [[0, 0]; 2]),
        window([3, 2], [2, 1], [[1, 1], [0, 1]]),
    ] {
        let after = tuned(pool_backward::run_apart, &backward(&[2, 3, 4, 6], &window));
        assert!(!has(&after, "select_and_scatter"));
        assert!(has(&after, "optimization_barrier"));
    }
}

#[test]
fn pool_backward_overlapping() {
    for (size, strides, padding) in [
        ([3, 3], [2, 2], [[1, 1], [1, 1]]),
        ([3, 3], [1, 1], [[0, 0], [0, 0]]),
        ([2, 3], [1, 2], [[0, 1], [2, 0]]),
        ([1, 2], [3, 3], [[0, 0], [0, 0]]),
        ([2, 2], [2, 2], [[1, 0], [0, 1]]),
    ] {
        let after = tuned(
            pool_backward::run,
            &backward(&[2, 2, 5, 7], &window(size, strides, padding)),
        );
        assert!(!has(&after, "select_and_scatter") && has(&after, "pad"));
        assert!(!has(&after, "reshape"), "overlapping");
    }
}

#[test]
fn pool_backward_overlapping_along_the_channels() {
    let mut channels = window([2, 2], [2, 2], [[0, 0]; 2]);
    channels.size[1] = 2;
    let after = tuned(pool_backward::run, &backward(&[2, 3, 4, 2], &channels));
    assert!(!has(&after, "reshape"), "overlapping");
}

#[test]
fn pool_backward_crops_where_padding_is_negative() {
    let cropped = window([2, 2], [1, 2], [[-1, 0], [1, -2]]);
    tuned(pool_backward::run, &backward(&[1, 2, 5, 7], &cropped));
    tuned(pool_forward::run, &forward(&[1, 2, 5, 7], &cropped));
}

/// Each by hand: all of a cotangent goes to the first maximal cell, and
/// overlapping windows add.
#[test]
fn pool_backward_values() {
    let row = window([1, 2], [1, 1], [[0, 0]; 2]);
    let after = passed(pool_backward::run, &backward(&[1, 1, 1, 5], &row));
    let dx = evaluated(
        &after,
        &[&[6.0, 2.0, 1.0, 3.0, 6.0], &[1.0, 10.0, 100.0, 1000.0]],
    );
    assert_eq!(dx, [1.0, 10.0, 0.0, 100.0, 1000.0]);
    let dx = evaluated(
        &after,
        &[&[0.0, 2.0, 2.0, 2.0, 0.0], &[1.0, 10.0, 100.0, 1000.0]],
    );
    assert_eq!(dx, [0.0, 11.0, 100.0, 1000.0, 0.0]);

    let tiles = window([2, 2], [2, 2], [[0, 0]; 2]);
    let after = passed(pool_backward::run, &backward(&[1, 1, 2, 4], &tiles));
    let x = [1.0, 3.0, 7.0, 7.0, 3.0, 0.0, 7.0, 7.0];
    assert_eq!(
        evaluated(&after, &[&x, &[5.0, 9.0]]),
        [0.0, 5.0, 9.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    );

    // Dead cells in padded windows: -inf everywhere is a maximum too.
    let padded = window([1, 3], [1, 2], [[0, 0], [1, 1]]);
    let after = passed(pool_backward::run, &backward(&[1, 1, 1, 3], &padded));
    let dead = [f64::NEG_INFINITY; 3];
    assert_eq!(evaluated(&after, &[&dead, &[1.0, 2.0]]), [1.0, 2.0, 0.0]);
}

#[test]
fn pool_backward_keeps_another_initial_value() {
    let window = window([1, 2], [1, 2], [[0, 0]; 2]);
    let f = function([ty(&[1, 1, 1, 6]), ty(&[1, 1, 1, 3])], |b, [x, dy]| {
        let one = b.scalar_like(1.0, x)?;
        b.push(Op::SelectAndScatter { window }, &[x, dy, one])
    });
    assert_kept(pool_backward::run, &f);
}

#[test]
fn pool_backward_without_windows_is_zero() {
    let wide = window([1, 3], [1, 1], [[0, 0]; 2]);
    let after = tuned(pool_backward::run, &backward(&[1, 1, 1, 2], &wide));
    assert_eq!(names(&after), ["constant"]);
}

#[test]
fn pool_backward_keeps_padded_integers() {
    let shape = |shape: &[i64]| TensorType::new(shape, ElementType::I32);
    let of = |window: &Window, windows: i64| {
        function(
            [shape(&[1, 1, 2, 6]), shape(&[1, 1, 2, windows])],
            |b, [x, dy]| {
                let x = b.negate(x)?;
                b.select_and_scatter(x, dy, window.clone())
            },
        )
    };
    let tiles = window([1, 2], [1, 2], [[0, 0]; 2]);
    assert!(!has(
        &tuned(pool_backward::run, &of(&tiles, 3)),
        "select_and_scatter"
    ));
    let padded = window([1, 2], [1, 2], [[0, 0], [1, 1]]);
    assert_kept(pool_backward::run, &of(&padded, 4));
}
