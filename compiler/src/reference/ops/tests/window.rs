use super::{apply, real, try_apply, whole};
use crate::reference::Tensor;
use crate::stablehlo::{ElementType, Op, Reducer, TensorType, Window};

fn reduce(reducer: Reducer, dims: &[usize], x: Tensor<f64>) -> Tensor<f64> {
    let init = real(&[], &[reducer.neutral(ElementType::F32)]);
    let dims = dims.to_vec();
    apply(Op::Reduce { reducer, dims }, &[x, init])
}

#[test]
fn reduce_over_dimensions() {
    let x = || real(&[2, 3], &[1.0, 5.0, 2.0, 7.0, 3.0, 4.0]);
    assert_eq!(reduce(Reducer::Add, &[1], x()), real(&[2], &[8.0, 14.0]));
    assert_eq!(
        reduce(Reducer::Add, &[0], x()),
        real(&[3], &[8.0, 8.0, 6.0])
    );
    assert_eq!(reduce(Reducer::Max, &[1], x()), real(&[2], &[5.0, 7.0]));
    assert_eq!(reduce(Reducer::Min, &[1, 0], x()), real(&[], &[1.0]));
    let nothing = reduce(Reducer::Max, &[0], real(&[0, 2], &[]));
    assert_eq!(nothing, real(&[2], &[f64::NEG_INFINITY; 2]));
}

#[test]
fn reduce_starts_from_the_initial_value() {
    let op = Op::Reduce {
        reducer: Reducer::Add,
        dims: vec![0],
    };
    let sum = apply(op, &[real(&[2], &[1.0, 2.0]), real(&[], &[10.0])]);
    assert_eq!(sum, real(&[], &[13.0]));
}

#[test]
fn reduce_integers() {
    let scalar =
        |element, value| Tensor::<f64>::integers(TensorType::scalar(element), vec![value]).unwrap();
    let op = |reducer| Op::Reduce {
        reducer,
        dims: vec![0],
    };
    let unsigned = whole(ElementType::Ui64, &[1, -1, 3]);
    let largest = apply(
        op(Reducer::Max),
        &[unsigned.clone(), scalar(ElementType::Ui64, 0)],
    );
    assert_eq!(largest, scalar(ElementType::Ui64, -1));
    let least = apply(op(Reducer::Min), &[unsigned, scalar(ElementType::Ui64, -1)]);
    assert_eq!(least, scalar(ElementType::Ui64, 1));
    let any = [
        whole(ElementType::I1, &[0, 1, 1]),
        scalar(ElementType::I1, 0),
    ];
    assert_eq!(apply(op(Reducer::Add), &any), scalar(ElementType::I1, 1));
}

/// `np.prod`, `np.bitwise_and.reduce`, `np.any` and `np.all` by hand.
#[test]
fn reduce_by_products_and_bits() {
    let x = real(&[2, 2], &[2.0, 3.0, -5.0, 0.5]);
    assert_eq!(reduce(Reducer::Multiply, &[1], x), real(&[2], &[6.0, -2.5]));
    let fold = |reducer: Reducer, x: Tensor<f64>| {
        let element = x.ty().element;
        let neutral = reducer.neutral(element);
        let init = Tensor::from_f64(TensorType::scalar(element), &[neutral]).unwrap();
        let op = Op::Reduce {
            reducer,
            dims: vec![0],
        };
        apply(op, &[x, init]).as_integers().to_vec()
    };
    for element in [ElementType::I8, ElementType::Ui8, ElementType::Ui64] {
        let x = || whole(element, &[0b1101, 0b0111, 0b1111]);
        assert_eq!(fold(Reducer::And, x()), [0b0101], "{element}");
        assert_eq!(fold(Reducer::Or, x()), [0b1111], "{element}");
        assert_eq!(
            fold(Reducer::And, whole(element, &[])),
            fold_of_ones(element)
        );
    }
    let truths = || whole(ElementType::I1, &[1, 0, 1]);
    assert_eq!(fold(Reducer::And, truths()), [0]);
    assert_eq!(fold(Reducer::Or, truths()), [1]);
    assert_eq!(fold(Reducer::And, whole(ElementType::I1, &[1, 1])), [1]);
    assert_eq!(fold(Reducer::Or, whole(ElementType::I1, &[])), [0]);
}

/// Every bit set.
fn fold_of_ones(element: ElementType) -> [i64; 1] {
    match element {
        ElementType::Ui8 => [255],
        _ => [-1],
    }
}

