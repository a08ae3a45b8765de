//! Functions, roundings and powers. Values are those of the specification's
//! examples, else of numpy in f64 by the expression at each.

use std::f64::consts::{LN_2, PI, SQRT_2};

use super::{apply, boolean, real, try_apply, whole};
use crate::reference::Tensor;
use crate::stablehlo::{BinaryOp, Direction, ElementType, Op, TensorType, UnaryOp};

use ElementType::{I8, I32, I64, Ui8, Ui32, Ui64};

fn unary(op: UnaryOp, values: &[f64]) -> Vec<f64> {
    apply(Op::Unary(op), &[real(&[values.len() as i64], values)]).to_f64()
}

fn binary(op: BinaryOp, a: &[f64], b: &[f64]) -> Vec<f64> {
    let operands = [a, b].map(|v| real(&[v.len() as i64], v));
    apply(Op::Binary(op), &operands).to_f64()
}

fn unary_on_integers(op: UnaryOp, element: ElementType, a: &[i64]) -> Vec<i64> {
    apply(Op::Unary(op), &[whole(element, a)])
        .as_integers()
        .to_vec()
}

fn on_integers(op: BinaryOp, element: ElementType, a: &[i64], b: &[i64]) -> Vec<i64> {
    let result = apply(Op::Binary(op), &[whole(element, a), whole(element, b)]);
    result.as_integers().to_vec()
}

/// Asserts equality to within a relative error; NaN equals NaN.
fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (&f, &e) in found.iter().zip(expected) {
        let near = f == e || f.is_nan() && e.is_nan();
        assert!(
            near || (f - e).abs() <= tolerance * e.abs().max(1.0),
            "{found:?} is not {expected:?}"
        );
    }
}

/// Bits, which tell -0 from 0.
fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn functions_by_the_specification() {
    assert_near(
        &unary(UnaryOp::Cbrt, &[0.0, 1.0, 8.0, 27.0]),
        &[0.0, 1.0, 2.0, 3.0],
        1e-15,
    );
    assert_near(
        &unary(UnaryOp::ExponentialMinusOne, &[0.0, 1.0]),
        &[0.0, 1.718_281_87],
        1e-7,
    );
    assert_near(
        &unary(UnaryOp::LogPlusOne, &[0.0, -0.999, 7.0, 6.389_056_21, 15.0]),
        &[0.0, -6.907_768_25, 2.079_441_55, 2.0, 2.772_588_73],
        1e-5,
    );
    let quarters = [0.0, PI / 2.0, PI, 1.5 * PI];
    assert_near(
        &unary(UnaryOp::Sine, &quarters),
        &[0.0, 1.0, 0.0, -1.0],
        1e-7,
    );
    let angles = binary(BinaryOp::Atan2, &[0.0, 1.0, -1.0], &[0.0; 3]);
    assert_near(&angles, &[0.0, 1.570_796_37, -1.570_796_37], 1e-7);
}

/// `np.cbrt(x)`, `np.expm1(x)`, `np.sin(x)`, `np.tan(x)` of
/// `x = [-2, -0.5, 0.25, 3]`, `np.log1p` of `[-0.5, 1e-10, 0.25, 3]`,
/// `np.expm1(1e-10)`, and `np.arctan2` in each quadrant and on the cut.
#[test]
fn functions_by_numpy() {
    let x = [-2.0, -0.5, 0.25, 3.0];
    let cases = [
        (
            UnaryOp::Cbrt,
            [
                -1.2599210498948732,
                -0.7937005259840998,
                0.6299605249474366,
                1.4422495703074083,
            ],
        ),
        (
            UnaryOp::ExponentialMinusOne,
            [
                -0.8646647167633873,
                -0.3934693402873666,
                0.2840254166877415,
                19.085536923187668,
            ],
        ),
        (
            UnaryOp::Sine,
            [
                -0.9092974268256817,
                -0.479425538604203,
                0.24740395925452294,
                0.1411200080598672,
            ],
        ),
        (
            UnaryOp::Tan,
            [
                2.185039863261519,
                -0.5463024898437905,
                0.25534192122103627,
                -0.1425465430742778,
            ],
        ),
    ];
    for (op, expected) in cases {
        assert_near(&unary(op, &x), &expected, 1e-15);
    }
    assert_near(
        &unary(UnaryOp::LogPlusOne, &[-0.5, 1e-10, 0.25, 3.0]),
        &[
            -LN_2,
            9.999999999500001e-11,
            0.22314355131420976,
            1.3862943611198906,
        ],
        1e-15,
    );
    let small = unary(UnaryOp::ExponentialMinusOne, &[1e-10]);
    assert!((small[0] - 1.00000000005e-10).abs() < 1e-24, "{small:?}");
    assert_near(
        &binary(
            BinaryOp::Atan2,
            &[1.0, 1.0, -1.0, -1.0, 0.0, -0.0],
            &[2.0, -2.0, -2.0, 2.0, -1.0, -1.0],
        ),
        &[
            0.4636476090008061,
            2.677945044588987,
            -2.677945044588987,
            -0.4636476090008061,
            PI,
            -PI,
        ],
        1e-15,
    );
}

