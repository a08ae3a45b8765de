//! Functions of two and three operands.

use cnnc::stablehlo::{BinaryOp, Op};

use super::common::adjoint::{assert_exact, assert_near};
use super::{function, one_op};

/// Of a positive base; the field takes any.
#[test]
fn powers_and_angles() {
    for op in [BinaryOp::Power, BinaryOp::Atan2, BinaryOp::Remainder] {
        let f = one_op(&[&[3, 4], &[3, 4]], Op::Binary(op));
        assert_exact(op.name(), &f, 0.25, 3.0);
        assert_near(op.name(), &f, 0.25, 3.0);
    }
    for exponent in [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 2.5, 3.0, 7.0] {
        let f = function(&[&[2, 3]], |b, x| {
            let y = b.splat_like(exponent, x[0])?;
            b.power(x[0], y)
        });
        let name = format!("x^{exponent}");
        assert_exact(&name, &f, 0.25, 3.0);
        assert_near(&name, &f, 0.25, 3.0);
    }
    let powers = function(&[&[2, 3]], |b, x| {
        let base = b.splat_like(1.5, x[0])?;
        b.power(base, x[0])
    });
    assert_exact("1.5^x", &powers, -2.0, 2.0);
}

#[test]
fn clamp_by_tensors_and_scalars() {
    for bounds in [&[3i64, 4][..], &[]] {
        let f = one_op(&[bounds, &[3, 4], bounds], Op::Clamp);
        assert_exact("clamp", &f, -1.0, 1.0);
    }
    let mixed = one_op(&[&[], &[12], &[12]], Op::Clamp);
    assert_exact("clamp from a scalar", &mixed, -1.0, 1.0);
}
