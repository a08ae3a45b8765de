//! Operations that index by values. The indices are arguments drawn from all
//! integers, so that most reach out, or constants around the borders.

use cnnc::stablehlo::{
    Builder, ElementType, Function, Gather, Literal, Op, Reducer, Result, Scalar, Scatter,
    TensorType, Value,
};

use super::common::adjoint::assert_exact;
use super::common::random::Random;
use super::function;

/// A constant list of integers of this shape.
fn integers(b: &mut Builder, element: ElementType, shape: &[i64], values: &[i64]) -> Result<Value> {
    let ty = TensorType::new(shape, element);
    let values = values.iter().copied().map(Scalar::Int).collect();
    b.push(Op::Constant(Literal { ty, values }), &[])
}

/// Start indices just outside, at, and inside every border.
#[test]
fn dynamic_slices_and_updates() {
    for (i, j) in [(0, 0), (-1, 3), (1, 2), (7, -9), (2, 1)] {
        let starts = |b: &mut Builder| -> Result<[Value; 2]> {
            let mut start = |value| integers(b, ElementType::I32, &[], &[value]);
            Ok([start(i)?, start(j)?])
        };
        let slice = function(&[&[3, 4]], |b, x| {
            let starts = starts(b)?;
            b.dynamic_slice(x[0], &starts, &[2, 3])
        });
        assert_exact(&format!("dynamic_slice at {i}, {j}"), &slice, -1.0, 1.0);
        let update = function(&[&[3, 4], &[2, 3]], |b, x| {
            let starts = starts(b)?;
            b.dynamic_update_slice(x[0], x[1], &starts)
        });
        let name = format!("dynamic_update_slice at {i}, {j}");
        assert_exact(&name, &update, -1.0, 1.0);
    }
}

/// Dimension numbers of a gather, with shapes to which they apply.
struct Drawn {
    gather: Gather,
    operand: Vec<i64>,
    indices: Vec<i64>,
}

/// Slices of random dimensions: each dimension of the operand goes along with
/// one of the indices, is collapsed, or is kept.
fn draw(random: &mut Random) -> Drawn {
    let rank = random.integer(1, 4) as usize;
    let mut operand: Vec<i64> = (0..rank).map(|_| random.integer(1, 5)).collect();
    let roles: Vec<i64> = (0..rank).map(|_| random.integer(0, 3)).collect();
    let with = |role: i64| -> Vec<usize> { (0..rank).filter(|&d| roles[d] == role).collect() };
    let (batching, collapsed) = (with(0), with(1));
    let kept: Vec<usize> = (0..rank).filter(|&d| roles[d] > 1).collect();
    let sizes: Vec<i64> = (0..rank)
        .map(|d| match roles[d] {
            0 | 1 => 1,
            _ => random.integer(1, operand[d]),
        })
        .collect();
    // Components index what is collapsed and some of what is kept.
    let mut map: Vec<usize> = collapsed.clone();
    map.extend(kept.iter().filter(|&&d| roles[d] == 2));
    let order = random.permutation(map.len());
    let map: Vec<usize> = order.iter().map(|&i| map[i]).collect();
    let free = random.integer(0, 2) as usize;
    let batch = batching.len() + free;
    let mut indices: Vec<i64> = (0..batch).map(|_| random.integer(1, 3)).collect();
    let places = random.permutation(batch);
    for (&dim, &place) in batching.iter().zip(&places) {
        operand[dim] = indices[place];
    }
    let scalar = map.len() == 1 && random.integer(0, 1) == 1;
    let vector = if scalar {
        batch
    } else {
        random.integer(0, batch as i64) as usize
    };
    if !scalar {
        indices.insert(vector, map.len() as i64);
    }
    let shifted = |place: usize| place + usize::from(!scalar && place >= vector);
    let mut offset = random.permutation(batch + kept.len());
    offset.truncate(kept.len());
    offset.sort_unstable();
    let gather = Gather {
        offset_dims: offset,
        collapsed_slice_dims: collapsed,
        start_indices_batching_dims: places[..batching.len()]
            .iter()
            .map(|&p| shifted(p))
            .collect(),
        operand_batching_dims: batching,
        start_index_map: map,
        index_vector_dim: vector,
        slice_sizes: sizes,
        indices_are_sorted: false,
    };
    Drawn {
        gather,
        operand,
        indices,
    }
}