/// The specification's example but for 10000^10, which f64 holds; then
/// `np.power([2, 0.5, -2, 0, 0, -8], [0.5, -1.5, -3, 0, -1, 1/3])`.
#[test]
fn powers() {
    let powers = binary(
        BinaryOp::Power,
        &[-2.0, -0.0, -36.0, 5.0, 3.0, 10_000.0],
        &[2.0, 2.0, 1.1, 2.0, -1.0, 10.0],
    );
    assert_near(&powers, &[4.0, 0.0, f64::NAN, 25.0, 1.0 / 3.0, 1e40], 1e-15);
    let powers = binary(
        BinaryOp::Power,
        &[2.0, 0.5, -2.0, 0.0, 0.0, -8.0],
        &[0.5, -1.5, -3.0, 0.0, -1.0, 1.0 / 3.0],
    );
    let expected = [
        SQRT_2,
        2.8284271247461903,
        -0.125,
        1.0,
        f64::INFINITY,
        f64::NAN,
    ];
    assert_near(&powers, &expected, 1e-15);
    let integers = on_integers(BinaryOp::Power, I32, &[-3, 2, 0, 7], &[3, 31, 0, 0]);
    assert_eq!(integers, [-27, i64::from(i32::MIN), 1, 1]);
    // A negative power is a fraction but for 1 and -1.
    let negative = on_integers(BinaryOp::Power, I8, &[1, -1, -1, 2], &[-3, -3, -2, -1]);
    assert_eq!(negative, [1, -1, 1, 0]);
    // 3^64 is 1 modulo 256, so that 3^255 is the inverse of 3: 3 * 171 = 513.
    assert_eq!(on_integers(BinaryOp::Power, Ui8, &[3], &[255]), [171]);
}

#[test]
fn remainders() {
    let (a, b) = ([17, -17, 17, -17], [3, 3, -3, -3]);
    assert_eq!(
        on_integers(BinaryOp::Remainder, I64, &a, &b),
        [2, -2, 2, -2]
    );
    // As in XLA: of a division by 0 the dividend, of the least integer by -1
    // nothing.
    let least = i64::from(i32::MIN);
    assert_eq!(
        on_integers(BinaryOp::Remainder, I32, &[7, least], &[0, -1]),
        [7, 0]
    );
    // 2^64 - 2 modulo 3
    assert_eq!(on_integers(BinaryOp::Remainder, Ui64, &[-2], &[3]), [2]);
    // np.fmod
    let a = [7.5, -7.5, 7.5, -7.5, 5.0, -0.0];
    let b = [2.0, 2.0, -2.0, -2.0, f64::INFINITY, 2.0];
    let found = binary(BinaryOp::Remainder, &a, &b);
    assert_eq!(bits(&found), bits(&[1.5, -1.5, 1.5, -1.5, 5.0, -0.0]));
    assert!(binary(BinaryOp::Remainder, &[1.0], &[0.0])[0].is_nan());
}

#[test]
fn roundings_by_the_specification() {
    let x = [-0.8166, -0.2530, 0.2530, 0.8166, 2.0];
    assert_eq!(
        bits(&unary(UnaryOp::Ceil, &x)),
        bits(&[-0.0, -0.0, 1.0, 1.0, 2.0])
    );
    assert_eq!(
        bits(&unary(UnaryOp::Floor, &x)),
        bits(&[-1.0, -1.0, 0.0, 0.0, 2.0])
    );
    let x = [-2.5, 0.4, 0.5, 0.6, 2.5];
    assert_eq!(
        unary(UnaryOp::RoundNearestAfz, &x),
        [-3.0, 0.0, 1.0, 1.0, 3.0]
    );
    assert_eq!(
        unary(UnaryOp::RoundNearestEven, &x),
        [-2.0, 0.0, 0.0, 1.0, 2.0]
    );
    let sign = unary(UnaryOp::Sign, &[f64::NAN, -1.0, -0.0, 0.0, 1.0, -7.5]);
    assert!(sign[0].is_nan());
    assert_eq!(bits(&sign[1..]), bits(&[-1.0, -0.0, 0.0, 1.0, -1.0]));
    assert_eq!(
        unary_on_integers(UnaryOp::Sign, I32, &[-9, 0, 4]),
        [-1, 0, 1]
    );
}

