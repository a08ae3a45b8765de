use super::{assert_kept, tuned, ty};
use crate::simplify::tests::{function, names};
use crate::stablehlo::{Function, Op, Reducer, Window};
use crate::tune::{explicit_window, two_stage_sum};

fn row(size: i64, stride: i64, padding: [i64; 2]) -> Window {
    let mut window = Window::unit(2);
    (window.size[1], window.strides[1], window.padding[1]) = (size, stride, padding);
    window
}

fn sum(length: i64, window: Window) -> Function {
    function([ty(&[2, length])], |b, [x]| {
        b.reduce_window(Reducer::Add, x, window)
    })
}

#[test]
fn explicit_window() {
    for (length, window, sliced) in [
        (6, row(4, 3, [0, 0]), true),
        (9, row(2, 4, [1, 2]), false),
        (9, row(3, 1, [-2, 0]), true),
        (9, row(3, 2, [1, -3]), true),
        (3, row(2, 1, [-1, 2]), true),
    ] {
        let after = tuned(explicit_window::run, &sum(length, window));
        let Some(Op::ReduceWindow { window, .. }) = after.body.last().map(|i| i.op.clone()) else {
            panic!("no window: {:?}", names(&after));
        };
        assert!(
            window.padding.iter().flatten().all(|&p| p >= 0),
            "{:?}",
            window.padding
        );
        assert_eq!(names(&after).contains(&"slice"), sliced);
    }
}

#[test]
fn explicit_window_keeps_windows_that_cover_all() {
    assert_kept(explicit_window::run, &sum(6, row(4, 2, [0, 0])));
    assert_kept(explicit_window::run, &sum(6, row(3, 2, [1, 0])));
}

#[test]
fn explicit_window_crops_between_the_cells_of_a_dilated_operand() {
    let mut spread = row(4, 2, [0, 0]);
    spread.base_dilations[1] = 2;
    let after = tuned(explicit_window::run, &sum(6, spread));
    assert_eq!(names(&after)[..2], ["constant", "pad"]);
    assert!(names(&after).contains(&"slice"));
}

#[test]
fn explicit_window_keeps_empty_ones() {
    assert_kept(explicit_window::run, &sum(2, row(3, 1, [0, 0])));
}

fn sum_over(shape: &[i64], dims: &[usize]) -> Function {
    function([ty(shape)], |b, [x]| b.sum(x, dims))
}

#[test]
fn two_stage_sum() {
    for dims in [&[0, 1, 2][..], &[2, 0]] {
        let after = tuned(two_stage_sum::run, &sum_over(&[3, 2, 4, 5], dims));
        let reduced: Vec<Vec<usize>> = after
            .body
            .iter()
            .filter_map(|i| match &i.op {
                Op::Reduce { dims, .. } => Some(dims.clone()),
                _ => None,
            })
            .collect();
        assert_eq!(reduced.len(), 2, "{:?}", names(&after));
        assert!(!reduced[0].contains(&0));
        assert_eq!(reduced[1], [0]);
    }
}

#[test]
fn two_stage_sum_keeps_other_sums() {
    // Over the batch alone, over all but the batch, and over the channels too.
    for dims in [&[0][..], &[1, 2], &[0, 1, 2, 3], &[0, 3]] {
        assert_kept(two_stage_sum::run, &sum_over(&[3, 2, 4, 5], dims));
    }
    let maximum = function([ty(&[3, 2, 4])], |b, [x]| {
        b.reduce(Reducer::Max, x, &[0, 1])
    });
    assert_kept(two_stage_sum::run, &maximum);
    let from_one = function([ty(&[3, 2, 4])], |b, [x]| {
        let one = b.scalar_like(1.0, x)?;
        let op = Op::Reduce {
            reducer: Reducer::Add,
            dims: vec![0, 1],
        };
        b.push(op, &[x, one])
    });
    assert_kept(two_stage_sum::run, &from_one);
}
