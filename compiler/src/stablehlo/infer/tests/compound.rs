//! One test for each constraint of the specification.

use super::ty;
use crate::stablehlo::infer::{result_type, result_types};
use crate::stablehlo::{Builder, Compound, ElementType, Op, Region, TensorType};

/// A region that takes these types and returns its arguments of these numbers.
fn region(takes: &[TensorType], returns: &[usize]) -> Region {
    let mut b = Builder::named("region");
    let values: Vec<_> = takes
        .iter()
        .map(|ty| b.function.argument(None, ty.clone()))
        .collect();
    for &number in returns {
        b.function.output(None, values[number]);
    }
    Region::new(b.function)
}

fn infer(op: &Compound, operands: &[TensorType]) -> Result<Vec<TensorType>, String> {
    result_types(op, &operands.iter().collect::<Vec<_>>())
}

#[track_caller]
fn assert_refused(op: &Compound, operands: &[TensorType], why: &str) {
    let message = infer(op, operands).unwrap_err();
    assert!(message.contains(why), "{message}");
}

fn predicate() -> TensorType {
    TensorType::scalar(ElementType::I1)
}

fn number() -> TensorType {
    TensorType::scalar(ElementType::I32)
}

#[test]
fn cases() {
    let takes = [ty(&[2]), ty(&[3])];
    let branch = |returns: &[usize]| region(&takes, returns);
    let case = |branches| Compound::Case { branches };
    let both = case(vec![branch(&[0, 1]), branch(&[0, 1])]);
    let operands = [number(), ty(&[2]), ty(&[3])];
    assert_eq!(infer(&both, &operands), Ok(takes.to_vec()));
    assert_refused(&case(vec![]), &operands, "(C1)");
    let other = case(vec![branch(&[0, 1]), region(&takes[..1], &[0, 0])]);
    assert_refused(&other, &operands, "(C2)");
    let unlike = case(vec![branch(&[0, 1]), branch(&[0, 0])]);
    assert_refused(&unlike, &operands, "(C3)");
    let wide = [TensorType::scalar(ElementType::I64), ty(&[2]), ty(&[3])];
    assert_refused(
        &both,
        &wide,
        "(I1) the index is tensor<i64>, not tensor<i32>",
    );
    assert_refused(&both, &[], "(I1)");
}

#[test]
fn ifs() {
    let takes = [ty(&[2])];
    let branch = |on_true, on_false| Compound::If { on_true, on_false };
    let op = branch(region(&takes, &[0]), region(&takes, &[0]));
    assert_eq!(infer(&op, &[predicate(), ty(&[2])]), Ok(takes.to_vec()));
    assert_refused(&op, &[number(), ty(&[2])], "(I1)");
    assert_refused(&op, &[predicate(), ty(&[3])], "(C1)");
    let unlike = branch(region(&takes, &[0]), region(&takes, &[0, 0]));
    assert_refused(&unlike, &[predicate(), ty(&[2])], "(C2)");
    // A result that there is not.
    let result = Op::Compound { op, result: 1 };
    let found = result_type(&result, &[&predicate(), &ty(&[2])]);
    assert_eq!(found.unwrap_err(), "has 1 results, none of number 1");
}

#[test]
fn whiles() {
    let takes = [predicate(), ty(&[2])];
    let repeat = |condition, body| Compound::While { condition, body };
    let go_on = || region(&takes, &[0]);
    let op = repeat(go_on(), region(&takes, &[0, 1]));
    assert_eq!(infer(&op, &takes), Ok(takes.to_vec()));
    assert_refused(&op, &takes[..1], "(C1)");
    assert_refused(&repeat(region(&takes, &[1]), go_on()), &takes, "(C1)");
    assert_refused(&repeat(go_on(), region(&takes[..1], &[0])), &takes, "(C2)");
    assert_refused(&repeat(go_on(), region(&takes, &[0, 0])), &takes, "(C2)");
}

#[test]
fn sorts() {
    let (a, b) = (ty(&[]), TensorType::scalar(ElementType::I64));
    let operands = [ty(&[2, 3]), TensorType::new([2, 3], ElementType::I64)];
    let sort = |takes: &[TensorType], returns, dim| Compound::Sort {
        comparator: region(takes, returns),
        dim,
        stable: true,
    };
    let takes = [a.clone(), a.clone(), b.clone(), b, predicate()];
    let with = [&operands[..], &[predicate()]].concat();
    assert_eq!(infer(&sort(&takes, &[4], 1), &with), Ok(operands.to_vec()));
    // Without the value from outside there is nothing to return.
    assert_refused(&sort(&takes[..4], &[0], 1), &operands, "(C5)");
    assert_refused(&sort(&takes, &[4], 2), &with, "(C4)");
    let unlike = [
        ty(&[2, 3]),
        TensorType::new([3, 2], ElementType::I64),
        predicate(),
    ];
    assert_refused(&sort(&takes, &[4], 1), &unlike, "(C3)");
    assert_refused(&sort(&takes[..1], &[0], 1), &operands, "(C5)");
    let swapped = [takes[2].clone(), a.clone(), a.clone(), a, predicate()];
    assert_refused(&sort(&swapped, &[4], 1), &with, "(C5)");
}

#[test]
fn reductions() {
    let (a, b) = (ty(&[]), TensorType::scalar(ElementType::I64));
    let tensors = [ty(&[2, 3]), TensorType::new([2, 3], ElementType::I64)];
    let operands = [&tensors[..], &[a.clone(), b.clone()]].concat();
    let reduce = |takes: &[TensorType], returns, dims: &[usize]| Compound::Reduce {
        body: region(takes, returns),
        dims: dims.to_vec(),
    };
    let takes = [a.clone(), b.clone(), a.clone(), b.clone()];
    let types = infer(&reduce(&takes, &[2, 3], &[0]), &operands).unwrap();
    assert_eq!(types, [ty(&[3]), TensorType::new([3], ElementType::I64)]);
    let op = reduce(&takes, &[2, 3], &[1, 0]);
    assert_eq!(infer(&op, &operands), Ok(vec![a.clone(), b.clone()]));
    let unlike = [
        ty(&[2, 3]),
        TensorType::new([3, 2], ElementType::I64),
        a.clone(),
        b.clone(),
    ];
    assert_refused(&op, &unlike, "(C1)");
    let swapped = [&tensors[..], &[b.clone(), a.clone()]].concat();
    assert_refused(&op, &swapped, "(C2)");
    assert_refused(&op, &operands[..3], "(C3)");
    assert_refused(&reduce(&takes, &[2, 3], &[2]), &operands, "(C4, C5)");
    assert_refused(&reduce(&takes, &[2, 3], &[0, 0]), &operands, "(C4, C5)");
    assert_refused(&reduce(&takes, &[3, 2], &[0]), &operands, "(C6)");
    let more = [&takes[..], &[a]].concat();
    assert_refused(&reduce(&more, &[2, 3], &[0]), &operands, "(C6)");
}