#[test]
fn is_finite_by_the_specification() {
    let x = [
        f64::NEG_INFINITY,
        f64::INFINITY,
        f64::NAN,
        -10.0,
        -0.0,
        0.0,
        10.0,
    ];
    let finite = apply(Op::Unary(UnaryOp::IsFinite), &[real(&[7], &x)]);
    let expected = [false, false, false, true, true, true, true];
    assert_eq!(finite, boolean(&expected));
}

#[test]
fn bits_are_counted_and_shifted_by_the_specification() {
    let zeros = unary_on_integers(UnaryOp::CountLeadingZeros, I64, &[0, 1, 128, -1]);
    assert_eq!(zeros, [64, 63, 56, 0]);
    assert_eq!(
        unary_on_integers(UnaryOp::Popcnt, I64, &[0, 1, 2, 127]),
        [0, 1, 1, 7]
    );
    // Narrow types have no more bits than they say.
    assert_eq!(
        unary_on_integers(UnaryOp::CountLeadingZeros, I8, &[0, 1, -1]),
        [8, 7, 0]
    );
    assert_eq!(unary_on_integers(UnaryOp::Popcnt, I8, &[-1, -128]), [8, 1]);
    assert_eq!(
        unary_on_integers(UnaryOp::Popcnt, Ui32, &[4_294_967_295]),
        [32]
    );
    let shift = BinaryOp::ShiftRightArithmetic;
    assert_eq!(on_integers(shift, I64, &[-1, 0, 8], &[1, 2, 3]), [-1, 0, 1]);
    // By the width or more the sign remains.
    assert_eq!(
        on_integers(shift, I8, &[-128, 127, -1], &[8, 64, -1]),
        [-1, 0, -1]
    );
    // Unsigned numbers are filled with their first bit.
    assert_eq!(on_integers(shift, Ui8, &[128, 64], &[1, 1]), [192, 32]);
    let refused = try_apply(Op::Binary(shift), &[boolean(&[true]), boolean(&[true])]);
    assert_eq!(
        refused.unwrap_err().to_string(),
        "<unknown>: `stablehlo.shift_right_arithmetic`: is not defined for i1"
    );
}

/// The order of IEEE: -NaN, -inf, -1, -0, 0, 1, inf, NaN.
#[test]
fn total_order() {
    let x = [
        -f64::NAN.abs(),
        f64::NEG_INFINITY,
        -1.0,
        -0.0,
        0.0,
        1.0,
        f64::INFINITY,
        f64::NAN.abs(),
    ];
    for (i, &a) in x.iter().enumerate() {
        let all = real(&[8], &[a; 8]);
        for (direction, holds) in [
            (Direction::Lt, [false, true]),
            (Direction::Ge, [true, false]),
        ] {
            let found = apply(Op::CompareTotal(direction), &[all.clone(), real(&[8], &x)]);
            let expected: Vec<bool> = (0..8).map(|j| holds[usize::from(j > i)]).collect();
            assert_eq!(found, boolean(&expected), "{a} {}", direction.name());
        }
        let equal = apply(Op::CompareTotal(Direction::Eq), &[all, real(&[8], &x)]);
        let expected: Vec<bool> = (0..8).map(|j| j == i).collect();
        assert_eq!(equal, boolean(&expected), "{a} EQ");
    }
}

#[test]
fn clamp_by_the_specification() {
    let bounds = [whole(I32, &[5, 10, 15]), whole(I32, &[10, 15, 20])];
    let x = whole(I32, &[3, 13, 23]);
    let [min, max] = bounds;
    assert_eq!(apply(Op::Clamp, &[min, x, max]), whole(I32, &[5, 13, 20]));
    // Scalar bounds hold for all; the greatest one has the last word.
    let scalar = |v| real(&[], &[v]);
    let x = real(&[4], &[-1.0, 0.5, 2.0, f64::NAN]);
    let clamped = apply(Op::Clamp, &[scalar(0.0), x.clone(), scalar(1.0)]).to_f64();
    assert_near(&clamped, &[0.0, 0.5, 1.0, f64::NAN], 0.0);
    let crossed = apply(Op::Clamp, &[scalar(1.0), x, scalar(0.0)]).to_f64();
    assert_near(&crossed, &[0.0, 0.0, 0.0, f64::NAN], 0.0);
    let unsigned = |v| Tensor::<f64>::integers(TensorType::scalar(Ui64), vec![v]).unwrap();
    let clamped = apply(
        Op::Clamp,
        &[unsigned(1), whole(Ui64, &[0, -1]), unsigned(-2)],
    );
    assert_eq!(clamped, whole(Ui64, &[1, -2]));
}
