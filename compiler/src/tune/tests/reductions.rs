use super::{assert_kept, tuned, ty};
use crate::simplify::tests::{function, names};
use crate::stablehlo::{
    Builder, ElementType, Function, Op, Reducer, Result, TensorType, Value, Window, kept,
};
use crate::tune::{explicit_window, known_sum, negated_sum, two_stage_sum};

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

/// `x - mean(x)` over `dims`.
fn deviations(b: &mut Builder, x: Value, dims: &[usize]) -> Result<Value> {
    let shape = b.shape(x);
    let kept = kept(shape.len(), dims);
    let count: i64 = dims.iter().map(|&d| shape[d]).product();
    let sum = b.sum(x, dims)?;
    let count = b.splat_like(count as f64, sum)?;
    let mean = b.divide(sum, count)?;
    let mean = b.broadcast(mean, &kept, &shape)?;
    b.subtract(x, mean)
}

/// The sum of `dy * u - (d * v + d * v * 2)`, beside the sum of `dy`; `d` are
/// the deviations of `x` over `of`.
fn sum_of_norm(of: &[usize], dims: &[usize]) -> Function {
    let shape = [3, 2, 4, 5];
    function(
        [ty(&shape), ty(&shape), ty(&[5]), ty(&[5])],
        |b, [x, dy, u, v]| {
            let d = deviations(b, x, of)?;
            let there = b.sum(dy, dims)?;
            let (u, v) = (b.broadcast(u, &[3], &shape)?, b.broadcast(v, &[3], &shape)?);
            let scaled = b.multiply(u, dy)?;
            let away = b.multiply(d, v)?;
            let two = b.splat_like(2.0, away)?;
            let twice = b.multiply(away, two)?;
            let away = b.add(away, twice)?;
            let dx = b.subtract(scaled, away)?;
            let dx = b.negate(dx)?;
            let sum = b.sum(dx, dims)?;
            b.add(sum, there)
        },
    )
}

fn sums(function: &Function) -> usize {
    let sums = names(function);
    sums.iter().filter(|name| **name == "reduce").count()
}

#[test]
fn known_sum() {
    let before = sum_of_norm(&[0, 1, 2], &[0, 1, 2]);
    assert_eq!(sums(&before), 3);
    let after = simplified(&tuned(known_sum::run, &before));
    // Nothing of `x` is left.
    assert_eq!(sums(&after), 1);
    assert!(!names(&after).contains(&"subtract"), "{:?}", names(&after));
}

/// Asserts that as many sums remain, and the value.
fn assert_sums_kept(before: &Function) {
    assert_eq!(sums(&tuned(known_sum::run, before)), sums(before));
}

#[test]
fn known_sum_keeps_what_does_not_follow() {
    // Deviations over other dimensions do not sum to zero.
    assert_sums_kept(&sum_of_norm(&[1, 2], &[0, 1, 2]));
    // A factor that varies along the sum.
    assert_sums_kept(&function([ty(&[3, 5]), ty(&[3])], |b, [x, u]| {
        let there = b.sum(x, &[0])?;
        let u = b.broadcast(u, &[0], &[3, 5])?;
        let scaled = b.multiply(x, u)?;
        let sum = b.sum(scaled, &[0])?;
        b.add(sum, there)
    }));
    // Quotients of integers are cut off: (1 - 3 / 2) + (2 - 3 / 2) is 1.
    let integers = TensorType::new([2, 1], ElementType::I32);
    assert_sums_kept(&function([integers], |b, [x]| {
        let d = deviations(b, x, &[0])?;
        b.sum(d, &[0])
    }));
}

fn simplified(function: &Function) -> Function {
    crate::simplify::simplify(function).expect("no failure")
}

#[test]
fn negated_sum() {
    let f = function([ty(&[2, 3, 4])], |b, [x]| {
        let negated = b.negate(x)?;
        b.sum(negated, &[1, 2])
    });
    let after = tuned(negated_sum::run, &f);
    assert!(names(&after).ends_with(&["reduce", "negate"]));
    assert_eq!(
        after
            .body
            .iter()
            .filter(|i| i.op.name() == "negate")
            .count(),
        1
    );
}

#[test]
fn negated_sum_keeps_other_reductions() {
    let largest = function([ty(&[2, 3])], |b, [x]| {
        let negated = b.negate(x)?;
        b.reduce(Reducer::Max, negated, &[1])
    });
    assert_kept(negated_sum::run, &largest);
    let sum = function([ty(&[2, 3])], |b, [x]| b.sum(x, &[1]));
    assert_kept(negated_sum::run, &sum);
}
