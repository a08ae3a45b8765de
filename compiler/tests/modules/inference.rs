//! Result types are those of the real dialect: IREE's verifier infers them
//! again and compares.

use cnnc::stablehlo::{
    Builder, Convolution, ConvolutionDims, DotGeneral, Function, Module, Op, Reducer, TensorType,
    Window, mlir,
};

use crate::iree;

/// SplitMix64, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, count: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ x >> 31) % count as u64) as i64
    }

    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below(high - low + 1)
    }

    fn list(&mut self, count: usize, low: i64, high: i64) -> Vec<i64> {
        (0..count).map(|_| self.between(low, high)).collect()
    }

    fn pairs(&mut self, count: usize, low: i64, high: i64) -> Vec<[i64; 2]> {
        (0..count)
            .map(|_| [self.between(low, high), self.between(low, high)])
            .collect()
    }

    fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for i in (1..count).rev() {
            order.swap(i, self.below(i as i64 + 1) as usize);
        }
        order
    }
}

fn f32(shape: &[i64]) -> TensorType {
    TensorType::f32(shape)
}

/// An operation and the types of its operands, which fit more often than not.
fn draw(r: &mut Random) -> (Op, Vec<TensorType>) {
    let rank = r.between(1, 3) as usize;
    let shape = r.list(rank, 0, 7);
    let x = f32(&shape);
    let scalar = f32(&[]);
    match r.below(8) {
        0 => {
            let op = Op::Pad {
                low: r.list(rank, -2, 3),
                high: r.list(rank, -2, 3),
                interior: r.list(rank, 0, 2),
            };
            (op, vec![x, scalar])
        }
        1 => {
            let start: Vec<i64> = shape.iter().map(|&size| r.between(0, size)).collect();
            let limit = (0..rank).map(|i| r.between(start[i], shape[i])).collect();
            let strides = r.list(rank, 1, 3);
            (
                Op::Slice {
                    start,
                    limit,
                    strides,
                },
                vec![x],
            )
        }
        2 => {
            let permutation = r.permutation(rank);
            (Op::Transpose { permutation }, vec![x])
        }
        3 | 4 => (window(r, rank), vec![x, scalar]),
        5 => dot(r),
        _ => convolution(r),
    }
}

fn window(r: &mut Random, rank: usize) -> Op {
    Op::ReduceWindow {
        reducer: Reducer::Add,
        window: Window {
            size: r.list(rank, 1, 4),
            strides: r.list(rank, 1, 3),
            base_dilations: r.list(rank, 1, 3),
            window_dilations: r.list(rank, 1, 3),
            padding: r.pairs(rank, -1, 3),
        },
    }
}

fn dot(r: &mut Random) -> (Op, Vec<TensorType>) {
    // Sizes of the batching, contracting and free dimensions.
    let sizes = r.list(4, 1, 4);
    let (left, right) = (r.permutation(3), r.permutation(3));
    let (mut a, mut b) = (vec![0; 3], vec![0; 3]);
    for role in 0..3 {
        a[left[role]] = sizes[role];
        b[right[role]] = if role == 2 { sizes[3] } else { sizes[role] };
    }
    let dot = DotGeneral {
        lhs_batch: vec![left[0]],
        rhs_batch: vec![right[0]],
        lhs_contract: vec![left[1]],
        rhs_contract: vec![right[1]],
    };
    (Op::DotGeneral(dot), vec![f32(&a), f32(&b)])
}

fn convolution(r: &mut Random) -> (Op, Vec<TensorType>) {
    let spatial = r.between(1, 2) as usize;
    let rank = spatial + 2;
    let roles = [
        r.permutation(rank),
        r.permutation(rank),
        r.permutation(rank),
    ];
    let dims = ConvolutionDims {
        input_batch: roles[0][0],
        input_feature: roles[0][1],
        input_spatial: roles[0][2..].to_vec(),
        kernel_input: roles[1][0],
        kernel_output: roles[1][1],
        kernel_spatial: roles[1][2..].to_vec(),
        output_batch: roles[2][0],
        output_feature: roles[2][1],
        output_spatial: roles[2][2..].to_vec(),
    };
    let groups = [[1, 1], [2, 1], [1, 2]][r.below(3) as usize];
    let (batch, features) = (r.between(1, 2) * groups[1], r.between(1, 2));
    let (mut x, mut w) = (r.list(rank, 0, 9), r.list(rank, 1, 3));
    x[dims.input_batch] = batch;
    x[dims.input_feature] = features * groups[0];
    w[dims.kernel_input] = features;
    w[dims.kernel_output] = r.between(1, 2) * groups[0] * groups[1];
    let conv = Convolution {
        dims,
        strides: r.list(spatial, 1, 3),
        padding: r.pairs(spatial, -1, 3),
        lhs_dilation: r.list(spatial, 1, 3),
        rhs_dilation: r.list(spatial, 1, 3),
        window_reversal: r.list(spatial, 0, 1).iter().map(|&v| v == 1).collect(),
        feature_group_count: groups[0],
        batch_group_count: groups[1],
    };
    (Op::Convolution(conv), vec![f32(&x), f32(&w)])
}

fn function(name: String, op: Op, types: &[TensorType]) -> Option<Function> {
    let mut b = Builder::named(name);
    let operands: Vec<_> = types
        .iter()
        .map(|ty| b.function.argument(None, ty.clone()))
        .collect();
    let result = b.push(op, &operands).ok()?;
    b.function.output(None, result);
    Some(b.function)
}

#[test]
fn result_types_are_those_of_the_dialect() {
    let mut random = Random(1);
    let mut functions = Vec::new();
    for index in 0..2000 {
        let (op, types) = draw(&mut random);
        functions.extend(function(format!("f{index}"), op, &types));
    }
    assert!(
        functions.len() > 1500,
        "only {} of 2000 fit",
        functions.len()
    );
    let module = Module {
        name: "m".to_owned(),
        functions,
        ..Module::default()
    };
    let text = mlir::print(&module).unwrap();
    let verified = iree().pretty(&text, "");
    assert!(verified.is_ok(), "{}", verified.unwrap_err());
}
