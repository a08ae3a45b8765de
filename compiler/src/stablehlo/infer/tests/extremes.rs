use super::{conv, infer, row, ty};
use crate::stablehlo::{Convolution, ElementType, Gather, Op, Reducer, TensorType, Window};

/// Attributes and sizes come from texts: none may make the compiler panic.
#[test]
fn extreme_numbers_are_no_panic() {
    const EXTREMES: [i64; 8] = [i64::MIN, -1, 0, 1, 2, 1 << 40, i64::MAX - 1, i64::MAX];
    for a in EXTREMES {
        for b in EXTREMES {
            for c in EXTREMES {
                for op in extreme(a, b, c) {
                    for size in [0, 3, i64::MAX] {
                        let x = ty(&[size]);
                        let image = ty(&[1, 1, size, 3]);
                        let operands: &[TensorType] = match &op {
                            Op::Slice { .. } | Op::Reshape { .. } => &[x],
                            Op::Convolution(_) => &[image, ty(&[1, 1, size.min(2), 2])],
                            Op::Concatenate { .. } => &[x.clone(), x.clone(), x],
                            Op::DynamicSlice { .. } => &[x, index(&[])],
                            Op::Gather(_) => &[image, index(&[2, 1])],
                            _ => &[x, ty(&[])],
                        };
                        if let Ok(result) = infer(&op, operands) {
                            assert!(result.shape.iter().all(|&s| s >= 0), "{op:?}: {result}");
                        }
                    }
                }
            }
        }
    }
}

fn index(shape: &[i64]) -> TensorType {
    TensorType::new(shape, ElementType::I64)
}

fn extreme(a: i64, b: i64, c: i64) -> Vec<Op> {
    let window = Window {
        size: vec![2],
        strides: vec![1],
        base_dilations: vec![a],
        window_dilations: vec![b],
        padding: vec![[c, c]],
    };
    let dim = |v: i64| usize::try_from(v).unwrap_or(usize::MAX);
    vec![
        Op::DynamicSlice { sizes: vec![a] },
        Op::Gather(Gather {
            offset_dims: vec![0, 1, 2],
            collapsed_slice_dims: vec![0],
            start_index_map: vec![dim(a)],
            index_vector_dim: dim(b),
            slice_sizes: vec![1, 1, c, 1],
            ..Gather::default()
        }),
        Op::Gather(Gather {
            offset_dims: vec![0, 1, dim(a)],
            collapsed_slice_dims: vec![dim(b)],
            start_index_map: vec![0],
            index_vector_dim: 1,
            slice_sizes: vec![a, b, c, 1],
            ..Gather::default()
        }),
        Op::Slice {
            start: vec![a],
            limit: vec![b],
            strides: vec![c],
        },
        Op::Pad {
            low: vec![a],
            high: vec![b],
            interior: vec![c],
        },
        Op::Reshape { shape: vec![a, b] },
        Op::Concatenate { dim: 0 },
        Op::ReduceWindow {
            reducer: Reducer::Add,
            window,
        },
        Op::ReduceWindow {
            reducer: Reducer::Max,
            window: row(a, b, [c, a]),
        },
        Op::Convolution(Convolution {
            strides: vec![a, 1],
            padding: vec![[b, c], [0, 0]],
            ..conv()
        }),
        Op::Convolution(Convolution {
            lhs_dilation: vec![a, 1],
            rhs_dilation: vec![b, 1],
            padding: vec![[c, 0], [0, 0]],
            ..conv()
        }),
    ]
}