#[test]
fn reduce_window_by_the_specification() {
    let window = Window {
        size: vec![2, 1],
        strides: vec![4, 1],
        base_dilations: vec![2, 1],
        window_dilations: vec![3, 1],
        padding: vec![[2, 1], [0, 0]],
    };
    let op = Op::ReduceWindow {
        reducer: Reducer::Add,
        window,
    };
    let x = real(&[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let y = apply(op, &[x, real(&[], &[0.0])]);
    assert_eq!(y, real(&[2, 2], &[0.0, 0.0, 3.0, 4.0]));
}

#[test]
fn padding_of_reduce_window_holds_the_initial_value() {
    let window = Window {
        size: vec![2],
        padding: vec![[1, 0]],
        ..Window::unit(1)
    };
    let op = |reducer| Op::ReduceWindow {
        reducer,
        window: window.clone(),
    };
    let x = || real(&[2], &[1.0, 2.0]);
    // 10 + (10 + 1) and 10 + (1 + 2)
    let sum = apply(op(Reducer::Add), &[x(), real(&[], &[10.0])]);
    assert_eq!(sum, real(&[2], &[21.0, 13.0]));
    let max = apply(op(Reducer::Max), &[x(), real(&[], &[f64::NEG_INFINITY])]);
    assert_eq!(max, real(&[2], &[1.0, 2.0]));
}

#[test]
fn a_window_that_cannot_be_meant_is_refused() {
    let size = 1 << 40;
    let window = Window {
        size: vec![size],
        padding: vec![[size, 0]],
        ..Window::unit(1)
    };
    let op = Op::ReduceWindow {
        reducer: Reducer::Add,
        window,
    };
    let error = try_apply(op, &[real(&[1], &[1.0]), real(&[], &[0.0])]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "<unknown>: `stablehlo.reduce_window`: the window [1099511627776] has more than 67108864 cells"
    );
}

fn scatter(window: Window, x: Tensor<f64>, source: Tensor<f64>, init: f64) -> Vec<f64> {
    let op = Op::SelectAndScatter { window };
    apply(op, &[x, source, real(&[], &[init])]).to_f64()
}

#[test]
fn select_and_scatter_by_the_specification() {
    let window = Window {
        size: vec![3, 1],
        strides: vec![2, 1],
        padding: vec![[0, 1], [0, 0]],
        ..Window::unit(2)
    };
    let x = real(&[4, 2], &[1.0, 5.0, 2.0, 5.0, 3.0, 6.0, 4.0, 4.0]);
    let source = real(&[2, 2], &[5.0, 6.0, 7.0, 8.0]);
    assert_eq!(
        scatter(window, x, source, 0.0),
        [0.0, 0.0, 0.0, 0.0, 5.0, 14.0, 7.0, 0.0]
    );
}

#[test]
fn the_first_maximal_cell_is_selected() {
    let pool = |values: [f64; 4]| {
        let window = Window {
            size: vec![2, 2],
            strides: vec![2, 2],
            ..Window::unit(2)
        };
        scatter(window, real(&[2, 2], &values), real(&[1, 1], &[8.0]), 0.0)
    };
    assert_eq!(pool([1.0, 2.0, 2.0, 2.0]), [0.0, 8.0, 0.0, 0.0]);
    assert_eq!(pool([5.0; 4]), [8.0, 0.0, 0.0, 0.0]);
    assert_eq!(pool([-1.0, -2.0, -1.0, -3.0]), [8.0, 0.0, 0.0, 0.0]);
    // No comparison with NaN holds: the fold moves on to it, and past it.
    assert_eq!(pool([1.0, f64::NAN, 0.0, 3.0]), [0.0, 0.0, 0.0, 8.0]);
    assert_eq!(pool([1.0, 2.0, 3.0, f64::NAN]), [0.0, 0.0, 0.0, 8.0]);
}

#[test]
fn padding_is_never_selected() {
    let window = Window {
        size: vec![3],
        padding: vec![[2, 2]],
        ..Window::unit(1)
    };
    let least = real(&[2], &[f64::NEG_INFINITY, -1.0]);
    let source = real(&[4], &[1.0, 2.0, 4.0, 8.0]);
    assert_eq!(scatter(window, least, source, 100.0), [101.0, 114.0]);
    // The first and the last window hold nothing but padding.
    let window = Window {
        strides: vec![2],
        padding: vec![[1, 1]],
        ..Window::unit(1)
    };
    let source = real(&[2], &[1.0, 2.0]);
    assert_eq!(scatter(window, real(&[1], &[3.0]), source, 0.0), [0.0]);
}
