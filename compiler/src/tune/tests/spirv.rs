//! What only SPIR-V needs.

use super::{assert_kept, nhwc, passed, plain, tuned, ty};
use crate::simplify::tests::{function, names};
use crate::stablehlo::{
    Builder, Convolution, ConvolutionDims, Direction, ElementType, Function, Op, Result, Value,
};
use crate::tune::{aligned_slice, grouped_convolution, settled_reduction};

fn sliced(shape: &[i64], start: &[i64], limit: &[i64]) -> Function {
    function([ty(shape)], |b, [x]| {
        let y = b.slice(x, start, limit, &vec![1; shape.len()])?;
        b.add(y, y)
    })
}

#[test]
fn aligned_slice() {
    let guarded = [
        "optimization_barrier",
        "slice",
        "optimization_barrier",
        "add",
    ];
    for (shape, start, limit) in [
        ([4, 4, 8], [0, 0, 1], [4, 4, 5]),
        ([2, 10, 2], [0, 1, 0], [2, 9, 2]),
    ] {
        let before = sliced(&shape, &start, &limit);
        let after = tuned(aligned_slice::run, &before);
        assert_eq!(names(&after), guarded);
        // Once is enough.
        assert_kept(aligned_slice::run, &after);
    }
    assert_kept(
        aligned_slice::run,
        &sliced(&[4, 4, 8], &[1, 2, 4], &[4, 4, 8]),
    );
}

#[test]
fn crop_by_slice() {
    let cropped = |low: [i64; 2], high: [i64; 2], interior: [i64; 2]| {
        function([ty(&[3, 6])], |b, [x]| {
            let one = b.scalar_like(1.0, x)?;
            b.pad(x, one, &low, &high, &interior)
        })
    };
    for (low, high, interior) in [
        ([0, -1], [0, 0], [0, 0]),
        ([0, -1], [0, -2], [0, 1]),
        ([-2, 2], [1, -3], [2, 2]),
    ] {
        let after = tuned(aligned_slice::run, &cropped(low, high, interior));
        assert!(names(&after).contains(&"slice"), "{:?}", names(&after));
        for i in &after.body {
            if let Op::Pad { low, high, .. } = &i.op {
                assert!(low.iter().chain(high).all(|&p| p >= 0));
            }
        }
    }
    assert_kept(aligned_slice::run, &cropped([1, 0], [0, 2], [1, 0]));
}

fn convolved(x: &[i64], w: &[i64], conv: &Convolution) -> Function {
    function([ty(x), ty(w)], |b, [x, w]| {
        b.convolution(x, w, conv.clone())
    })
}

fn count(function: &Function, name: &str) -> usize {
    names(function).iter().filter(|n| **n == name).count()
}

#[test]
fn grouped_convolution() {
    let two = Convolution {
        feature_group_count: 2,
        ..plain(nhwc())
    };
    // By tap: as many dots as the kernel has cells.
    for conv in [
        two.clone(),
        Convolution {
            strides: vec![2, 1],
            padding: vec![[1, 2], [0, 1]],
            rhs_dilation: vec![1, 2],
            ..two.clone()
        },
        Convolution {
            lhs_dilation: vec![2, 3],
            padding: vec![[1, 1], [2, 0]],
            ..two.clone()
        },
    ] {
        let before = convolved(&[2, 6, 7, 4], &[3, 2, 2, 6], &conv);
        let after = tuned(grouped_convolution::run, &before);
        assert_eq!(count(&after, "convolution"), 0);
        assert_eq!(count(&after, "dot_general"), 6);
    }
    // By position: 2 x 3 of them under a kernel of 5 x 5.
    let before = convolved(&[3, 6, 7, 4], &[5, 5, 2, 6], &two);
    let after = tuned(grouped_convolution::run, &before);
    assert_eq!(count(&after, "dot_general"), 6);
    // Dimensions in any order.
    let nchw = Convolution {
        feature_group_count: 2,
        ..plain(ConvolutionDims::nchw(2))
    };
    let after = tuned(
        grouped_convolution::run,
        &convolved(&[2, 4, 6, 7], &[6, 2, 3, 2], &nchw),
    );
    assert_eq!(count(&after, "dot_general"), 6);
}

#[test]
fn grouped_convolution_keeps_what_is_right_already() {
    let plain = plain(nhwc());
    assert_kept(
        grouped_convolution::run,
        &convolved(&[1, 4, 4, 2], &[3, 3, 2, 2], &plain),
    );
    let depthwise = Convolution {
        feature_group_count: 2,
        ..plain
    };
    let function = convolved(&[1, 4, 4, 2], &[3, 3, 1, 4], &depthwise);
    assert_kept(grouped_convolution::run, &function);
}

#[test]
fn settled_reduction() {
    let rows = |spread: &dyn Fn(&mut Builder, Value) -> Result<Value>| {
        function([ty(&[3, 4])], |b, [x]| {
            let sum = b.sum(x, &[1])?;
            let twice = b.add(sum, sum)?;
            spread(b, twice)
        })
    };
    let barriers = |f: &Function| count(f, "optimization_barrier");
    for before in [
        rows(&|b, x| b.broadcast(x, &[0], &[3, 5])),
        rows(&|b, x| {
            let x = b.reshape(x, &[3, 1])?;
            b.transpose(x, &[1, 0])
        }),
    ] {
        let after = tuned(settled_reduction::run, &before);
        assert_eq!(barriers(&after), 1);
        assert_kept(settled_reduction::run, &after);
    }
    // Nothing to wait for, or nothing that does not wait.
    assert_kept(settled_reduction::run, &rows(&|b, x| b.negate(x)));
    let plain = function([ty(&[3])], |b, [x]| {
        let x = b.negate(x)?;
        b.broadcast(x, &[0], &[3, 5])
    });
    assert_kept(settled_reduction::run, &plain);
}

/// Truth values cross a barrier as words.
#[test]
fn no_bytes_behind_a_barrier() {
    let masked = function([ty(&[3, 5]), ty(&[4, 10])], |b, [x, y]| {
        let sum = b.sum(x, &[1])?;
        let zero = b.splat_like(0.0, sum)?;
        let above = b.compare(Direction::Gt, sum, zero)?;
        let above = b.broadcast(above, &[0], &[3, 5])?;
        let zero = b.splat_like(0.0, y)?;
        let mask = b.compare(Direction::Gt, y, zero)?;
        let cut = b.slice(mask, &[0, 1], &[3, 6], &[1, 1])?;
        let both = b.and(above, cut)?;
        let zero = b.splat_like(0.0, x)?;
        b.select(both, x, zero)
    });
    let settled = tuned(settled_reduction::run, &masked);
    let after = tuned(aligned_slice::run, &settled);
    let barriers: Vec<_> = after
        .body
        .iter()
        .filter(|i| i.op.name() == "optimization_barrier")
        .map(|i| after.ty(i.result).element)
        .collect();
    assert_eq!(barriers, [ElementType::I32; 3]);
}

#[test]
fn a_barrier_is_the_value() {
    let barrier = function([ty(&[2, 3])], |b, [x]| b.optimization_barrier(x));
    let plain = function([ty(&[2, 3])], |b, [x]| {
        b.negate(x).and_then(|x| b.negate(x))
    });
    crate::simplify::tests::assert_same_value(
        &plain,
        &passed(|m| Ok(m.clone()), &barrier),
        crate::simplify::tests::Draw::Distinct,
    );
    assert_eq!(barrier.body[0].op.name(), "optimization_barrier");
}
