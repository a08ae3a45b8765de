use super::{assert_kept, assert_rewritten, function};
use crate::stablehlo::{ElementType, TensorType};

fn vector() -> TensorType {
    TensorType::f32([3])
}

fn scalar() -> TensorType {
    TensorType::f32([])
}

fn integers() -> TensorType {
    TensorType::new([3], ElementType::I32)
}

#[test]
fn add_zero() {
    let itself = function([vector()], |_, [x]| Ok(x));
    for x_first in [true, false] {
        let before = function([vector()], |b, [x]| {
            let zero = b.splat_like(-0.0, x)?;
            if x_first {
                b.add(x, zero)
            } else {
                b.add(zero, x)
            }
        });
        assert_rewritten("add-zero", &before, &itself);
    }
    let before = function([integers()], |b, [x]| {
        let zero = b.splat_like(0.0, x)?;
        b.add(x, zero)
    });
    assert_rewritten("add-zero", &before, &function([integers()], |_, [x]| Ok(x)));
}

#[test]
fn add_zero_keeps_a_positive_zero() {
    // -0.0 + 0.0 is 0.0.
    let f = function([vector()], |b, [x]| {
        let zero = b.splat_like(0.0, x)?;
        b.add(x, zero)
    });
    assert_kept("add-zero", &f);
}

#[test]
fn multiply_one() {
    let itself = function([vector()], |_, [x]| Ok(x));
    for x_first in [true, false] {
        let before = function([vector()], |b, [x]| {
            let one = b.splat_like(1.0, x)?;
            if x_first {
                b.multiply(x, one)
            } else {
                b.multiply(one, x)
            }
        });
        assert_rewritten("multiply-one", &before, &itself);
    }
}

#[test]
fn multiply_one_keeps_other_factors() {
    let f = function([vector()], |b, [x]| {
        let minus = b.splat_like(-1.0, x)?;
        b.multiply(x, minus)
    });
    assert_kept("multiply-one", &f);
}

#[test]
fn negate_negate() {
    let before = function([vector()], |b, [x]| {
        let negated = b.negate(x)?;
        b.negate(negated)
    });
    assert_rewritten(
        "negate-negate",
        &before,
        &function([vector()], |_, [x]| Ok(x)),
    );
}

#[test]
fn negate_negate_keeps_a_single_one() {
    assert_kept("negate-negate", &function([vector()], |b, [x]| b.negate(x)));
}

#[test]
fn negate_of_repeated_scalar() {
    let before = function([scalar()], |b, [s]| {
        let spread = b.broadcast(s, &[], &[2, 3])?;
        b.negate(spread)
    });
    let after = function([scalar()], |b, [s]| {
        let negated = b.negate(s)?;
        b.broadcast(negated, &[], &[2, 3])
    });
    assert_rewritten("negate-of-repeated-scalar", &before, &after);
}

#[test]
fn negate_of_repeated_scalar_keeps_a_repeated_vector() {
    let f = function([vector()], |b, [x]| {
        let spread = b.broadcast(x, &[1], &[2, 3])?;
        b.negate(spread)
    });
    assert_kept("negate-of-repeated-scalar", &f);
}

#[test]
fn divide_repeated_scalar_first() {
    let arguments = || [scalar(), TensorType::f32([2]), TensorType::f32([2, 3])];
    for spread_first in [true, false] {
        let before = function(arguments(), |b, [s, y, x]| {
            let scale = b.broadcast(s, &[], &[2])?;
            let quotient = b.divide(scale, y)?;
            let spread = b.broadcast(quotient, &[0], &[2, 3])?;
            if spread_first {
                b.multiply(spread, x)
            } else {
                b.multiply(x, spread)
            }
        });
        let after = function(arguments(), |b, [s, y, x]| {
            let divisor = b.broadcast(y, &[0], &[2, 3])?;
            let ratio = b.divide(x, divisor)?;
            let scale = b.broadcast(s, &[], &[2, 3])?;
            b.multiply(ratio, scale)
        });
        assert_rewritten("divide-repeated-scalar-first", &before, &after);
    }
}

#[test]
fn divide_repeated_scalar_first_keeps_a_vector_dividend() {
    let f = function(
        [
            TensorType::f32([2]),
            TensorType::f32([2]),
            TensorType::f32([2, 3]),
        ],
        |b, [s, y, x]| {
            let quotient = b.divide(s, y)?;
            let spread = b.broadcast(quotient, &[0], &[2, 3])?;
            b.multiply(spread, x)
        },
    );
    assert_kept("divide-repeated-scalar-first", &f);
}

#[test]
fn divide_repeated_scalar_first_keeps_integers() {
    // (1 / 2) * 2 is 0, (2 / 2) * 1 is 1.
    let ty = |shape: &[i64]| TensorType::new(shape, ElementType::I32);
    let f = function([ty(&[]), ty(&[2]), ty(&[2, 3])], |b, [s, y, x]| {
        let scale = b.broadcast(s, &[], &[2])?;
        let quotient = b.divide(scale, y)?;
        let spread = b.broadcast(quotient, &[0], &[2, 3])?;
        b.multiply(spread, x)
    });
    assert_kept("divide-repeated-scalar-first", &f);
}

