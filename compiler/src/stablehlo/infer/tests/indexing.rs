//! One test for each constraint of the specification, each a change of an
//! example that holds.

use super::{assert_refused, infer, shape_of, ty};
use crate::stablehlo::{ElementType, Gather, Op, Reducer, Scatter, TensorType};

fn index(shape: &[i64]) -> TensorType {
    TensorType::new(shape, ElementType::I64)
}

#[test]
fn dynamic_slices() {
    let slice = |sizes: &[i64]| Op::DynamicSlice {
        sizes: sizes.to_vec(),
    };
    let (x, i) = (|| ty(&[4, 5]), || index(&[]));
    assert_eq!(shape_of(slice(&[2, 5]), &[x(), i(), i()]), [2, 5]);
    assert_refused(slice(&[2, 5]), &[x(), i()], "(C2)");
    assert_refused(slice(&[2]), &[x(), i(), i()], "(C2, C4)");
    assert_refused(slice(&[2, 6]), &[x(), i(), i()], "(C2, C4)");
    assert_refused(slice(&[-1, 5]), &[x(), i(), i()], "(C2, C4)");
    let other = i().with_element(ElementType::I32);
    assert_refused(slice(&[2, 5]), &[x(), i(), other], "(C3)");
    assert_refused(slice(&[2, 5]), &[x(), index(&[1]), i()], "(C3)");
    assert_refused(slice(&[2, 5]), &[x(), ty(&[]), ty(&[])], "(C3)");
    assert_refused(slice(&[]), &[], "takes an operand");

    let update = || Op::DynamicUpdateSlice;
    assert_eq!(shape_of(update(), &[x(), ty(&[4, 1]), i(), i()]), [4, 5]);
    let integers = ty(&[4, 1]).with_element(ElementType::I32);
    assert_refused(update(), &[x(), integers, i(), i()], "(C2, C3)");
    assert_refused(update(), &[x(), ty(&[4]), i(), i()], "(C2, C3)");
    assert_refused(update(), &[x(), ty(&[4, 1]), i()], "(C4)");
    assert_refused(update(), &[x(), ty(&[4, 1]), i(), ty(&[])], "(C5)");
    assert_refused(update(), &[x(), ty(&[5, 1]), i(), i()], "(C6)");
}

/// The specification's example.
fn gather() -> Gather {
    Gather {
        offset_dims: vec![3, 4],
        collapsed_slice_dims: vec![1],
        operand_batching_dims: vec![0],
        start_indices_batching_dims: vec![1],
        start_index_map: vec![2, 1],
        index_vector_dim: 3,
        slice_sizes: vec![1, 1, 2, 2],
        indices_are_sorted: false,
    }
}

#[test]
fn gathers() {
    let operands = || [ty(&[2, 3, 4, 2]), index(&[2, 2, 3, 2])];
    assert_eq!(shape_of(Op::Gather(gather()), &operands()), [2, 2, 3, 2, 2]);
    // A scalar index has no dimension of its own.
    let rows = Gather {
        offset_dims: vec![2],
        collapsed_slice_dims: vec![0],
        start_index_map: vec![0],
        index_vector_dim: 2,
        slice_sizes: vec![1, 7],
        ..Gather::default()
    };
    let embedding = [ty(&[100, 7]), index(&[4, 5])];
    assert_eq!(shape_of(Op::Gather(rows), &embedding), [4, 5, 7]);
    type Change = fn(&mut Gather);
    let changes: [(&str, Change); 19] = [
        ("(C1)", |g| g.offset_dims = vec![3]),
        ("(C2)", |g| g.index_vector_dim = 5),
        ("(C3)", |g| g.start_index_map = vec![2]),
        ("(C4)", |g| g.offset_dims = vec![4, 3]),
        ("(C4, C5)", |g| g.offset_dims = vec![3, 3]),
        ("(C4, C5)", |g| g.offset_dims = vec![3, 5]),
        ("(C6)", |g| g.collapsed_slice_dims = vec![0]),
        ("(C7)", |g| g.collapsed_slice_dims = vec![1, 0]),
        ("(C8)", |g| g.collapsed_slice_dims = vec![4]),
        ("(C9)", |g| g.slice_sizes[1] = 2),
        ("(C10)", |g| {
            g.operand_batching_dims = vec![1, 0];
        }),
        ("(C11)", |g| g.operand_batching_dims = vec![4]),
        ("(C12)", |g| g.slice_sizes[0] = 2),
        ("(C13, C14)", |g| g.start_indices_batching_dims = vec![4]),
        ("(C15)", |g| g.start_indices_batching_dims = vec![3]),
        ("(C16, C17)", |g| g.start_indices_batching_dims = vec![2]),
        ("(C18)", |g| g.start_index_map = vec![0, 1]),
        ("(C19)", |g| g.start_index_map = vec![2, 4]),
        ("(C20, C21)", |g| g.slice_sizes[3] = 3),
    ];
    for (label, change) in changes {
        let mut changed = gather();
        change(&mut changed);
        assert_refused(Op::Gather(changed), &operands(), label);
    }
    let [x, i] = operands();
    let reals = i.with_element(ElementType::F32);
    assert_refused(Op::Gather(gather()), &[x, reals], "are no integers");
}

