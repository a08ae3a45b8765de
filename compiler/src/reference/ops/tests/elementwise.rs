use super::{apply, boolean, real, try_apply, whole};
use crate::reference::Tensor;
use crate::stablehlo::{BinaryOp, Direction, ElementType, Op, UnaryOp};

use ElementType::{F32, I1, I8, I32, I64, Ui8, Ui32, Ui64};

fn unary(op: UnaryOp, values: &[f64]) -> Vec<f64> {
    apply(Op::Unary(op), &[real(&[values.len() as i64], values)]).to_f64()
}

fn binary(op: BinaryOp, a: &[f64], b: &[f64]) -> Vec<f64> {
    let operands = [a, b].map(|v| real(&[v.len() as i64], v));
    apply(Op::Binary(op), &operands).to_f64()
}

fn on_integers(op: BinaryOp, element: ElementType, a: &[i64], b: &[i64]) -> Vec<i64> {
    let result = apply(Op::Binary(op), &[whole(element, a), whole(element, b)]);
    result.as_integers().to_vec()
}

fn assert_near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        assert!(
            (f - e).abs() < 1e-15 * e.abs().max(1.0),
            "{found:?} is not {expected:?}"
        );
    }
}

#[test]
fn real_functions() {
    use std::f64::consts::{E, LN_2, PI};
    assert_eq!(unary(UnaryOp::Abs, &[-2.0, -0.0, 2.0]), [2.0, 0.0, 2.0]);
    assert_eq!(unary(UnaryOp::Negate, &[0.0, -2.0]), [-0.0, 2.0]);
    assert_near(
        &unary(UnaryOp::Cosine, &[0.0, PI / 2.0, PI]),
        &[1.0, 0.0, -1.0],
    );
    assert_near(
        &unary(UnaryOp::Exponential, &[0.0, 1.0, -1.0]),
        &[1.0, E, 1.0 / E],
    );
    assert_near(
        &unary(UnaryOp::Log, &[1.0, 2.0, 4.0]),
        &[0.0, LN_2, 2.0 * LN_2],
    );
    assert_near(
        &unary(UnaryOp::Sqrt, &[0.0, 1.0, 4.0, 9.0]),
        &[0.0, 1.0, 2.0, 3.0],
    );
    assert_near(
        &unary(UnaryOp::Rsqrt, &[1.0, 4.0, 16.0, 25.0]),
        &[1.0, 0.5, 0.25, 0.2],
    );
    // tanh 1 and 1 / (1 + 1/e), to 16 digits.
    let tanh = 0.761_594_155_955_764_9;
    assert_near(
        &unary(UnaryOp::Tanh, &[-1.0, 0.0, 1.0]),
        &[-tanh, 0.0, tanh],
    );
    let logistic = 0.731_058_578_630_004_9;
    assert_near(
        &unary(UnaryOp::Logistic, &[-1000.0, 0.0, 1.0, 1000.0]),
        &[0.0, 0.5, logistic, 1.0],
    );
}

