//! Operations that no layer of a network uses: on IREE as in the interpreter.

use super::common::random::Random;
use super::iree::Machine;
use cnnc::autodiff;
use cnnc::reference::{Tensor, run};
use cnnc::simplify::simplify;
use cnnc::stablehlo::{
    BinaryOp, Builder, Compound, Direction, ElementType, Function, Gather, Literal, Op, Reducer,
    Region, Result, Scalar, Scatter, TensorType, UnaryOp, Value,
};

/// A function of these arguments; every result is of f32 or i32.
fn function(
    name: &str,
    takes: &[TensorType],
    build: impl FnOnce(&mut Builder, &[Value]) -> Result<Vec<Value>>,
) -> Function {
    let mut b = Builder::named(name);
    let values: Vec<Value> = takes
        .iter()
        .map(|ty| b.function.argument(None, ty.clone()))
        .collect();
    for value in build(&mut b, &values).expect("a well-typed function") {
        b.function.output(None, value);
    }
    b.function
}

fn region(
    takes: &[TensorType],
    build: impl FnOnce(&mut Builder, &[Value]) -> Result<Vec<Value>>,
) -> Region {
    Region::new(function("region", takes, build))
}

fn f32s(shape: &[i64]) -> TensorType {
    TensorType::f32(shape)
}

fn i32s(shape: &[i64]) -> TensorType {
    TensorType::new(shape, ElementType::I32)
}

/// Numbers and indices around the borders of small dimensions.
fn draw(random: &mut Random, ty: &TensorType, low: f64, high: f64) -> Tensor<f32> {
    let count = 0..ty.elements();
    match ty.element {
        ElementType::F32 => {
            let values = count.map(|_| random.real(low, high) as f32);
            Tensor::numbers(ty.clone(), values.collect())
        }
        _ => Tensor::integers(ty.clone(), count.map(|_| random.integer(-2, 9)).collect()),
    }
    .expect("a tensor")
}

/// Asserts that IREE and the interpreter agree to within a relative error of
/// the largest value.
fn assert_same(functions: Vec<Function>, low: f64, high: f64, tolerance: f64) {
    let machine = Machine::new();
    let loaded = machine.load(functions.clone()).expect("compiled");
    for (seed, f) in functions.iter().enumerate() {
        let mut random = Random::new(seed as u64);
        let arguments: Vec<Tensor<f32>> = f
            .arguments
            .iter()
            .map(|a| draw(&mut random, f.ty(a.value), low, high))
            .collect();
        let found = machine.call(&loaded, &f.name, &arguments).expect("results");
        let expected = run(f, &arguments).expect("results");
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found.ty(), expected.ty(), "{}", f.name);
            let (found, expected) = (found.to_f64(), expected.to_f64());
            let largest = expected.iter().fold(1.0f64, |max, v| max.max(v.abs()));
            for (a, b) in found.iter().zip(&expected) {
                let same = a == b || (a - b).abs() <= tolerance * largest;
                assert!(same, "{}: {found:?} is not {expected:?}", f.name);
            }
        }
    }
}

/// The functions, and the pullbacks of those of which at least so many have
/// one.
fn with_pullbacks(mut functions: Vec<Function>, least: usize) -> Vec<Function> {
    let mut pullbacks = Vec::new();
    for f in &functions {
        let is_float = |v: Value| f.ty(v).element.is_float();
        let moving: Vec<usize> = (0..f.arguments.len())
            .filter(|&i| is_float(f.arguments[i].value))
            .collect();
        if is_float(f.outputs[0].value) {
            let name = format!("{}_pullback", f.name);
            let pullback = autodiff::pullback(f, &moving, &name, "cotangent");
            pullbacks.extend(pullback.map(|p| simplify(&p).expect("simplified")));
        }
    }
    assert!(pullbacks.len() >= least, "only {}", pullbacks.len());
    functions.extend(pullbacks);
    functions
}

