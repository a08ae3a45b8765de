//! Pools at sizes that have gone wrong elsewhere.

use super::checks::run_function;
use super::iree::Machine;
use cnnc::autodiff;
use cnnc::reference::Tensor;
use cnnc::stablehlo::{Builder, Function, Reducer, Result, TensorType, Window};

const CHANNELS: usize = 480;
const SIZE: usize = 28;

/// 3x3, stride 2, padded as `same`: a row and a column after.
fn pool() -> Function {
    let build = || -> Result<Function> {
        let mut b = Builder::named("pool");
        let shape = [1, CHANNELS as i64, SIZE as i64, SIZE as i64];
        let x = b.function.argument(Some("x"), TensorType::f32(shape));
        let window = Window {
            size: vec![1, 1, 3, 3],
            strides: vec![1, 1, 2, 2],
            padding: vec![[0, 0], [0, 0], [0, 1], [0, 1]],
            ..Window::unit(4)
        };
        let y = b.reduce_window(Reducer::Max, x, window)?;
        b.function.output(Some("y"), y);
        Ok(b.function)
    };
    build().expect("a pool")
}

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

#[test]
fn bug_02_pool_of_480_negative_channels() {
    check_480_negative_channels(&Machine::new());
}

pub fn check_480_negative_channels(machine: &Machine) {
    let mut x = Vec::new();
    for channel in 0..CHANNELS {
        for i in 0..SIZE * SIZE {
            x.push(cell(channel, i / SIZE, i % SIZE));
        }
    }
    let out = SIZE / 2;
    let (mut y, mut dy) = (Vec::new(), Vec::new());
    let mut dx = vec![0.0f32; x.len()];
    for channel in 0..CHANNELS {
        for i in 0..out * out {
            let (value, [row, column]) = first_maximum(channel, i / out, i % out);
            y.push(value);
            dy.push((i % 7) as f32 + 1.0);
            dx[(channel * SIZE + row) * SIZE + column] += (i % 7) as f32 + 1.0;
        }
    }
    let tensor = |values: &[f32], size: usize| {
        let shape = [1, CHANNELS as i64, size as i64, size as i64];
        Tensor::numbers(TensorType::f32(shape), values.to_vec()).expect("a tensor")
    };
    let image = tensor(&x, SIZE);
    let found = run_function(machine, pool(), std::slice::from_ref(&image));
    assert!(found[0].as_numbers() == y, "values differ");
    let pullback = autodiff::pullback(&pool(), &[0], "pullback", "cotangent").expect("a pullback");
    let found = run_function(machine, pullback, &[image, tensor(&dy, out)]);
    assert!(found[0].as_numbers() == dx, "gradients differ");
}
