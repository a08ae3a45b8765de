//! Operations with several results or with regions.

use super::{Draw, assert_same_value, function, names};
use crate::simplify::{drop_unused, merge_equal, simplify};
use crate::stablehlo::{Builder, Compound, ElementType, Op, Region, Result, TensorType, Value};

fn x() -> TensorType {
    TensorType::f32([2, 3])
}

/// A region of two tensors that returns their sum, made in a roundabout way,
/// and the first of them.
fn sum() -> Region {
    let two = function([x(), x()], |b, [x, y]| {
        let there = b.reverse(x, &[0])?;
        let back = b.reverse(there, &[0])?;
        b.add(back, y)
    });
    let mut two = two;
    let first = two.arguments[0].value;
    two.output(None, first);
    Region::new(two)
}

fn product() -> Region {
    let mut two = function([x(), x()], |b, [x, y]| b.multiply(x, y));
    let first = two.arguments[1].value;
    two.output(None, first);
    Region::new(two)
}

fn predicate() -> TensorType {
    TensorType::scalar(ElementType::I1)
}

/// Both results of a choice between the two.
fn choose(b: &mut Builder, predicate: Value, x: Value, y: Value) -> Result<Vec<Value>> {
    let op = Compound::If {
        on_true: sum(),
        on_false: product(),
    };
    b.compound(&op, &[predicate, x, y])
}

#[test]
fn equal_operations_with_regions_merge() {
    let f = function([predicate(), x(), x()], |b, [p, x, y]| {
        let first = choose(b, p, x, y)?;
        let second = choose(b, p, x, y)?;
        let other = choose(b, p, y, x)?;
        let total = b.add(first[0], second[1])?;
        b.subtract(total, other[0])
    });
    let merged = drop_unused(&merge_equal(&f));
    assert_eq!(names(&merged), ["if", "if", "if", "add", "subtract"]);
    let [a, b, c] = [0, 1, 2].map(|i| &merged.body[i]);
    // Two results of one operation, and one of another.
    assert!(a.is_same_compound(b) && !a.is_same_compound(c));
    assert_same_value(&f, &merged, Draw::Distinct);
}

#[test]
fn regions_are_simplified_and_unused_results_dropped() {
    let f = function([predicate(), x(), x()], |b, [p, x, y]| {
        let results = choose(b, p, x, y)?;
        let there = b.negate(results[1])?;
        b.negate(there)
    });
    let simple = simplify(&f).expect("no failure");
    assert_eq!(names(&simple), ["if"]);
    let Op::Compound { op, result: 1 } = &simple.body[0].op else {
        panic!("{:?}", simple.body[0]);
    };
    let inside: Vec<Vec<&str>> = op.regions().iter().map(|region| names(region)).collect();
    assert_eq!(inside, [["add"], ["multiply"]]);
    assert_same_value(&f, &simple, Draw::Distinct);
}
