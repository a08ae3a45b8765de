use super::{assert_kept, assert_rewritten, function, names};
use crate::simplify::simplify;
use crate::stablehlo::{ElementType, Literal, Op, Scalar, TensorType};

fn ty(shape: &[i64]) -> TensorType {
    TensorType::f32(shape)
}

/// 1, 2, 3.
fn numbers() -> Op {
    Op::Constant(Literal {
        ty: ty(&[3]),
        values: [1.0, 2.0, 3.0].map(Scalar::Float).to_vec(),
    })
}

#[test]
fn broadcast_broadcast() {
    // x is stretched by the first and turned over by the second.
    let before = function([ty(&[2, 1])], |b, [x]| {
        let wide = b.broadcast(x, &[0, 1], &[2, 3])?;
        b.broadcast(wide, &[2, 0], &[3, 4, 2])
    });
    let after = function([ty(&[2, 1])], |b, [x]| b.broadcast(x, &[2, 0], &[3, 4, 2]));
    assert_rewritten("broadcast-broadcast", &before, &after);
}

#[test]
fn broadcast_broadcast_keeps_a_single_one() {
    let f = function([ty(&[2])], |b, [x]| {
        let negated = b.negate(x)?;
        b.broadcast(negated, &[1], &[3, 2])
    });
    assert_kept("broadcast-broadcast", &f);
}

#[test]
fn broadcast_constant() {
    let before = function([], |b, []| {
        let x = b.splat(2.5, ty(&[2]))?;
        b.broadcast(x, &[1], &[3, 2])
    });
    let after = function([], |b, []| b.splat(2.5, ty(&[3, 2])));
    assert_rewritten("broadcast-constant", &before, &after);
}

#[test]
fn broadcast_constant_keeps_unlike_elements() {
    let f = function([], |b, []| {
        let x = b.push(numbers(), &[])?;
        b.broadcast(x, &[1], &[2, 3])
    });
    assert_kept("broadcast-constant", &f);
}

#[test]
fn broadcast_identity() {
    let before = function([ty(&[2, 3])], |b, [x]| b.broadcast(x, &[0, 1], &[2, 3]));
    assert_rewritten(
        "broadcast-identity",
        &before,
        &function([ty(&[2, 3])], |_, [x]| Ok(x)),
    );
}

#[test]
fn broadcast_identity_keeps_turned_and_stretched_ones() {
    let turned = function([ty(&[2, 2])], |b, [x]| b.broadcast(x, &[1, 0], &[2, 2]));
    assert_kept("broadcast-identity", &turned);
    let stretched = function([ty(&[2, 1])], |b, [x]| b.broadcast(x, &[0, 1], &[2, 3]));
    assert_kept("broadcast-identity", &stretched);
}

#[test]
fn reshape_reshape() {
    let before = function([ty(&[2, 3])], |b, [x]| {
        let flat = b.reshape(x, &[6])?;
        b.reshape(flat, &[3, 2])
    });
    let after = function([ty(&[2, 3])], |b, [x]| b.reshape(x, &[3, 2]));
    assert_rewritten("reshape-reshape", &before, &after);
    let back = function([ty(&[2, 3])], |b, [x]| {
        let flat = b.reshape(x, &[6])?;
        b.reshape(flat, &[2, 3])
    });
    let itself = function([ty(&[2, 3])], |_, [x]| Ok(x));
    assert_rewritten("reshape-reshape", &back, &itself);
    let idle = function([ty(&[2])], |b, [x]| {
        b.push(Op::Reshape { shape: vec![2] }, &[x])
    });
    assert_rewritten(
        "reshape-reshape",
        &idle,
        &function([ty(&[2])], |_, [x]| Ok(x)),
    );
}

#[test]
fn reshape_reshape_keeps_a_single_one() {
    assert_kept(
        "reshape-reshape",
        &function([ty(&[2, 3])], |b, [x]| b.reshape(x, &[6])),
    );
}

