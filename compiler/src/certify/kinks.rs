//! Which derivative is meant where a relu's input is zero.
//!
//! At a tie the maximum of the interpreter is its left operand, and its dual
//! number moves as that one. The language says that relu does not move at 0,
//! and so does `max(0, x)`, which is `max(x, 0)` everywhere.

use crate::stablehlo::{BinaryOp, Function, Op, Value};

/// The function with constants as left operands of maxima and minima.
pub(super) fn constants_first(function: &Function) -> Function {
    let mut result = function.clone();
    for instruction in &mut result.body {
        let extremum = matches!(
            instruction.op,
            Op::Binary(BinaryOp::Maximum | BinaryOp::Minimum)
        );
        if let (true, &[left, right]) = (extremum, &instruction.operands[..])
            && is_constant(function, right)
            && !is_constant(function, left)
        {
            instruction.operands.swap(0, 1);
        }
    }
    result
}

fn is_constant(function: &Function, value: Value) -> bool {
    let definition = function.body.iter().find(|i| i.result == value);
    definition.is_some_and(|instruction| match &instruction.op {
        Op::Constant(_) => true,
        Op::BroadcastInDim { .. } | Op::Reshape { .. } => instruction
            .operands
            .iter()
            .all(|&v| is_constant(function, v)),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::{Dual, Tensor, run};
    use crate::stablehlo::{Builder, TensorType};

    /// The relu of -1, 0 and 2, moving along 1, moves along 0, 0 and 1.
    #[test]
    fn relu_stands_still_at_zero() {
        let mut b = Builder::named("relu");
        let x = b.function.argument(None, TensorType::f32([3]));
        let zero = b.scalar_like(0.0, x).unwrap();
        let zero = b.broadcast(zero, &[], &[3]).unwrap();
        let y = b.maximum(x, zero).unwrap();
        b.function.output(None, y);
        let moving = |value| Dual {
            value,
            tangent: 1.0,
        };
        let x = Tensor::numbers(TensorType::f32([3]), [-1.0, 0.0, 2.0].map(moving).to_vec());
        let results = run(&constants_first(&b.function), &[x.unwrap()]).unwrap();
        let tangents: Vec<f64> = results[0].as_numbers().iter().map(|n| n.tangent).collect();
        assert_eq!(tangents, [0.0, 0.0, 1.0]);
    }
}
