//! Dot products on stored values.

use super::apply::Rewriter;
use super::{Inner, Layout};
use crate::stablehlo::{DotGeneral, Instruction, Op, Result, Value};

/// One operand of a dot product, in the layout it is used in.
struct Side {
    layout: Layout,
    batch: Vec<usize>,
    contract: Vec<usize>,
}

impl Side {
    fn free(&self) -> Vec<usize> {
        (0..self.layout.order.len())
            .filter(|d| !self.batch.contains(d) && !self.contract.contains(d))
            .collect()
    }

    /// Stored positions of the batching and of the contracting dimensions.
    fn stored(&self) -> (Vec<usize>, Vec<usize>) {
        let positions = self.layout.positions();
        let at = |dims: &[usize]| dims.iter().map(|&d| positions[d]).collect();
        (at(&self.batch), at(&self.contract))
    }

    /// The free dimensions, numbered from `first` on, in the order in which
    /// they are stored.
    fn free_order(&self, first: usize) -> Vec<usize> {
        let free = self.free();
        self.layout
            .order
            .iter()
            .filter_map(|d| free.iter().position(|f| f == d))
            .map(|index| first + index)
            .collect()
    }
}

impl Rewriter<'_> {
    /// Both operands stay as they are stored; only the insides of dimensions
    /// that meet must be alike. Where the result is to be stored with the free
    /// dimensions of the right operand first, the operands change sides.
    pub(super) fn dot(&mut self, i: &Instruction, dot: &DotGeneral) -> Result<(Value, Layout)> {
        let (a, b) = (i.operands[0], i.operands[1]);
        let left = Side {
            layout: self.layout(a),
            batch: dot.lhs_batch.clone(),
            contract: dot.lhs_contract.clone(),
        };
        let mut right = Side {
            layout: self.layout(b),
            batch: dot.rhs_batch.clone(),
            contract: dot.rhs_contract.clone(),
        };
        let met = left.batch.iter().chain(&left.contract);
        let partners = dot.rhs_batch.iter().chain(&dot.rhs_contract);
        for (&p, &q) in met.zip(partners) {
            right.layout.inner[q] = left.layout.inner[p].clone();
        }
        let values = [
            self.operand(a, &left.layout)?,
            self.operand(b, &right.layout)?,
        ];
        // Logical dimensions of the result: batch, free of a, free of b.
        let batch = left.batch.len();
        let second = batch + left.free().len();
        let inner: Vec<Inner> = left
            .batch
            .iter()
            .chain(&left.free())
            .map(|&d| left.layout.inner[d].clone())
            .chain(right.free().iter().map(|&d| right.layout.inner[d].clone()))
            .collect();
        let wanted = self.layout(i.result).order;
        let swap = wanted.iter().find(|&&d| d >= batch) >= Some(&second) && second > batch;
        let mut order: Vec<usize> = (0..batch).collect();
        let (stored, operands) = if swap {
            order.extend(right.free_order(second));
            order.extend(left.free_order(batch));
            (attributes(&right, &left), [values[1], values[0]])
        } else {
            order.extend(left.free_order(batch));
            order.extend(right.free_order(second));
            (attributes(&left, &right), values)
        };
        let value = self.push(i, Op::DotGeneral(stored), &operands)?;
        Ok((value, Layout { order, inner }))
    }
}

fn attributes(left: &Side, right: &Side) -> DotGeneral {
    let (lhs_batch, lhs_contract) = left.stored();
    let (rhs_batch, rhs_contract) = right.stored();
    DotGeneral {
        lhs_batch,
        rhs_batch,
        lhs_contract,
        rhs_contract,
    }
}
