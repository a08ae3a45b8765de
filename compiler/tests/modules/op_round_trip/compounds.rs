//! Operations with several results or with regions.

use cnnc::stablehlo::{
    Builder, Compound, Direction, ElementType, Function, Region, Result, TensorType, Value,
};

use super::{f32, of};

/// A region that takes these types; its results are made by `build`.
fn region(
    takes: &[TensorType],
    build: impl FnOnce(&mut Builder, &[Value]) -> Result<Vec<Value>>,
) -> Region {
    let mut b = Builder::named("region");
    let values: Vec<Value> = takes
        .iter()
        .map(|ty| b.function.argument(None, ty.clone()))
        .collect();
    for value in build(&mut b, &values).unwrap() {
        b.function.output(None, value);
    }
    Region::new(b.function)
}

/// All results of one operation.
fn compound(operands: &[TensorType], op: &Compound) -> Function {
    let mut b = Builder::named("f");
    let operands: Vec<Value> = operands
        .iter()
        .map(|ty| b.function.argument(None, ty.clone()))
        .collect();
    for result in b.compound(op, &operands).unwrap() {
        b.function.output(None, result);
    }
    b.function
}

/// Operations whose regions use values from around, in the order of their
/// operands.
pub fn cases() -> Vec<Function> {
    let (x, one) = (f32(&[2, 3]), f32(&[]));
    let (number, truth) = (of(&[], ElementType::I32), of(&[], ElementType::I1));
    let branches = || {
        let takes = [x.clone(), x.clone()];
        let sum = region(&takes, |b, v| Ok(vec![b.add(v[0], v[1])?, v[0]]));
        let product = region(&takes, |b, v| Ok(vec![b.multiply(v[1], v[0])?, v[1]]));
        [sum, product]
    };
    let [on_true, on_false] = branches();
    let branch = Compound::If { on_true, on_false };
    let case = Compound::Case {
        branches: [branches(), branches()].concat(),
    };
    // Sorts by the first tensor, the furthest from a value from around first.
    let pairs = [
        one.clone(),
        one.clone(),
        number.clone(),
        number.clone(),
        one.clone(),
    ];
    let sort = |stable| Compound::Sort {
        comparator: region(&pairs, |b, v| {
            let (p, q) = (b.subtract(v[0], v[4])?, b.subtract(v[1], v[4])?);
            let (p, q) = (b.abs(p)?, b.abs(q)?);
            Ok(vec![b.compare(Direction::Gt, p, q)?])
        }),
        dim: 1,
        stable,
    };
    let state = [one.clone(), number.clone(), one.clone(), number.clone()];
    let reduce = Compound::Reduce {
        body: region(&state, |b, v| {
            let larger = b.compare(Direction::Ge, v[0], v[2])?;
            Ok(vec![b.maximum(v[0], v[2])?, b.select(larger, v[1], v[3])?])
        }),
        dims: vec![1],
    };
    let turn = [number.clone(), x.clone()];
    let repeat = Compound::While {
        condition: region(&turn, |b, v| {
            let most = b.splat(7.0, TensorType::scalar(ElementType::I32))?;
            Ok(vec![b.compare(Direction::Lt, v[0], most)?])
        }),
        body: region(&turn, |b, v| {
            let next = b.splat_like(1.0, v[0])?;
            Ok(vec![b.add(v[0], next)?, b.negate(v[1])?])
        }),
    };
    let many = x.with_element(ElementType::I32);
    vec![
        compound(&[one.clone(), many.clone()], &Compound::Barrier),
        compound(&[truth, x.clone(), x.clone()], &branch),
        compound(&[number.clone(), x.clone(), x.clone()], &case),
        compound(&[x.clone(), many.clone(), one.clone()], &sort(true)),
        compound(&[x.clone(), many.clone(), one.clone()], &sort(false)),
        compound(&[x.clone(), many, one, number.clone()], &reduce),
        compound(&[number, x], &repeat),
    ]
}
