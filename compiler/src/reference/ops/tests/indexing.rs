use super::{apply, real, try_apply, whole};
use crate::reference::Tensor;
use crate::simplify::tests::Random;
use crate::stablehlo::{ElementType, Gather, Op, Reducer, Scatter, TensorType, infer};

use ElementType::{I32, I64, Ui64};

fn integers(element: ElementType, shape: &[i64], values: &[i64]) -> Tensor<f64> {
    Tensor::integers(TensorType::new(shape, element), values.to_vec()).unwrap()
}

fn scalar(element: ElementType, value: i64) -> Tensor<f64> {
    integers(element, &[], &[value])
}

#[test]
fn dynamic_slice_by_the_specification() {
    let x = integers(
        I32,
        &[4, 4],
        &[0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0],
    );
    let op = Op::DynamicSlice { sizes: vec![2, 2] };
    let starts = [scalar(I64, -1), scalar(I64, 3)];
    let [i, j] = starts;
    assert_eq!(apply(op, &[x, i, j]), integers(I32, &[2, 2], &[1; 4]));
}

#[test]
fn boxes_are_moved_inside() {
    let x = || real(&[5], &[0.0, 1.0, 2.0, 3.0, 4.0]);
    let slice = |start: Tensor<f64>| {
        let op = Op::DynamicSlice { sizes: vec![2] };
        apply(op, &[x(), start]).to_f64()
    };
    for (start, expected) in [
        (i64::MIN, [0.0, 1.0]),
        (2, [2.0, 3.0]),
        (4, [3.0, 4.0]),
        (i64::MAX, [3.0, 4.0]),
    ] {
        assert_eq!(slice(scalar(I64, start)), expected, "{start}");
    }
    // The bits of -1 are 2^64 - 1.
    assert_eq!(slice(scalar(Ui64, -1)), [3.0, 4.0]);
    let nothing = Op::DynamicSlice { sizes: vec![0] };
    assert_eq!(apply(nothing, &[x(), scalar(I32, 7)]), real(&[0], &[]));
    let update = real(&[2], &[8.0, 9.0]);
    let updated = apply(Op::DynamicUpdateSlice, &[x(), update, scalar(I32, 4)]);
    assert_eq!(updated, real(&[5], &[0.0, 1.0, 2.0, 8.0, 9.0]));
}

#[test]
fn dynamic_update_slice_by_the_specification() {
    let x = integers(
        I32,
        &[4, 4],
        &[1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1],
    );
    let update = integers(I32, &[2, 2], &[1; 4]);
    let operands = [x, update, scalar(I64, -1), scalar(I64, 3)];
    let updated = apply(Op::DynamicUpdateSlice, &operands);
    assert_eq!(updated, integers(I32, &[4, 4], &[1; 16]));
}

/// 1, 2, ... 48 in the shape of the specification's examples.
fn forty_eight(element: ElementType) -> Tensor<f64> {
    let values: Vec<i64> = (1..=48).collect();
    integers(element, &[2, 3, 4, 2], &values)
}

/// The indices of the specification's examples.
fn indices() -> Tensor<f64> {
    let values = [
        0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 0, 9, 0, 0, 2, 1, 2, 2, 1, 2, 0, 1, 1, 0,
    ];
    integers(I64, &[2, 2, 3, 2], &values)
}

#[test]
fn gather_by_the_specification() {
    let gather = Gather {
        offset_dims: vec![3, 4],
        collapsed_slice_dims: vec![1],
        operand_batching_dims: vec![0],
        start_indices_batching_dims: vec![1],
        start_index_map: vec![2, 1],
        index_vector_dim: 3,
        slice_sizes: vec![1, 1, 2, 2],
        indices_are_sorted: false,
    };
    let expected = [
        1, 2, 3, 4, 3, 4, 5, 6, 13, 14, 15, 16, 33, 34, 35, 36, 35, 36, 37, 38, 41, 42, 43, 44, 1,
        2, 3, 4, 13, 14, 15, 16, 21, 22, 23, 24, 43, 44, 45, 46, 33, 34, 35, 36, 27, 28, 29, 30,
    ];
    let found = apply(Op::Gather(gather), &[forty_eight(I32), indices()]);
    assert_eq!(found, integers(I32, &[2, 2, 3, 2, 2], &expected));
}

