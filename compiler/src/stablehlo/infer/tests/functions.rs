use super::{assert_refused, infer, ty};
use crate::stablehlo::{
    BinaryOp, Direction, ElementType, Op, Reducer, TensorType, UnaryOp, Window,
};

#[test]
fn functions_take_the_elements_that_the_specification_gives_them() {
    let of = |element| TensorType::new([2], element);
    let takes = |op, element| infer(&Op::Unary(op), &[of(element)]);
    for op in [
        UnaryOp::Sine,
        UnaryOp::Floor,
        UnaryOp::IsFinite,
        UnaryOp::Cbrt,
    ] {
        assert!(takes(op, ElementType::F64).is_ok(), "{}", op.name());
        assert!(takes(op, ElementType::I32).is_err(), "{}", op.name());
    }
    for op in [UnaryOp::Popcnt, UnaryOp::CountLeadingZeros] {
        assert!(takes(op, ElementType::Ui8).is_ok(), "{}", op.name());
        assert!(takes(op, ElementType::I1).is_err(), "{}", op.name());
        assert!(takes(op, ElementType::F32).is_err(), "{}", op.name());
    }
    assert!(takes(UnaryOp::Sign, ElementType::I8).is_ok());
    assert!(takes(UnaryOp::Sign, ElementType::Ui8).is_err());
    assert_eq!(
        takes(UnaryOp::IsFinite, ElementType::F32),
        Ok(of(ElementType::I1))
    );
    let pair = |element| [of(element), of(element)];
    let atan2 = Op::Binary(BinaryOp::Atan2);
    assert_refused(
        atan2,
        &pair(ElementType::I32),
        "is not defined for tensor<2xi32>",
    );
    let shift = Op::Binary(BinaryOp::ShiftRightArithmetic);
    assert_refused(shift, &pair(ElementType::F32), "is not defined");
    let total = Op::CompareTotal(Direction::Lt);
    assert_refused(total, &pair(ElementType::I32), "(C3)");
}

#[test]
fn bits_of_one_width() {
    let cast = |element| infer(&Op::BitcastConvert(element), &[ty(&[2])]);
    assert_eq!(
        cast(ElementType::Ui32),
        Ok(ty(&[2]).with_element(ElementType::Ui32))
    );
    assert!(cast(ElementType::I64).unwrap_err().starts_with("(C1)"));
}

#[test]
fn clamp_bounds() {
    let (x, one) = (ty(&[2, 3]), ty(&[]));
    let clamp = |min: &TensorType, max: &TensorType| {
        infer(&Op::Clamp, &[min.clone(), x.clone(), max.clone()])
    };
    assert_eq!(clamp(&one, &x), Ok(x.clone()));
    let refused = |min: &TensorType, max: &TensorType| clamp(min, max).unwrap_err();
    assert!(refused(&ty(&[3]), &x).starts_with("(C1"));
    assert!(refused(&x, &ty(&[3])).starts_with("(C2"));
    assert!(refused(&one.with_element(ElementType::F64), &x).contains("C3"));
}

#[test]
fn reductions_of_bits_take_no_floats() {
    let operands = [ty(&[3]), ty(&[])];
    for reducer in [Reducer::And, Reducer::Or] {
        let reduce = Op::Reduce {
            reducer,
            dims: vec![0],
        };
        assert_refused(reduce, &operands, "is not defined for tensor<3xf32>");
        let window = Window::unit(1);
        let pool = Op::ReduceWindow { reducer, window };
        assert_refused(pool, &operands, "is not defined");
    }
}