#[test]
fn real_arithmetic() {
    let (a, b) = ([1.0, 2.0, 7.0, 8.0], [5.0, 6.0, 3.0, 4.0]);
    assert_eq!(binary(BinaryOp::Add, &a, &b), [6.0, 8.0, 10.0, 12.0]);
    assert_eq!(binary(BinaryOp::Subtract, &a, &b), [-4.0, -4.0, 4.0, 4.0]);
    assert_eq!(binary(BinaryOp::Multiply, &a, &b), [5.0, 12.0, 21.0, 32.0]);
    assert_eq!(
        binary(BinaryOp::Divide, &a, &b),
        [0.2, 2.0 / 6.0, 7.0 / 3.0, 2.0]
    );
    assert_eq!(binary(BinaryOp::Maximum, &a, &b), [5.0, 6.0, 7.0, 8.0]);
    assert_eq!(binary(BinaryOp::Minimum, &a, &b), [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn extrema_pass_nan_and_order_zeros() {
    let (nan, zero) = (f64::NAN, 0.0);
    let max = binary(
        BinaryOp::Maximum,
        &[nan, 1.0, -0.0, zero],
        &[1.0, nan, zero, -0.0],
    );
    assert!(max[0].is_nan() && max[1].is_nan());
    assert!(max[2].is_sign_positive() && max[3].is_sign_positive());
    let min = binary(
        BinaryOp::Minimum,
        &[nan, 1.0, -0.0, zero],
        &[1.0, nan, zero, -0.0],
    );
    assert!(min[0].is_nan() && min[1].is_nan());
    assert!(min[2].is_sign_negative() && min[3].is_sign_negative());
}

#[test]
fn integer_division_rounds_towards_zero() {
    let (a, b) = ([17, -17, 17, -17], [3, 3, -3, -3]);
    assert_eq!(on_integers(BinaryOp::Divide, I32, &a, &b), [5, -5, -5, 5]);
    let least = i64::from(i32::MIN);
    assert_eq!(
        on_integers(BinaryOp::Divide, I32, &[least, 7], &[-1, 0]),
        [least, -1]
    );
    // 2^64 - 2 over 3, and by 0.
    assert_eq!(
        on_integers(BinaryOp::Divide, Ui64, &[-2, 1], &[3, 0]),
        [6_148_914_691_236_517_204, -1]
    );
}

#[test]
fn integers_wrap() {
    assert_eq!(on_integers(BinaryOp::Add, I8, &[127], &[1]), [-128]);
    assert_eq!(on_integers(BinaryOp::Add, Ui8, &[255], &[2]), [1]);
    assert_eq!(
        on_integers(BinaryOp::Subtract, Ui32, &[0], &[1]),
        [4_294_967_295]
    );
    assert_eq!(
        on_integers(BinaryOp::Multiply, I32, &[65_536], &[65_537]),
        [65_536]
    );
    assert_eq!(on_integers(BinaryOp::Multiply, Ui64, &[-1], &[-1]), [1]);
    let negated = apply(Op::Unary(UnaryOp::Negate), &[whole(I8, &[-128, 5])]);
    assert_eq!(negated.as_integers(), [-128, -5]);
    let absolute = apply(Op::Unary(UnaryOp::Abs), &[whole(I32, &[-2, 0, 2])]);
    assert_eq!(absolute.as_integers(), [2, 0, 2]);
}

#[test]
fn bits() {
    let (a, b) = ([1, 2, 3, 4], [5, 6, 7, 8]);
    assert_eq!(on_integers(BinaryOp::And, I32, &a, &b), [1, 2, 3, 0]);
    assert_eq!(on_integers(BinaryOp::Or, I32, &a, &b), [5, 6, 7, 12]);
    assert_eq!(on_integers(BinaryOp::Xor, I32, &a, &b), [4, 4, 4, 12]);
    let not = apply(Op::Unary(UnaryOp::Not), &[whole(I32, &[-2, -1, 0, 1, 2])]);
    assert_eq!(not.as_integers(), [1, 0, -1, -2, -3]);
    let not = apply(Op::Unary(UnaryOp::Not), &[whole(Ui8, &[0, 5])]);
    assert_eq!(not.as_integers(), [255, 250]);
}

#[test]
fn shifts_by_the_width_or_more_give_zero() {
    let left = BinaryOp::ShiftLeft;
    assert_eq!(on_integers(left, I64, &[-1, 0, 1], &[1, 2, 3]), [-2, 0, 8]);
    assert_eq!(
        on_integers(left, I8, &[1, 1, 1, 1], &[7, 8, 64, -1]),
        [-128, 0, 0, 0]
    );
    assert_eq!(on_integers(left, Ui32, &[3], &[31]), [2_147_483_648]);
    let right = BinaryOp::ShiftRightLogical;
    assert_eq!(
        on_integers(right, I64, &[-1, 0, 1], &[1, 2, 3]),
        [i64::MAX, 0, 0]
    );
    assert_eq!(
        on_integers(right, I32, &[-1, -1, -1], &[28, 32, -1]),
        [15, 0, 0]
    );
    assert_eq!(on_integers(right, Ui64, &[-1], &[63]), [1]);
}

#[test]
fn booleans_add_as_or_and_multiply_as_and() {
    let (a, b) = ([0, 0, 1, 1], [0, 1, 0, 1]);
    for (op, expected) in [
        (BinaryOp::Add, [0, 1, 1, 1]),
        (BinaryOp::Or, [0, 1, 1, 1]),
        (BinaryOp::Maximum, [0, 1, 1, 1]),
        (BinaryOp::Multiply, [0, 0, 0, 1]),
        (BinaryOp::And, [0, 0, 0, 1]),
        (BinaryOp::Minimum, [0, 0, 0, 1]),
        (BinaryOp::Xor, [0, 1, 1, 0]),
    ] {
        assert_eq!(on_integers(op, I1, &a, &b), expected, "{}", op.name());
    }
    let not = apply(Op::Unary(UnaryOp::Not), &[boolean(&[true, false])]);
    assert_eq!(not, boolean(&[false, true]));
    let refused = try_apply(
        Op::Binary(BinaryOp::Subtract),
        &[boolean(&[true]), boolean(&[true])],
    );
    assert_eq!(
        refused.unwrap_err().to_string(),
        "<unknown>: `stablehlo.subtract`: is not defined for i1"
    );
}

#[test]
fn comparisons() {
    let nan = f64::NAN;
    let (a, b) = (
        [1.0, 2.0, 3.0, nan, nan, -0.0],
        [2.0, 2.0, 2.0, 1.0, nan, 0.0],
    );
    for (direction, expected) in [
        (Direction::Eq, [false, true, false, false, false, true]),
        (Direction::Ne, [true, false, true, true, true, false]),
        (Direction::Ge, [false, true, true, false, false, true]),
        (Direction::Gt, [false, false, true, false, false, false]),
        (Direction::Le, [true, true, false, false, false, true]),
        (Direction::Lt, [true, false, false, false, false, false]),
    ] {
        let result = apply(Op::Compare(direction), &[real(&[6], &a), real(&[6], &b)]);
        assert_eq!(result, boolean(&expected), "{}", direction.name());
    }
    let less = |element, a: &[i64], b: &[i64]| {
        apply(
            Op::Compare(Direction::Lt),
            &[whole(element, a), whole(element, b)],
        )
    };
    assert_eq!(less(I64, &[-1, 1], &[1, 1]), boolean(&[true, false]));
    assert_eq!(less(Ui64, &[-1, 1], &[1, -1]), boolean(&[false, true]));
    assert_eq!(less(I1, &[0, 1], &[1, 0]), boolean(&[true, false]));
}

#[test]
fn select_by_elements_and_by_a_scalar() {
    let (a, b) = (
        real(&[4], &[1.0, 2.0, 3.0, 4.0]),
        real(&[4], &[5.0, 6.0, 7.0, 8.0]),
    );
    let each = boolean(&[false, true, true, false]);
    let result = apply(Op::Select, &[each, a.clone(), b.clone()]);
    assert_eq!(result, real(&[4], &[5.0, 2.0, 3.0, 8.0]));
    for (value, expected) in [(0, &b), (1, &a)] {
        let ty = crate::stablehlo::TensorType::scalar(I1);
        let scalar = Tensor::integers(ty, vec![value]).unwrap();
        assert_eq!(
            &apply(Op::Select, &[scalar, a.clone(), b.clone()]),
            expected
        );
    }
}

/// 1.0 is 0x3F800000 in f32; 0x0123456789ABCDEF, of the specification's
/// example, is an f64.
#[test]
fn bits_of_another_type() {
    let cast = |x: Tensor<f64>, element| apply(Op::BitcastConvert(element), &[x]);
    let one = real(&[2], &[1.0, -0.0]);
    let bits = whole(Ui32, &[0x3F80_0000, 0x8000_0000]);
    assert_eq!(cast(one.clone(), Ui32), bits);
    assert_eq!(cast(bits.clone(), F32).to_f64(), [1.0, -0.0]);
    assert!(cast(bits.clone(), F32).to_f64()[1].is_sign_negative());
    assert_eq!(cast(one, I32), whole(I32, &[0x3F80_0000, -0x8000_0000]));
    assert_eq!(cast(bits, I32), whole(I32, &[0x3F80_0000, -0x8000_0000]));
    let pattern = whole(I64, &[0x0123_4567_89AB_CDEF]);
    let real = cast(pattern.clone(), ElementType::F64);
    assert_eq!(real.to_f64(), [f64::from_bits(0x0123_4567_89AB_CDEF)]);
    assert_eq!(cast(real, I64), pattern);
}

#[test]
fn conversions() {
    let convert = |x: Tensor<f64>, element| apply(Op::Convert(element), &[x]);
    let reals = [-2.7, 2.7, f64::NAN, 1e10, -1e10];
    let rounded = |element| convert(real(&[5], &reals), element).as_integers().to_vec();
    assert_eq!(rounded(I8), [-2, 2, 0, 127, -128]);
    assert_eq!(rounded(I32), [-2, 2, 0, 2_147_483_647, -2_147_483_648]);
    assert_eq!(rounded(Ui8), [0, 2, 0, 255, 0]);
    assert_eq!(rounded(I64), [-2, 2, 0, 10_000_000_000, -10_000_000_000]);
    assert_eq!(rounded(I1), [1, 1, 1, 1, 1]);
    assert_eq!(
        convert(whole(Ui64, &[-1, 3]), F32),
        real(&[2], &[2f64.powi(64), 3.0])
    );
    assert_eq!(convert(whole(I64, &[-1, 3]), F32), real(&[2], &[-1.0, 3.0]));
    assert_eq!(convert(whole(I32, &[300, -1]), Ui8), whole(Ui8, &[44, 255]));
    assert_eq!(convert(whole(Ui8, &[200]), I8), whole(I8, &[-56]));
    assert_eq!(
        convert(whole(I8, &[-1]), Ui32),
        whole(Ui32, &[4_294_967_295])
    );
    assert_eq!(convert(whole(I32, &[0, 2]), I1), boolean(&[false, true]));
    assert_eq!(
        convert(boolean(&[false, true]), F32),
        real(&[2], &[0.0, 1.0])
    );
}