const ELEMENTS: [ElementType; 4] = [
    ElementType::I8,
    ElementType::I32,
    ElementType::Ui32,
    ElementType::Ui64,
];

fn draw_indices(random: &mut Random, element: ElementType, shape: &[i64]) -> Vec<i64> {
    let low = if element.is_unsigned() { 0 } else { -2 };
    let count = shape.iter().product::<i64>();
    (0..count).map(|_| random.integer(low, 6)).collect()
}

#[test]
fn gather_of_random_dimensions() {
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let drawn = draw(&mut random);
        let element = random.choose(&ELEMENTS);
        let values = draw_indices(&mut random, element, &drawn.indices);
        let name = format!("seed {seed}: {:?} of {:?}", drawn.gather, drawn.operand);
        let f = function(&[&drawn.operand], |b, x| {
            let indices = integers(b, element, &drawn.indices, &values)?;
            b.gather(x[0], indices, drawn.gather)
        });
        assert_exact(&name, &f, -1.0, 1.0);
    }
}

/// The scatter that writes what the gather reads.
fn reversed(gather: &Gather) -> Scatter {
    Scatter {
        update_window_dims: gather.offset_dims.clone(),
        inserted_window_dims: gather.collapsed_slice_dims.clone(),
        input_batching_dims: gather.operand_batching_dims.clone(),
        scatter_indices_batching_dims: gather.start_indices_batching_dims.clone(),
        scatter_dims_to_operand_dims: gather.start_index_map.clone(),
        index_vector_dim: gather.index_vector_dim,
        indices_are_sorted: false,
        unique_indices: false,
        reducer: Some(Reducer::Add),
    }
}

#[test]
fn scatter_of_random_dimensions() {
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let Drawn {
            gather,
            operand,
            indices: shape,
        } = draw(&mut random);
        let element = random.choose(&ELEMENTS);
        let values = draw_indices(&mut random, element, &shape);
        // The shape of the updates is that of what the gather gives.
        let taken = function(&[&operand], |b, x| {
            let indices = integers(b, element, &shape, &values)?;
            b.gather(x[0], indices, gather.clone())
        });
        let updates = taken.ty(taken.outputs[0].value).shape.clone();
        let name = format!("seed {seed}: {gather:?} of {operand:?}");
        let f = function(&[&operand, &updates], |b, x| {
            let indices = integers(b, element, &shape, &values)?;
            b.scatter(x[0], indices, x[1], reversed(&gather))
        });
        assert_exact(&name, &f, -1.0, 1.0);
    }
}

/// Indices from an argument reach far outside.
#[test]
fn indices_from_an_argument() {
    let gather = Gather {
        offset_dims: vec![1],
        collapsed_slice_dims: vec![0],
        start_index_map: vec![0],
        index_vector_dim: 1,
        slice_sizes: vec![1, 3],
        ..Gather::default()
    };
    let of = |element, build: &dyn Fn(&mut Builder, &[Value]) -> Result<Value>| -> Function {
        let mut b = Builder::named("f");
        let x = b.function.argument(None, TensorType::f32([5, 3]));
        let y = b.function.argument(None, TensorType::f32([4, 3]));
        let i = b.function.argument(None, TensorType::new([4], element));
        let result = build(&mut b, &[x, y, i]).expect("a function");
        b.function.output(None, result);
        b.function
    };
    for element in ELEMENTS
        .into_iter()
        .chain([ElementType::I64, ElementType::Ui8])
    {
        let rows = of(element, &|b, v| {
            let rows = b.gather(v[0], v[2], gather.clone())?;
            b.multiply(rows, v[1])
        });
        assert_exact(&format!("gather by {element}"), &rows, -1.0, 1.0);
        let sums = of(element, &|b, v| {
            b.scatter(v[0], v[2], v[1], reversed(&gather))
        });
        assert_exact(&format!("scatter by {element}"), &sums, -1.0, 1.0);
    }
}
