//! Operations with several results or with regions.

use cnnc::stablehlo::{
    Builder, Compound, Direction, ElementType, Function, Region, Result, TensorType, Value,
};

use super::common::adjoint::{assert_exact, pullback};
use super::function;
use cnnc::reference::{Tensor, run};

#[test]
fn barrier() {
    let f = function(&[&[2], &[2]], |b, x| {
        let held = b.compound(&Compound::Barrier, x)?;
        let product = b.multiply(held[1], held[0])?;
        b.add(product, held[1])
    });
    assert_exact("optimization_barrier", &f, -1.0, 1.0);
}

fn region(
    takes: &[TensorType],
    build: impl FnOnce(&mut Builder, &[Value]) -> Result<Vec<Value>>,
) -> Region {
    let mut b = Builder::named("region");
    let values: Vec<Value> = takes
        .iter()
        .map(|ty| b.function.argument(None, ty.clone()))
        .collect();
    for value in build(&mut b, &values).expect("a well-typed region") {
        b.function.output(None, value);
    }
    Region::new(b.function)
}

fn list() -> TensorType {
    TensorType::f32([3])
}

/// Two results of two values, differently in each branch.
fn branch(number: usize) -> Region {
    region(&[list(), list()], |b, v| match number {
        0 => {
            let square = b.multiply(v[0], v[0])?;
            Ok(vec![b.multiply(square, v[1])?, v[1]])
        }
        1 => Ok(vec![b.exponential(v[1])?, b.add(v[0], v[1])?]),
        _ => Ok(vec![v[0], b.divide(v[0], v[1])?]),
    })
}

/// x'y of the results of a case.
fn of_case(index: f64) -> Function {
    function(&[&[3], &[3]], |b, x| {
        let index = b.splat(index, TensorType::scalar(ElementType::I32))?;
        let case = Compound::Case {
            branches: (0..3).map(branch).collect(),
        };
        let results = b.compound(&case, &[index, x[0], x[1]])?;
        b.multiply(results[0], results[1])
    })
}

#[test]
fn every_branch_of_a_case() {
    for index in [-1.0, 0.0, 1.0, 2.0] {
        assert_exact(&format!("case {index}"), &of_case(index), 0.5, 2.0);
    }
}

#[test]
fn if_by_a_comparison() {
    for least in [-3.0, 3.0] {
        let f = function(&[&[], &[3], &[3]], |b, x| {
            let least = b.scalar_like(least, x[0])?;
            let predicate = b.compare(Direction::Gt, x[0], least)?;
            let choice = Compound::If {
                on_true: branch(0),
                on_false: branch(1),
            };
            let results = b.compound(&choice, &[predicate, x[1], x[2]])?;
            let scaled = b.multiply(results[1], results[0])?;
            let factor = b.broadcast(x[0], &[], &[3])?;
            b.multiply(scaled, factor)
        });
        assert_exact("if", &f, -1.0, 1.0);
    }
}

/// A branch within a branch.
#[test]
fn nested_branches() {
    let inner = |number| {
        let takes = [TensorType::scalar(ElementType::I32), list(), list()];
        region(&takes, |b, v| {
            let case = Compound::Case {
                branches: vec![branch(number), branch(2)],
            };
            b.compound(&case, v)
        })
    };
    let f = function(&[&[3], &[3]], |b, x| {
        let zero = b.splat(0.0, TensorType::scalar(ElementType::I32))?;
        let case = Compound::Case {
            branches: vec![inner(0), inner(1)],
        };
        Ok(b.compound(&case, &[zero, zero, x[0], x[1]])?[0])
    });
    assert_exact("nested", &f, 0.5, 2.0);
}

/// Sorted together by the distance of the first from a value around.
fn sorted(shape: &[i64], dim: usize) -> Function {
    function(&[shape, shape, &[]], |b, x| {
        let scalar = TensorType::f32([]);
        let comparator = region(&vec![scalar; 5], |b, v| {
            let (p, q) = (b.subtract(v[0], v[4])?, b.subtract(v[1], v[4])?);
            let (p, q) = (b.abs(p)?, b.abs(q)?);
            Ok(vec![b.compare(Direction::Lt, p, q)?])
        });
        let sort = Compound::Sort {
            comparator,
            dim,
            stable: false,
        };
        let results = b.compound(&sort, x)?;
        let product = b.multiply(results[0], results[1])?;
        b.multiply(product, results[1])
    })
}

#[test]
fn sort() {
    assert_exact("sort", &sorted(&[7], 0), -1.0, 1.0);
    assert_exact("sort rows", &sorted(&[3, 5], 1), -1.0, 1.0);
    assert_exact("sort columns", &sorted(&[3, 5], 0), -1.0, 1.0);
}

/// By hand: 3, 1, 2 sorted is 1, 2, 3, so that its cotangent 10, 20, 30 goes
/// to the second, third and first.
#[test]
fn a_sorted_cotangent_goes_back() {
    let f = function(&[&[3]], |b, x| {
        let scalar = TensorType::f32([]);
        let comparator = region(&vec![scalar; 2], |b, v| {
            Ok(vec![b.compare(Direction::Lt, v[0], v[1])?])
        });
        let sort = Compound::Sort {
            comparator,
            dim: 0,
            stable: true,
        };
        Ok(b.compound(&sort, x)?[0])
    });
    let tensor = |values| Tensor::<f64>::from_f64(list(), values).expect("a tensor");
    let arguments = [tensor(&[3.0, 1.0, 2.0]), tensor(&[10.0, 20.0, 30.0])];
    let gradient = run(&pullback("sort", &f), &arguments).expect("a gradient");
    assert_eq!(gradient, [tensor(&[30.0, 10.0, 20.0])]);
}

/// An operation without a rule is named where it stands, in the branch.
#[test]
fn a_branch_without_a_rule_is_refused() {
    let turn = [list()];
    let product = region(&turn, |b, v| {
        b.location = cnnc::stablehlo::Location::new("loop.mlir", 7, 3);
        let repeat = Compound::While {
            condition: region(&turn, |b, _| {
                Ok(vec![b.splat(0.0, TensorType::scalar(ElementType::I1))?])
            }),
            body: region(&turn, |_, v| Ok(v.to_vec())),
        };
        b.compound(&repeat, v)
    });
    let f = function(&[&[], &[3]], |b, x| {
        let zero = b.scalar_like(0.0, x[0])?;
        let predicate = b.compare(Direction::Gt, x[0], zero)?;
        let choice = Compound::If {
            on_true: product.clone(),
            on_false: product,
        };
        Ok(b.compound(&choice, &[predicate, x[1]])?[0])
    });
    let refused = cnnc::autodiff::pullback(&f, &[1], "pullback", "cotangent").unwrap_err();
    assert_eq!(
        refused.to_string(),
        "loop.mlir:7:3: autodiff: no derivative rule for `stablehlo.while`"
    );
}