#[test]
fn functions() {
    let x = || [f32s(&[2, 3])];
    let mut functions = Vec::new();
    for &op in UnaryOp::ALL {
        let floats = !matches!(
            op,
            UnaryOp::CountLeadingZeros | UnaryOp::IsFinite | UnaryOp::Not | UnaryOp::Popcnt
        );
        if floats {
            functions.push(function(op.name(), &x(), |b, v| {
                Ok(vec![b.push(Op::Unary(op), v)?])
            }));
        }
    }
    for op in [BinaryOp::Atan2, BinaryOp::Power, BinaryOp::Remainder] {
        let takes = [f32s(&[2, 3]), f32s(&[2, 3])];
        functions.push(function(op.name(), &takes, |b, v| {
            Ok(vec![b.push(Op::Binary(op), v)?])
        }));
    }
    functions.push(function("finite", &x(), |b, v| {
        let zero = b.splat_like(0.0, v[0])?;
        let inverse = b.divide(v[0], zero)?;
        let finite = b.push(Op::Unary(UnaryOp::IsFinite), &[inverse])?;
        let sure = b.push(Op::Unary(UnaryOp::IsFinite), v)?;
        Ok(vec![
            b.convert(finite, ElementType::I32)?,
            b.convert(sure, ElementType::I32)?,
        ])
    }));
    functions.push(function(
        "clamped",
        &[f32s(&[]), f32s(&[3, 4]), f32s(&[3, 4])],
        |b, v| Ok(vec![b.clamp(v[0], v[1], v[2])?]),
    ));
    assert_same(with_pullbacks(functions, 22), 0.25, 1.5, 1e-5);
}

#[test]
fn integers() {
    let mut functions = Vec::new();
    for op in [UnaryOp::CountLeadingZeros, UnaryOp::Popcnt, UnaryOp::Sign] {
        functions.push(function(op.name(), &[i32s(&[8])], |b, v| {
            Ok(vec![b.push(Op::Unary(op), v)?])
        }));
    }
    for op in [BinaryOp::Remainder, BinaryOp::ShiftRightArithmetic] {
        functions.push(function(op.name(), &[i32s(&[8])], |b, v| {
            let three = b.splat_like(3.0, v[0])?;
            Ok(vec![b.push(Op::Binary(op), &[v[0], three])?])
        }));
    }
    for reducer in [Reducer::And, Reducer::Or, Reducer::Multiply] {
        functions.push(function(reducer.name(), &[i32s(&[2, 5])], |b, v| {
            Ok(vec![b.reduce(reducer, v[0], &[1])?])
        }));
    }
    functions.push(function("bits", &[f32s(&[4])], |b, v| {
        Ok(vec![b.push(Op::BitcastConvert(ElementType::I32), v)?])
    }));
    assert_same(functions, -2.0, 2.0, 0.0);
}

fn rows() -> Gather {
    Gather {
        offset_dims: vec![1],
        collapsed_slice_dims: vec![0],
        start_index_map: vec![0],
        index_vector_dim: 1,
        slice_sizes: vec![1, 3],
        ..Gather::default()
    }
}

#[test]
fn indexing() {
    let clamped = |b: &mut Builder, i: Value| -> Result<Value> {
        let (low, high) = (b.scalar_like(0.0, i)?, b.scalar_like(4.0, i)?);
        b.clamp(low, i, high)
    };
    let updated = |name: &str, reducer: Option<Reducer>| {
        let takes = [f32s(&[5, 3]), i32s(&[4]), f32s(&[4, 3])];
        function(name, &takes, |b, v| {
            // Of two updates of one row the last one would be anybody's guess.
            let rows = if reducer.is_none() {
                let ty = TensorType::new([4], ElementType::I32);
                let values = [3, 0, 4, 1].map(Scalar::Int).to_vec();
                b.push(Op::Constant(Literal { ty, values }), &[])?
            } else {
                clamped(b, v[1])?
            };
            let scatter = Scatter {
                update_window_dims: vec![1],
                inserted_window_dims: vec![0],
                scatter_dims_to_operand_dims: vec![0],
                index_vector_dim: 1,
                unique_indices: reducer.is_none(),
                reducer,
                ..Scatter::default()
            };
            Ok(vec![b.scatter(v[0], rows, v[2], scatter)?])
        })
    };
    let functions = vec![
        function("slice", &[f32s(&[5, 4]), i32s(&[]), i32s(&[])], |b, v| {
            Ok(vec![b.dynamic_slice(v[0], &v[1..], &[2, 3])?])
        }),
        function(
            "update",
            &[f32s(&[5, 4]), f32s(&[2, 3]), i32s(&[]), i32s(&[])],
            |b, v| Ok(vec![b.dynamic_update_slice(v[0], v[1], &v[2..])?]),
        ),
        function("gather", &[f32s(&[5, 3]), i32s(&[4])], |b, v| {
            Ok(vec![b.gather(v[0], v[1], rows())?])
        }),
        updated("scatter_add", Some(Reducer::Add)),
        updated("scatter_max", Some(Reducer::Max)),
        updated("scatter_replace", None),
    ];
    assert_same(with_pullbacks(functions, 4), -1.0, 1.0, 1e-6);
}

