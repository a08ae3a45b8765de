use super::{assert_kept, tuned, ty};
use crate::simplify::merge_equal;
use crate::simplify::tests::{function, text};
use crate::stablehlo::Direction;
use crate::tune::relu_mask::run;

#[test]
fn relu_mask() {
    for x_first in [true, false] {
        let of = |from_relu: bool| {
            function([ty(&[6]), ty(&[6])], |b, [x, dy]| {
                let zero = b.splat_like(0.0, x)?;
                let relu = if x_first {
                    b.maximum(x, zero)?
                } else {
                    b.maximum(zero, x)?
                };
                let input = if from_relu { relu } else { x };
                let mask = b.compare(Direction::Gt, input, zero)?;
                let dx = b.select(mask, dy, zero)?;
                b.add(relu, dx)
            })
        };
        assert_eq!(text(&tuned(run, &of(false))), text(&of(true)));
    }
}

#[test]
fn relu_mask_keeps_masks_without_a_relu_of_zero() {
    // The relu is missing, comes later, or is one of another bound.
    for (bound, first) in [(None, true), (Some(0.0), false), (Some(1.0), true)] {
        let f = function([ty(&[6]), ty(&[6])], |b, [x, dy]| {
            let zero = b.splat_like(0.0, x)?;
            let mut sum = dy;
            if let Some(bound) = bound.filter(|_| first) {
                let bound = b.splat_like(bound, x)?;
                let other = b.maximum(x, bound)?;
                sum = b.add(sum, other)?;
            }
            let mask = b.compare(Direction::Gt, x, zero)?;
            if let Some(bound) = bound.filter(|_| !first) {
                let bound = b.splat_like(bound, x)?;
                let other = b.maximum(x, bound)?;
                sum = b.add(sum, other)?;
            }
            b.select(mask, sum, zero)
        });
        assert_kept(run, &merge_equal(&f));
    }
}

#[test]
fn relu_mask_keeps_other_comparisons() {
    let f = function([ty(&[6]), ty(&[6])], |b, [x, dy]| {
        let zero = b.splat_like(0.0, x)?;
        let relu = b.maximum(x, zero)?;
        // At 0 this holds, and max(x, 0) >= 0 holds everywhere.
        let mask = b.compare(Direction::Ge, x, zero)?;
        let dx = b.select(mask, dy, zero)?;
        b.add(relu, dx)
    });
    assert_kept(run, &f);
}