#[test]
fn reshape_constant() {
    let before = function([], |b, []| {
        let x = b.splat(-1.5, ty(&[2, 3]))?;
        b.reshape(x, &[6])
    });
    let after = function([], |b, []| b.splat(-1.5, ty(&[6])));
    assert_rewritten("reshape-constant", &before, &after);
}

#[test]
fn reshape_constant_keeps_unlike_elements() {
    let f = function([], |b, []| {
        let x = b.push(numbers(), &[])?;
        b.reshape(x, &[3, 1])
    });
    assert_kept("reshape-constant", &f);
}

#[test]
fn transpose_transpose() {
    let before = function([ty(&[2, 3, 4])], |b, [x]| {
        let first = b.transpose(x, &[1, 2, 0])?;
        b.transpose(first, &[0, 2, 1])
    });
    // First: dimensions 1, 2, 0 of x. Then the last two change places.
    let after = function([ty(&[2, 3, 4])], |b, [x]| b.transpose(x, &[1, 0, 2]));
    assert_rewritten("transpose-transpose", &before, &after);
    let back = function([ty(&[2, 3, 4])], |b, [x]| {
        let first = b.transpose(x, &[1, 2, 0])?;
        b.transpose(first, &[2, 0, 1])
    });
    let itself = function([ty(&[2, 3, 4])], |_, [x]| Ok(x));
    assert_rewritten("transpose-transpose", &back, &itself);
}

#[test]
fn transpose_transpose_keeps_a_single_one() {
    let f = function([ty(&[2, 3])], |b, [x]| {
        let negated = b.negate(x)?;
        b.transpose(negated, &[1, 0])
    });
    assert_kept("transpose-transpose", &f);
}

#[test]
fn transpose_as_reshape() {
    let before = function([ty(&[1, 3, 1, 4])], |b, [x]| b.transpose(x, &[1, 2, 3, 0]));
    let after = function([ty(&[1, 3, 1, 4])], |b, [x]| b.reshape(x, &[3, 1, 4, 1]));
    assert_rewritten("transpose-as-reshape", &before, &after);
}

#[test]
fn transpose_as_reshape_keeps_what_moves() {
    let f = function([ty(&[1, 3, 1, 4])], |b, [x]| b.transpose(x, &[3, 0, 1, 2]));
    assert_kept("transpose-as-reshape", &f);
}

#[test]
fn reverse_reverse() {
    let before = function([ty(&[2, 3])], |b, [x]| {
        let once = b.reverse(x, &[0, 1])?;
        b.reverse(once, &[0, 1])
    });
    assert_rewritten(
        "reverse-reverse",
        &before,
        &function([ty(&[2, 3])], |_, [x]| Ok(x)),
    );
}

#[test]
fn reverse_reverse_keeps_other_dimensions() {
    let f = function([ty(&[2, 3])], |b, [x]| {
        let once = b.reverse(x, &[0])?;
        b.reverse(once, &[1])
    });
    assert_kept("reverse-reverse", &f);
}

#[test]
fn reverse_unit() {
    let before = function([ty(&[1, 3, 1])], |b, [x]| b.reverse(x, &[0, 2]));
    assert_rewritten(
        "reverse-unit",
        &before,
        &function([ty(&[1, 3, 1])], |_, [x]| Ok(x)),
    );
}

#[test]
fn reverse_unit_keeps_longer_dimensions() {
    assert_kept(
        "reverse-unit",
        &function([ty(&[1, 3])], |b, [x]| b.reverse(x, &[0, 1])),
    );
}

#[test]
fn rewrites_follow_one_another() {
    // A turned and doubly reshaped constant ends as one constant.
    let f = function([], |b, []| {
        let x = b.splat(1.0, TensorType::new([2, 3], ElementType::F32))?;
        let flat = b.reshape(x, &[6])?;
        let wide = b.broadcast(flat, &[1], &[4, 6])?;
        b.broadcast(wide, &[0, 1], &[4, 6])
    });
    assert_eq!(names(&simplify(&f).unwrap()), ["constant"]);
}