fn scatter_of_the_specification(reducer: Option<Reducer>) -> Scatter {
    Scatter {
        update_window_dims: vec![3, 4],
        inserted_window_dims: vec![1],
        input_batching_dims: vec![0],
        scatter_indices_batching_dims: vec![1],
        scatter_dims_to_operand_dims: vec![2, 1],
        index_vector_dim: 3,
        indices_are_sorted: false,
        unique_indices: false,
        reducer,
    }
}

#[test]
fn scatter_by_the_specification() {
    let scatter = scatter_of_the_specification(Some(Reducer::Add));
    let updates = integers(I64, &[2, 2, 3, 2, 2], &[1; 48]);
    let expected = [
        3, 4, 6, 7, 6, 7, 7, 8, 9, 10, 11, 12, 15, 16, 17, 18, 17, 18, 19, 20, 22, 23, 24, 25, 25,
        26, 28, 29, 30, 31, 31, 32, 35, 36, 38, 39, 38, 39, 39, 40, 41, 42, 44, 45, 46, 47, 47, 48,
    ];
    let found = apply(
        Op::Scatter(scatter),
        &[forty_eight(I64), indices(), updates],
    );
    assert_eq!(found, integers(I64, &[2, 3, 4, 2], &expected));
}

/// Rows of an embedding, as `x[ids]` in numpy.
#[test]
fn rows_by_number() {
    let x = real(&[3, 2], &[0.0, 1.0, 10.0, 11.0, 20.0, 21.0]);
    let gather = Gather {
        offset_dims: vec![1],
        collapsed_slice_dims: vec![0],
        start_index_map: vec![0],
        index_vector_dim: 1,
        slice_sizes: vec![1, 2],
        ..Gather::default()
    };
    let rows = apply(Op::Gather(gather), &[x, whole(I32, &[2, 0, 2, 7])]);
    // The last one is moved inside.
    let expected = [20.0, 21.0, 0.0, 1.0, 20.0, 21.0, 20.0, 21.0];
    assert_eq!(rows, real(&[4, 2], &expected));
}

