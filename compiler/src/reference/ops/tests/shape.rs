use super::{apply, real, whole};
use crate::reference::Tensor;
use crate::stablehlo::{ElementType, Literal, Op, Scalar, TensorType};

#[test]
fn constants() {
    let constant = |values, element| -> Tensor<f64> {
        let ty = TensorType::new([2], element);
        apply(Op::Constant(Literal { ty, values }), &[])
    };
    assert_eq!(
        constant(vec![Scalar::Float(0.5)], ElementType::F32),
        real(&[2], &[0.5, 0.5])
    );
    assert_eq!(
        constant(vec![Scalar::Int(-1), Scalar::Int(2)], ElementType::I32),
        whole(ElementType::I32, &[-1, 2])
    );
    assert_eq!(
        constant(
            vec![Scalar::Bool(true), Scalar::Bool(false)],
            ElementType::I1
        ),
        whole(ElementType::I1, &[1, 0])
    );
}

#[test]
fn iota() {
    let along = |dim, element| -> Vec<f64> {
        let ty = TensorType::new([2, 3], element);
        apply(Op::Iota { dim, ty }, &[]).to_f64()
    };
    assert_eq!(along(0, ElementType::I32), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    assert_eq!(along(1, ElementType::F32), [0.0, 1.0, 2.0, 0.0, 1.0, 2.0]);
}

#[test]
fn broadcast_in_dim() {
    let op = Op::BroadcastInDim {
        dims: vec![2, 1],
        shape: vec![2, 3, 2],
    };
    let expected = [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0];
    assert_eq!(
        apply(op, &[real(&[1, 3], &[1.0, 2.0, 3.0])]),
        real(&[2, 3, 2], &expected)
    );
}

#[test]
fn reshape_keeps_row_major_order() {
    let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let op = Op::Reshape { shape: vec![3, 2] };
    assert_eq!(apply(op, &[real(&[2, 3], &values)]), real(&[3, 2], &values));
}

#[test]
fn transpose() {
    let x = real(
        &[2, 3, 2],
        &[1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12.],
    );
    let op = Op::Transpose {
        permutation: vec![2, 1, 0],
    };
    let expected = [1., 7., 3., 9., 5., 11., 2., 8., 4., 10., 6., 12.];
    assert_eq!(
        apply(op, std::slice::from_ref(&x)),
        real(&[2, 3, 2], &expected)
    );
    let op = Op::Transpose {
        permutation: vec![1, 2, 0],
    };
    let expected = [1., 7., 2., 8., 3., 9., 4., 10., 5., 11., 6., 12.];
    assert_eq!(apply(op, &[x]), real(&[3, 2, 2], &expected));
}

#[test]
fn reverse() {
    let x = real(&[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let reversed = |dims| apply(Op::Reverse { dims }, std::slice::from_ref(&x)).to_f64();
    assert_eq!(reversed(vec![1]), [2.0, 1.0, 4.0, 3.0, 6.0, 5.0]);
    assert_eq!(reversed(vec![0, 1]), [6.0, 5.0, 4.0, 3.0, 2.0, 1.0]);
    let empty = real(&[0, 2], &[]);
    assert_eq!(
        apply(Op::Reverse { dims: vec![0] }, std::slice::from_ref(&empty)),
        empty
    );
}

#[test]
fn slice() {
    let x = real(&[3, 4], &[0., 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11.]);
    let slice = |start: [i64; 2], limit: [i64; 2], strides: [i64; 2]| {
        let op = Op::Slice {
            start: start.to_vec(),
            limit: limit.to_vec(),
            strides: strides.to_vec(),
        };
        apply(op, std::slice::from_ref(&x))
    };
    assert_eq!(
        slice([1, 2], [3, 4], [1, 1]),
        real(&[2, 2], &[6., 7., 10., 11.])
    );
    assert_eq!(
        slice([0, 1], [3, 4], [2, 2]),
        real(&[2, 2], &[1., 3., 9., 11.])
    );
    assert_eq!(slice([3, 0], [3, 4], [1, 1]), real(&[0, 4], &[]));
}

#[test]
fn pad() {
    let padded = |x: Tensor<f64>, low: &[i64], high: &[i64], interior: &[i64]| {
        let op = Op::Pad {
            low: low.to_vec(),
            high: high.to_vec(),
            interior: interior.to_vec(),
        };
        apply(op, &[x, real(&[], &[0.0])])
    };
    let x = real(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let rows: [[f64; 9]; 5] = [
        [0., 1., 0., 0., 2., 0., 0., 3., 0.],
        [0.; 9],
        [0., 4., 0., 0., 5., 0., 0., 6., 0.],
        [0.; 9],
        [0.; 9],
    ];
    assert_eq!(
        padded(x, &[0, 1], &[2, 1], &[1, 2]),
        real(&[5, 9], &rows.concat())
    );
    // Cropping comes after spreading: 1 0 2 0 3 without its ends.
    let x = real(&[3], &[1.0, 2.0, 3.0]);
    assert_eq!(
        padded(x.clone(), &[-1], &[-1], &[1]),
        real(&[3], &[0.0, 2.0, 0.0])
    );
    assert_eq!(
        padded(x.clone(), &[-4], &[3], &[0]),
        real(&[2], &[0.0, 0.0])
    );
    assert_eq!(padded(x, &[1], &[-3], &[0]), real(&[1], &[0.0]));
}

#[test]
fn concatenate() {
    let joined = |parts: &[Tensor<f64>], dim| apply(Op::Concatenate { dim }, parts);
    let x = real(&[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let rows = joined(&[x.clone(), real(&[1, 2], &[7.0, 8.0])], 0);
    assert_eq!(rows, real(&[4, 2], &[1., 2., 3., 4., 5., 6., 7., 8.]));
    let columns = joined(&[x.clone(), real(&[3, 1], &[7.0, 8.0, 9.0])], 1);
    assert_eq!(
        columns,
        real(&[3, 3], &[1., 2., 7., 3., 4., 8., 5., 6., 9.])
    );
    let with_none = joined(&[real(&[3, 0], &[]), x.clone()], 1);
    assert_eq!(with_none, x);
    let integers = [
        whole(ElementType::I8, &[1]),
        whole(ElementType::I8, &[2, 3]),
    ];
    assert_eq!(joined(&integers, 0), whole(ElementType::I8, &[1, 2, 3]));
    let no_rows = joined(&[real(&[0, 2], &[]), real(&[0, 1], &[])], 1);
    assert_eq!(no_rows, real(&[0, 3], &[]));
}
