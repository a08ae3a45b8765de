use super::{assert_kept, tuned, ty};
use crate::simplify::tests::{function, names};
use crate::stablehlo::{Builder, ElementType, Function, Op, Result, TensorType, Value};
use crate::tune::merged_index;

fn reversed(shape: &[i64], dims: &[usize]) -> Function {
    function([ty(shape)], |b, [x]| b.reverse(x, dims))
}

/// Shapes that are reversed after the pass, with the dimensions.
fn reversals(function: &Function) -> Vec<(Vec<i64>, Vec<usize>)> {
    let found = function.body.iter().filter_map(|i| match &i.op {
        Op::Reverse { dims } => Some((function.ty(i.result).shape.clone(), dims.clone())),
        _ => None,
    });
    found.collect()
}

#[test]
fn merged_reversal() {
    for (shape, dims, merged, its) in [
        (&[3, 2, 2, 4][..], &[0, 1][..], vec![6, 2, 4], vec![0]),
        (&[2, 3, 3], &[1, 2], vec![2, 9], vec![1]),
        (&[2, 2, 3, 2, 2], &[4, 0, 1, 3], vec![4, 3, 4], vec![0, 2]),
        (&[2, 3], &[0, 1], vec![6], vec![0]),
    ] {
        let after = tuned(merged_index::run, &reversed(shape, dims));
        assert_eq!(reversals(&after), [(merged, its)]);
        assert!(names(&after).contains(&"optimization_barrier"));
    }
}

#[test]
fn merged_reversal_keeps_what_has_no_neighbours() {
    assert_kept(merged_index::run, &reversed(&[2, 3, 4], &[0, 2]));
    assert_kept(merged_index::run, &reversed(&[2, 3], &[1]));
}

/// Numbers from zero, in a shape and then in another order.
fn order(shape: &[i64], permutation: &[usize]) -> Function {
    let shape = shape.to_vec();
    let permutation = permutation.to_vec();
    function([ty(&[])], move |b, [_]| numbers(b, &shape, &permutation))
}

fn numbers(b: &mut Builder, shape: &[i64], permutation: &[usize]) -> Result<Value> {
    let count = shape.iter().product();
    let numbers = b.iota(0, TensorType::new([count], ElementType::I32))?;
    let numbers = b.reshape(numbers, shape)?;
    b.transpose(numbers, permutation)
}

#[test]
fn merged_order() {
    for (shape, permutation, merged) in [
        (&[4, 2, 3, 3][..], &[2, 3, 1, 0][..], vec![2, 1, 0]),
        (&[4, 2, 3, 5], &[0, 2, 3, 1], vec![0, 2, 1]),
        (&[2, 3, 4], &[1, 2, 0], vec![1, 0]),
    ] {
        let after = tuned(merged_index::run, &order(shape, permutation));
        let Some(Op::Transpose { permutation }) = after
            .body
            .iter()
            .map(|i| &i.op)
            .find(|op| matches!(op, Op::Transpose { .. }))
        else {
            panic!("{:?}", names(&after));
        };
        assert_eq!(*permutation, merged);
    }
}

#[test]
fn merged_order_keeps_other_values() {
    assert_kept(merged_index::run, &order(&[2, 3, 4], &[2, 1, 0]));
    let moved = function([ty(&[4, 2, 3])], |b, [x]| b.transpose(x, &[1, 2, 0]));
    assert_kept(merged_index::run, &moved);
}