/// `np.add.at`, `np.maximum.at` and plain assignment of rows; those outside
/// are dropped.
#[test]
fn rows_are_updated_by_number() {
    let updated = |reducer| {
        let scatter = Scatter {
            update_window_dims: vec![1],
            inserted_window_dims: vec![0],
            scatter_dims_to_operand_dims: vec![0],
            index_vector_dim: 1,
            reducer,
            ..Scatter::default()
        };
        let x = real(&[3, 2], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        let updates = real(&[4, 2], &[10.0, -20.0, 1.0, 2.0, 5.0, 6.0, 7.0, 8.0]);
        let rows = whole(I32, &[2, 0, 2, 3]);
        apply(Op::Scatter(scatter), &[x, rows, updates]).to_f64()
    };
    assert_eq!(
        updated(Some(Reducer::Add)),
        [1.0, 3.0, 2.0, 3.0, 19.0, -9.0]
    );
    assert_eq!(updated(Some(Reducer::Max)), [1.0, 2.0, 2.0, 3.0, 10.0, 6.0]);
    assert_eq!(
        updated(Some(Reducer::Multiply)),
        [0.0, 2.0, 2.0, 3.0, 200.0, -600.0]
    );
    assert_eq!(updated(None), [1.0, 2.0, 2.0, 3.0, 5.0, 6.0]);
}

/// Of a slice that reaches out, the cells inside are updated.
#[test]
fn updates_are_dropped_cell_by_cell() {
    let scatter = |start| {
        let scatter = Scatter {
            update_window_dims: vec![0],
            scatter_dims_to_operand_dims: vec![0],
            reducer: None,
            ..Scatter::default()
        };
        let operands = [
            real(&[4], &[0.0; 4]),
            whole(I64, &[start]),
            real(&[3], &[1.0, 2.0, 3.0]),
        ];
        apply(Op::Scatter(scatter), &operands).to_f64()
    };
    assert_eq!(scatter(-2), [3.0, 0.0, 0.0, 0.0]);
    assert_eq!(scatter(1), [0.0, 1.0, 2.0, 3.0]);
    assert_eq!(scatter(3), [0.0, 0.0, 0.0, 1.0]);
    for far in [-3, 4, i64::MIN, i64::MAX] {
        assert_eq!(scatter(far), [0.0; 4], "{far}");
    }
}

/// A slice without cells takes none; an index without components is 0.
#[test]
fn empty_slices_and_indices() {
    let gather = Gather {
        offset_dims: vec![1],
        slice_sizes: vec![2],
        index_vector_dim: 1,
        ..Gather::default()
    };
    let operands = [real(&[2], &[1.0, 2.0]), integers(I32, &[3, 0], &[])];
    let same = apply(Op::Gather(gather), &operands);
    assert_eq!(same, real(&[3, 2], &[1.0, 2.0, 1.0, 2.0, 1.0, 2.0]));
    let hollow = Gather {
        collapsed_slice_dims: vec![0],
        start_index_map: vec![0],
        slice_sizes: vec![0],
        index_vector_dim: 1,
        ..Gather::default()
    };
    let operands = [real(&[0], &[]), whole(I32, &[0, 1])];
    let refused = try_apply(Op::Gather(hollow), &operands).unwrap_err();
    assert!(
        refused.to_string().contains("`stablehlo.gather`"),
        "{refused}"
    );
}

/// Dimension numbers drawn without sense: those that inference accepts run.
#[test]
fn what_is_accepted_runs() {
    let mut random = Random(7);
    let mut accepted = [0; 2];
    for _ in 0..60_000 {
        let mut list = |most: usize, values: usize| -> Vec<usize> {
            let count = random.below(most + 1);
            (0..count).map(|_| random.below(values)).collect()
        };
        let (kept, removed, batching) = (list(2, 3), list(1, 2), list(1, 2));
        let (along, map) = (list(1, 2), list(2, 2));
        let mut shape =
            |rank: usize| -> Vec<i64> { (0..rank).map(|_| random.below(3) as i64).collect() };
        let operand = shape(kept.len() + removed.len() + batching.len());
        let slice_sizes = shape(operand.len());
        let mut indices = shape(1);
        indices.push(map.len() as i64);
        let dense = shape(kept.len() + 1);
        let vector = random.below(3);
        let values = |shape: &[i64]| -> Vec<i64> {
            (0..shape.iter().product())
                .map(|i: i64| 5 * i % 7 - 2)
                .collect()
        };
        let x = integers(I32, &operand, &values(&operand));
        let i = integers(I64, &indices, &values(&indices));
        let updates = integers(I32, &dense, &values(&dense));
        let gather = Gather {
            offset_dims: kept.clone(),
            collapsed_slice_dims: removed.clone(),
            operand_batching_dims: batching.clone(),
            start_indices_batching_dims: along.clone(),
            start_index_map: map.clone(),
            index_vector_dim: vector,
            slice_sizes,
            indices_are_sorted: false,
        };
        let scatter = Scatter {
            update_window_dims: kept,
            inserted_window_dims: removed,
            input_batching_dims: batching,
            scatter_indices_batching_dims: along,
            scatter_dims_to_operand_dims: map,
            index_vector_dim: vector,
            reducer: Some(Reducer::Add),
            ..Scatter::default()
        };
        let ops = [
            (Op::Gather(gather), vec![x.clone(), i.clone()]),
            (Op::Scatter(scatter), vec![x, i, updates]),
        ];
        for (kind, (op, operands)) in ops.into_iter().enumerate() {
            let types: Vec<&TensorType> = operands.iter().map(|t| t.ty()).collect();
            if infer::result_type(&op, &types).is_ok() {
                // A slice without cells may be refused, but not crash.
                accepted[kind] += usize::from(try_apply(op, &operands).is_ok());
            }
        }
    }
    assert!(accepted.iter().all(|&n| n >= 100), "{accepted:?}");
}