#[test]
fn multiply_by_quotient() {
    for quotient_first in [true, false] {
        let before = function([vector(), vector()], |b, [x, y]| {
            let one = b.splat_like(1.0, y)?;
            let quotient = b.divide(one, y)?;
            if quotient_first {
                b.multiply(quotient, x)
            } else {
                b.multiply(x, quotient)
            }
        });
        let after = function([vector(), vector()], |b, [x, y]| b.divide(x, y));
        assert_rewritten("multiply-by-quotient", &before, &after);
    }
}

#[test]
fn multiply_by_quotient_keeps_other_dividends() {
    let f = function([vector(), vector()], |b, [x, y]| {
        let two = b.splat_like(2.0, y)?;
        let quotient = b.divide(two, y)?;
        b.multiply(quotient, x)
    });
    assert_kept("multiply-by-quotient", &f);
}

#[test]
fn multiply_by_quotient_keeps_integers() {
    // (1 / 2) * 2 is 0, 2 / 2 is 1.
    let f = function([integers(), integers()], |b, [x, y]| {
        let one = b.splat_like(1.0, y)?;
        let quotient = b.divide(one, y)?;
        b.multiply(quotient, x)
    });
    assert_kept("multiply-by-quotient", &f);
}

#[test]
fn factor_out_scale() {
    let predicate = || TensorType::new([3], ElementType::I1);
    for product_first in [true, false] {
        let before = function([scalar(), vector(), predicate()], |b, [s, x, p]| {
            let scale = b.broadcast(s, &[], &[3])?;
            let product = b.multiply(x, scale)?;
            let negated = b.negate(s)?;
            let negated = b.broadcast(negated, &[], &[3])?;
            let zero = b.splat_like(0.0, x)?;
            let choice = b.select(p, negated, zero)?;
            if product_first {
                b.add(product, choice)
            } else {
                b.add(choice, product)
            }
        });
        let after = function([scalar(), vector(), predicate()], |b, [s, x, p]| {
            let scale = b.broadcast(s, &[], &[3])?;
            let zero = b.splat_like(0.0, x)?;
            let one = b.splat_like(1.0, x)?;
            let indicator = b.select(p, one, zero)?;
            let difference = b.subtract(x, indicator)?;
            b.multiply(difference, scale)
        });
        assert_rewritten("factor-out-scale", &before, &after);
    }
}

#[test]
fn factor_out_scale_keeps_another_scale_or_otherwise() {
    for (other_scale, otherwise) in [(true, 0.0), (false, 1.0)] {
        let arguments = [
            scalar(),
            scalar(),
            vector(),
            TensorType::new([3], ElementType::I1),
        ];
        let f = function(arguments, |b, [s, t, x, p]| {
            let scale = b.broadcast(s, &[], &[3])?;
            let product = b.multiply(x, scale)?;
            let negated = b.negate(if other_scale { t } else { s })?;
            let negated = b.broadcast(negated, &[], &[3])?;
            let otherwise = b.splat_like(otherwise, x)?;
            let choice = b.select(p, negated, otherwise)?;
            b.add(product, choice)
        });
        assert_kept("factor-out-scale", &f);
    }
}

#[test]
fn multiply_by_reciprocal() {
    let before = function([scalar(), vector()], |b, [n, x]| {
        let one = b.splat_like(1.0, n)?;
        let reciprocal = b.divide(one, n)?;
        let spread = b.broadcast(reciprocal, &[], &[3])?;
        b.multiply(x, spread)
    });
    let after = function([scalar(), vector()], |b, [n, x]| {
        let divisor = b.broadcast(n, &[], &[3])?;
        b.divide(x, divisor)
    });
    assert_rewritten("multiply-by-reciprocal", &before, &after);
}

#[test]
fn multiply_by_reciprocal_keeps_a_vector_divisor() {
    let f = function([TensorType::f32([1]), vector()], |b, [n, x]| {
        let one = b.splat_like(1.0, n)?;
        let reciprocal = b.divide(one, n)?;
        let spread = b.broadcast(reciprocal, &[0], &[3])?;
        b.multiply(x, spread)
    });
    assert_kept("multiply-by-reciprocal", &f);
}

#[test]
fn multiply_by_reciprocal_keeps_integers() {
    // 2 * (1 / 2) is 0, 2 / 2 is 1.
    let n = TensorType::scalar(ElementType::I32);
    let f = function([n, integers()], |b, [n, x]| {
        let one = b.splat_like(1.0, n)?;
        let reciprocal = b.divide(one, n)?;
        let spread = b.broadcast(reciprocal, &[], &[3])?;
        b.multiply(x, spread)
    });
    assert_kept("multiply-by-reciprocal", &f);
}
