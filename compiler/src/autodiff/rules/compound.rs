//! Rules of operations with several results or with regions: from the
//! cotangent of one result to a cotangent for each operand.

use super::{Cotangents, Rule};
use crate::autodiff;
use crate::stablehlo::{
    Builder, Compound, Direction, ElementType, Function, Op, Region, Result, TensorType, Value,
};

pub(super) fn compound(
    rule: &mut Rule<'_>,
    op: &Compound,
    result: usize,
    ct: Value,
) -> Result<Cotangents> {
    match op {
        Compound::Barrier => Ok(barrier(rule, result, ct)),
        Compound::Case { .. } | Compound::If { .. } => branches(rule, op, result, ct),
        Compound::Sort {
            comparator, dim, ..
        } => sort(rule, comparator, *dim, result, ct),
        Compound::Reduce { .. } | Compound::While { .. } => Err(rule.refuse("")),
    }
}

/// The result is the operand of its number.
fn barrier(rule: &Rule<'_>, result: usize, ct: Value) -> Cotangents {
    let mut cotangents = vec![None; rule.instruction.operands.len()];
    if let Some(slot) = cotangents.get_mut(result) {
        *slot = Some(ct);
    }
    cotangents
}

/// The same choice between the pullbacks of the branches.
fn branches(rule: &mut Rule<'_>, op: &Compound, result: usize, ct: Value) -> Result<Cotangents> {
    // Operand 0 chooses, and has no cotangent.
    let moving: Vec<usize> = (1..rule.instruction.operands.len())
        .filter(|&index| rule.needed[index])
        .collect();
    let arguments: Vec<usize> = moving.iter().map(|index| index - 1).collect();
    let backward = op.map_regions(&mut |branch| {
        let pullback = autodiff::region_pullback(branch, result, &arguments)?;
        Ok::<_, crate::stablehlo::Error>(Region::new(pullback))
    })?;
    let operands: Vec<Value> = rule
        .instruction
        .operands
        .iter()
        .copied()
        .chain([ct])
        .collect();
    let gradients = rule.builder.compound(&backward, &operands)?;
    let mut cotangents = vec![None; rule.instruction.operands.len()];
    for (index, gradient) in moving.into_iter().zip(gradients) {
        cotangents[index] = Some(gradient);
    }
    Ok(cotangents)
}

/// Sorting with the place of each element beside it shows where elements went;
/// sorting the cotangent by these places takes it back.
fn sort(
    rule: &mut Rule<'_>,
    comparator: &Region,
    dim: usize,
    result: usize,
    ct: Value,
) -> Result<Cotangents> {
    let operands = rule.instruction.operands.clone();
    let count = comparator.arguments.len() - operands.len();
    let (tensors, captured) = operands.split_at(count);
    let b = &mut *rule.builder;
    let ty = TensorType::new(b.shape(ct), ElementType::I32);
    let places = b.iota(dim, ty.clone())?;
    let with_places = Compound::Sort {
        comparator: Region::new(beside(comparator, count)),
        dim,
        stable: true,
    };
    let sorted = [tensors, &[places], captured].concat();
    let sorted = b.compound(&with_places, &sorted)?;
    let back = Compound::Sort {
        comparator: Region::new(by_place(b.ty(ct).element)?),
        dim,
        stable: true,
    };
    let dx = b.compound(&back, &[sorted[count], ct])?[1];
    let mut cotangents = vec![None; operands.len()];
    if let Some(slot) = cotangents.get_mut(result) {
        *slot = Some(dx);
    }
    Ok(cotangents)
}

/// The comparator of `count` tensors as one of one more, of which it takes no
/// notice.
fn beside(comparator: &Function, count: usize) -> Function {
    let mut wide = comparator.clone();
    let place = TensorType::scalar(ElementType::I32);
    for _ in 0..2 {
        wide.argument(None, place.clone());
    }
    // The new arguments stand behind those of the other tensors.
    let moved: Vec<_> = wide.arguments.drain(comparator.arguments.len()..).collect();
    wide.arguments.splice(2 * count..2 * count, moved);
    wide
}

/// Whether the first place comes before the second.
fn by_place(element: ElementType) -> Result<Function> {
    let mut b = Builder::named("by_place");
    let place = TensorType::scalar(ElementType::I32);
    let first = b.function.argument(None, place.clone());
    let second = b.function.argument(None, place);
    for _ in 0..2 {
        b.function.argument(None, TensorType::scalar(element));
    }
    let before = b.push(Op::Compare(Direction::Lt), &[first, second])?;
    b.function.output(None, before);
    Ok(b.function)
}