/// The specification's example.
fn scatter() -> Scatter {
    Scatter {
        update_window_dims: vec![3, 4],
        inserted_window_dims: vec![1],
        input_batching_dims: vec![0],
        scatter_indices_batching_dims: vec![1],
        scatter_dims_to_operand_dims: vec![2, 1],
        index_vector_dim: 3,
        indices_are_sorted: false,
        unique_indices: false,
        reducer: Some(Reducer::Add),
    }
}

#[test]
fn scatters() {
    let operands = || {
        [
            ty(&[2, 3, 4, 2]),
            index(&[2, 2, 3, 2]),
            ty(&[2, 2, 3, 2, 2]),
        ]
    };
    let types = infer(&Op::Scatter(scatter()), &operands());
    assert_eq!(types, Ok(ty(&[2, 3, 4, 2])));
    type Change = fn(&mut Scatter);
    let changes: [(&str, Change); 16] = [
        ("(C2)", |s| s.update_window_dims = vec![3]),
        ("(C7)", |s| s.update_window_dims = vec![4, 3]),
        ("(C7, C8)", |s| s.update_window_dims = vec![3, 3]),
        ("(C7, C8)", |s| s.update_window_dims = vec![3, 5]),
        ("(C9)", |s| s.inserted_window_dims = vec![0]),
        ("(C10)", |s| s.inserted_window_dims = vec![1, 0]),
        ("(C11)", |s| s.inserted_window_dims = vec![4]),
        ("(C12)", |s| s.input_batching_dims = vec![1, 0]),
        ("(C13)", |s| s.input_batching_dims = vec![4]),
        ("(C14, C15)", |s| s.scatter_indices_batching_dims = vec![4]),
        ("(C16)", |s| s.scatter_indices_batching_dims = vec![3]),
        ("(C17, C18)", |s| s.scatter_indices_batching_dims = vec![2]),
        ("(C19)", |s| s.scatter_dims_to_operand_dims = vec![2]),
        ("(C20)", |s| s.scatter_dims_to_operand_dims = vec![0, 1]),
        ("(C21)", |s| s.scatter_dims_to_operand_dims = vec![2, 4]),
        ("(C22)", |s| s.index_vector_dim = 5),
    ];
    for (label, change) in changes {
        let mut changed = scatter();
        change(&mut changed);
        assert_refused(Op::Scatter(changed), &operands(), label);
    }
    let [x, i, updates] = operands();
    let wide = ty(&[2, 2, 3, 5, 2]);
    assert_refused(
        Op::Scatter(scatter()),
        &[x.clone(), i.clone(), wide],
        "(C4)",
    );
    let short = ty(&[2, 2, 2, 2, 2]);
    assert_refused(
        Op::Scatter(scatter()),
        &[x.clone(), i.clone(), short],
        "(C4)",
    );
    let integers = updates.with_element(ElementType::I32);
    assert_refused(Op::Scatter(scatter()), &[x, i, integers], "(C6)");
}
