//! Rule of `dot_general`.

use super::{Cotangents, Rule};
use crate::stablehlo::{DotGeneral, Result, Value};

/// y = a . b: a' contracts y' with b over b's free dimensions, and b' contracts
/// y' with a over a's.
pub(super) fn dot_general(rule: &mut Rule<'_>, dot: &DotGeneral, ct: Value) -> Result<Cotangents> {
    let (a, b) = (rule.operand(0), rule.operand(1));
    let a_free = free(rule.shape(a).len(), &dot.lhs_batch, &dot.lhs_contract);
    let b_free = free(rule.shape(b).len(), &dot.rhs_batch, &dot.rhs_contract);
    let batch = dot.lhs_batch.len();
    // Dimensions of the result: batch, free of a, free of b.
    let ct_batch: Vec<usize> = (0..batch).collect();
    let ct_a: Vec<usize> = (batch..batch + a_free.len()).collect();
    let ct_b: Vec<usize> = (batch + a_free.len()..batch + a_free.len() + b_free.len()).collect();
    let a_bar = if rule.needed[0] {
        let side = Side {
            ct_contract: &ct_b,
            other_free: &b_free,
            other_batch: &dot.rhs_batch,
            other_contract: &dot.rhs_contract,
            own_batch: &dot.lhs_batch,
            own_free: &a_free,
            own_contract: &dot.lhs_contract,
        };
        Some(operand(rule, ct, &ct_batch, b, &side)?)
    } else {
        None
    };
    let b_bar = if rule.needed[1] {
        let side = Side {
            ct_contract: &ct_a,
            other_free: &a_free,
            other_batch: &dot.lhs_batch,
            other_contract: &dot.lhs_contract,
            own_batch: &dot.rhs_batch,
            own_free: &b_free,
            own_contract: &dot.rhs_contract,
        };
        Some(operand(rule, ct, &ct_batch, a, &side)?)
    } else {
        None
    };
    Ok(vec![a_bar, b_bar])
}

/// Dimensions that matter for the cotangent of one operand.
struct Side<'a> {
    ct_contract: &'a [usize],
    other_free: &'a [usize],
    other_batch: &'a [usize],
    other_contract: &'a [usize],
    own_batch: &'a [usize],
    own_free: &'a [usize],
    own_contract: &'a [usize],
}

fn operand(
    rule: &mut Rule<'_>,
    ct: Value,
    ct_batch: &[usize],
    other: Value,
    side: &Side<'_>,
) -> Result<Value> {
    let attributes = |flip: bool| {
        let (ct_side, other_side) = (
            (ct_batch.to_vec(), side.ct_contract.to_vec()),
            (side.other_batch.to_vec(), side.other_free.to_vec()),
        );
        let (lhs, rhs) = if flip {
            (other_side, ct_side)
        } else {
            (ct_side, other_side)
        };
        DotGeneral {
            lhs_batch: lhs.0,
            lhs_contract: lhs.1,
            rhs_batch: rhs.0,
            rhs_contract: rhs.1,
        }
    };
    // The other operand's contracting dimensions come out in ascending order;
    // each stands for the own dimension that it was contracted with.
    let mut pairs: Vec<(usize, usize)> = side
        .other_contract
        .iter()
        .copied()
        .zip(side.own_contract.iter().copied())
        .collect();
    pairs.sort_unstable();
    let contract: Vec<usize> = pairs.into_iter().map(|(_, own)| own).collect();
    // Put the operand whose dimensions come first on the left, so that the
    // common cases need no transpose.
    let contract_first = contract.first() < side.own_free.first();
    let produced: Vec<usize> = if contract_first {
        [side.own_batch, &contract[..], side.own_free].concat()
    } else {
        [side.own_batch, side.own_free, &contract[..]].concat()
    };
    let b = &mut *rule.builder;
    let product = if contract_first {
        b.dot_general(other, ct, attributes(true))?
    } else {
        b.dot_general(ct, other, attributes(false))?
    };
    let mut permutation = vec![0; produced.len()];
    for (position, &dim) in produced.iter().enumerate() {
        permutation[dim] = position;
    }
    b.transpose(product, &permutation)
}

fn free(rank: usize, batch: &[usize], contract: &[usize]) -> Vec<usize> {
    (0..rank)
        .filter(|d| !batch.contains(d) && !contract.contains(d))
        .collect()
}