#[test]
fn control() {
    let (scalar, number) = (f32s(&[]), i32s(&[]));
    let x = f32s(&[2, 3]);
    let turn = [number.clone(), x.clone()];
    let repeat = Compound::While {
        condition: region(&turn, |b, v| {
            let most = b.splat_like(12.0, v[0])?;
            Ok(vec![b.compare(Direction::Lt, v[0], most)?])
        }),
        body: region(&turn, |b, v| {
            let next = b.splat_like(1.0, v[0])?;
            let half = b.splat_like(0.5, v[1])?;
            let product = b.multiply(v[1], v[1])?;
            Ok(vec![b.add(v[0], next)?, b.subtract(product, half)?])
        }),
    };
    let branch = |number: usize| {
        region(&[x.clone(), x.clone()], |b, v| match number {
            0 => Ok(vec![b.add(v[0], v[1])?, v[0]]),
            1 => Ok(vec![b.multiply(v[0], v[1])?, v[1]]),
            _ => Ok(vec![v[1], b.negate(v[0])?]),
        })
    };
    let case = Compound::Case {
        branches: (0..3).map(branch).collect(),
    };
    let choice = Compound::If {
        on_true: branch(0),
        on_false: branch(1),
    };
    let pairs = [
        scalar.clone(),
        scalar.clone(),
        number.clone(),
        number.clone(),
    ];
    let sort = Compound::Sort {
        comparator: region(&pairs, |b, v| {
            Ok(vec![b.compare(Direction::Gt, v[0], v[1])?])
        }),
        dim: 1,
        stable: true,
    };
    let state = [
        scalar.clone(),
        number.clone(),
        scalar.clone(),
        number.clone(),
    ];
    let argmax = Compound::Reduce {
        body: region(&state, |b, v| {
            let larger = b.compare(Direction::Ge, v[0], v[2])?;
            Ok(vec![
                b.select(larger, v[0], v[2])?,
                b.select(larger, v[1], v[3])?,
            ])
        }),
        dims: vec![1],
    };
    let functions = vec![
        function("loop", &turn, |b, v| b.compound(&repeat, v)),
        function("case", &[number.clone(), x.clone(), x.clone()], |b, v| {
            b.compound(&case, v)
        }),
        function("if", &[scalar.clone(), x.clone(), x.clone()], |b, v| {
            let zero = b.scalar_like(0.0, v[0])?;
            let predicate = b.compare(Direction::Gt, v[0], zero)?;
            b.compound(&choice, &[predicate, v[1], v[2]])
        }),
        function("sort", &[f32s(&[2, 7]), i32s(&[2, 7])], |b, v| {
            b.compound(&sort, v)
        }),
        function("argmax", &[f32s(&[3, 7])], |b, v| {
            let index = b.iota(1, i32s(&[3, 7]))?;
            let least = b.splat(f64::NEG_INFINITY, scalar.clone())?;
            let none = b.splat(-1.0, number.clone())?;
            b.compound(&argmax, &[v[0], index, least, none])
        }),
        function("barrier", &turn, |b, v| b.compound(&Compound::Barrier, v)),
    ];
    assert_same(with_pullbacks(functions, 3), -1.0, 1.0, 1e-6);
}
