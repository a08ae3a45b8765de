//! Operations that index by values.

use cnnc::stablehlo::{ElementType, Function, Gather, Op, Reducer, Scatter};

use super::{case, f32, of};

pub fn cases() -> Vec<Function> {
    let (x, i) = (f32(&[2, 3, 4, 2]), of(&[], ElementType::I64));
    let starts = || vec![i.clone(); 4];
    let sizes = vec![1, 2, 4, 0];
    let mut cases = vec![
        case(
            &[vec![x.clone()], starts()].concat(),
            Op::DynamicSlice { sizes },
        ),
        case(
            &[vec![x.clone(), f32(&[2, 1, 3, 2])], starts()].concat(),
            Op::DynamicUpdateSlice,
        ),
    ];
    let indices = of(&[2, 2, 3, 2], ElementType::I32);
    for indices_are_sorted in [false, true] {
        let gather = Gather {
            offset_dims: vec![3, 4],
            collapsed_slice_dims: vec![1],
            operand_batching_dims: vec![0],
            start_indices_batching_dims: vec![1],
            start_index_map: vec![2, 1],
            index_vector_dim: 3,
            slice_sizes: vec![1, 1, 2, 2],
            indices_are_sorted,
        };
        cases.push(case(&[x.clone(), indices.clone()], Op::Gather(gather)));
    }
    // Lists that are empty and a dimension of 0 are not printed.
    let plain = Gather {
        collapsed_slice_dims: vec![0],
        start_index_map: vec![0],
        slice_sizes: vec![1],
        ..Gather::default()
    };
    let operands = [f32(&[7]), of(&[1, 3], ElementType::Ui32)];
    cases.push(case(&operands, Op::Gather(plain)));
    let reducers = Reducer::ALL.iter().copied().map(Some);
    for reducer in reducers.chain([None]) {
        let scatter = Scatter {
            update_window_dims: vec![3, 4],
            inserted_window_dims: vec![1],
            input_batching_dims: vec![0],
            scatter_indices_batching_dims: vec![1],
            scatter_dims_to_operand_dims: vec![2, 1],
            index_vector_dim: 3,
            indices_are_sorted: reducer.is_none(),
            unique_indices: reducer == Some(Reducer::Max),
            reducer,
        };
        let element = match reducer {
            Some(reducer) if reducer.op().is_bitwise() => ElementType::I32,
            _ => ElementType::F32,
        };
        let updates = of(&[2, 2, 3, 2, 2], element);
        let operands = [x.with_element(element), indices.clone(), updates];
        cases.push(case(&operands, Op::Scatter(scatter)));
    }
    cases
}
