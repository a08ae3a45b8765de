//! Which derivative is meant where a decision ties.
//!
//! At a tie the maximum of the interpreter is its left operand, and its dual
//! number moves as that one. The language has rules of its own:
//!
//! - relu does not move at 0, nor does any maximum against a constant where
//!   the two are equal;
//! - a maximum of two variables moves by half of each;
//! - a maximum over dimensions moves by equal shares of the maximal cells.
//!
//! So functions are brought into a form whose values are the same and whose
//! dual numbers obey these rules. Every function of a module is, the gradients
//! too: at a tie the field elements of what ties differ, and those of the form
//! are their mean. Minima are treated alike. A maximum over dimensions is also
//! where reverse mode holds it constant, as the shift of a softmax: the mean does
//! not depend on the order in which a module stores the cells.
//!
//! Pools need nothing: in a window the first maximal cell takes all, as in the
//! interpreter. A tuned module writes them as maxima of slices of one tensor.

use crate::stablehlo::{
    BinaryOp, Builder, Direction, Function, Instruction, Literal, Op, Reducer, Result, Scalar,
    Value,
};

/// The function in this form. Values keep their numbers; those of the form are
/// new.
///
/// # Errors
/// If an instruction does not fit its operands.
pub(super) fn with_tie_rules(function: &Function) -> Result<Function> {
    let mut rest = function.clone();
    rest.body.clear();
    let mut b = Builder::new(rest);
    for instruction in &function.body {
        b.location = instruction.location.clone();
        let instruction = match rule(function, instruction) {
            Rule::Plain => instruction.clone(),
            Rule::ConstantFirst => exchanged(instruction),
            Rule::Halves => halves(&mut b, instruction)?,
            Rule::Shares(dims) => shares(&mut b, instruction, dims)?,
        };
        b.function.body.push(instruction);
    }
    Ok(b.function)
}

/// What the language says of an instruction at a tie.
enum Rule<'a> {
    /// Nothing, or what the interpreter does.
    Plain,
    /// The right operand is a constant, which should be the left one.
    ConstantFirst,
    /// Both operands move.
    Halves,
    /// Any cell along these dimensions moves.
    Shares(&'a [usize]),
}

fn rule<'a>(function: &Function, instruction: &'a Instruction) -> Rule<'a> {
    let real = function.ty(instruction.result).element.is_float();
    let moves = real && !instruction.stop_gradient;
    match (&instruction.op, &instruction.operands[..]) {
        (Op::Binary(BinaryOp::Maximum | BinaryOp::Minimum), &[left, right]) if moves => {
            match [left, right].map(|v| constant(function, v).is_some()) {
                [true, _] => Rule::Plain,
                [false, true] => Rule::ConstantFirst,
                [false, false] if left == right => Rule::Plain,
                [false, false] if of_window(function, left, right) => Rule::Plain,
                [false, false] => Rule::Halves,
            }
        }
        (Op::Reduce { reducer, dims }, &[x, init])
            if real && matches!(reducer, Reducer::Max | Reducer::Min) =>
        {
            let neutral = reducer.neutral(function.ty(x).element);
            match constant(function, init) == Some(neutral) {
                true => Rule::Shares(dims),
                false => Rule::Plain,
            }
        }
        _ => Rule::Plain,
    }
}

/// Whether the operands of a maximum are cells of the same windows.
fn of_window(function: &Function, left: Value, right: Value) -> bool {
    let source = sliced(function, left);
    source.is_some() && source == sliced(function, right)
}

/// The tensor that a slice, or a maximum of slices, is cut from.
fn sliced(function: &Function, value: Value) -> Option<Value> {
    let instruction = definition(function, value)?;
    match (&instruction.op, &instruction.operands[..]) {
        (Op::Slice { .. }, &[from]) => Some(from),
        (Op::Binary(BinaryOp::Maximum), &[left, right]) => {
            sliced(function, left).filter(|&from| sliced(function, right) == Some(from))
        }
        _ => None,
    }
}

fn definition(function: &Function, value: Value) -> Option<&Instruction> {
    function.body.iter().find(|i| i.result == value)
}

/// The value of all elements of a constant that has one.
fn constant(function: &Function, value: Value) -> Option<f64> {
    let instruction = definition(function, value)?;
    match &instruction.op {
        Op::Constant(literal) => Literal::splat_value(literal).map(Scalar::as_f64),
        Op::BroadcastInDim { .. } | Op::Reshape { .. } => {
            constant(function, *instruction.operands.first()?)
        }
        _ => None,
    }
}

fn exchanged(instruction: &Instruction) -> Instruction {
    let mut instruction = instruction.clone();
    instruction.operands.reverse();
    instruction
}

/// max(a, b) as (max(a, b) + max(b, a)) / 2.
fn halves(b: &mut Builder, instruction: &Instruction) -> Result<Instruction> {
    let left = b.push(instruction.op.clone(), &instruction.operands)?;
    let right = b.push(instruction.op.clone(), &exchanged(instruction).operands)?;
    let sum = b.add(left, right)?;
    let half = b.splat_like(0.5, sum)?;
    Ok(Instruction {
        op: Op::Binary(BinaryOp::Multiply),
        operands: vec![sum, half],
        ..instruction.clone()
    })
}

/// m = max(x) as m plus the mean, over the cells that equal m, of x - m: zero,
/// but for the derivative.
fn shares(b: &mut Builder, instruction: &Instruction, dims: &[usize]) -> Result<Instruction> {
    let first = b.push(instruction.op.clone(), &instruction.operands)?;
    let x = instruction.operands[0];
    let shape = b.shape(x);
    let kept: Vec<usize> = (0..shape.len()).filter(|d| !dims.contains(d)).collect();
    let spread = b.broadcast(first, &kept, &shape)?;
    let equal = b.compare(Direction::Eq, x, spread)?;
    let zero = b.splat_like(0.0, x)?;
    let one = b.splat_like(1.0, x)?;
    let difference = b.subtract(x, spread)?;
    let difference = b.select(equal, difference, zero)?;
    let count = b.select(equal, one, zero)?;
    let (sum, count) = (b.sum(difference, dims)?, b.sum(count, dims)?);
    let mean = b.divide(sum, count)?;
    Ok(Instruction {
        op: Op::Binary(BinaryOp::Add),
        operands: vec![first, mean],
        ..instruction.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::{Dual, Tensor, run};
    use crate::stablehlo::TensorType;

    /// Values and derivatives of a function of one or two vectors, each of
    /// which moves as given.
    fn moved<const N: usize>(
        arguments: [&[[f64; 2]]; N],
        build: impl FnOnce(&mut Builder, [Value; N]) -> Result<Value>,
    ) -> Vec<[f64; 2]> {
        let mut b = Builder::named("f");
        let types = arguments.map(|a| TensorType::f32([a.len() as i64]));
        let x = types.clone().map(|ty| b.function.argument(None, ty));
        let y = build(&mut b, x).unwrap();
        b.function.output(None, y);
        let number = |&[value, tangent]: &[f64; 2]| Dual { value, tangent };
        let given = types.into_iter().zip(arguments);
        let given = given.map(|(ty, a)| Tensor::numbers(ty, a.iter().map(number).collect()));
        let given: Vec<Tensor<Dual<f64>>> = given.map(|tensor| tensor.unwrap()).collect();
        let results = run(&with_tie_rules(&b.function).unwrap(), &given).unwrap();
        let pair = |dual: &Dual<f64>| [dual.value, dual.tangent];
        results[0].as_numbers().iter().map(pair).collect()
    }

    const X: [[f64; 2]; 3] = [[-1.0, 1.0], [0.0, 1.0], [2.0, 1.0]];

    /// The relu of -1, 0 and 2, moving along 1, moves along 0, 0 and 1,
    /// whichever side the constant is on, and however it is written.
    #[test]
    fn relu_stands_still_at_zero() {
        let expected = [[0.0, 0.0], [0.0, 0.0], [2.0, 1.0]];
        let right = moved([&X], |b, [x]| {
            let zero = b.scalar_like(0.0, x)?;
            let zero = b.broadcast(zero, &[], &[3])?;
            b.maximum(x, zero)
        });
        assert_eq!(right, expected);
        let left = moved([&X], |b, [x]| {
            let zero = b.splat_like(0.0, x)?;
            b.maximum(zero, x)
        });
        assert_eq!(left, expected);
    }

    /// JAX: `jax.jvp(jnp.maximum, ([1., 2., 3.], [2., 2., 2.]),
    /// ([1., 1., 1.], [8., 8., 8.]))` is `[2, 2, 3], [8, 4.5, 1]`; minimum
    /// gives `[1, 2, 2], [1, 4.5, 8]`.
    #[test]
    fn two_variables_take_half_each() {
        let a = [[1.0, 1.0], [2.0, 1.0], [3.0, 1.0]];
        let b = [[2.0, 8.0]; 3];
        let found = moved([&a, &b], |builder, [a, b]| builder.maximum(a, b));
        assert_eq!(found, [[2.0, 8.0], [2.0, 4.5], [3.0, 1.0]]);
        let found = moved([&a, &b], |builder, [a, b]| builder.minimum(a, b));
        assert_eq!(found, [[1.0, 1.0], [2.0, 4.5], [2.0, 8.0]]);
        let same = moved([&a], |builder, [a]| builder.maximum(a, a));
        assert_eq!(same, a);
    }

    /// A pool of 1, 5, 5, 2 as the tuning writes it: the first 5 takes all.
    #[test]
    fn the_first_maximal_cell_of_a_window_takes_all() {
        let x = [[1.0, 1.0], [5.0, 10.0], [5.0, 100.0], [2.0, 1000.0]];
        let found = moved([&x], |b, [x]| {
            let mut cell = |i: i64| b.slice(x, &[i], &[i + 1], &[1]);
            let [p, q, r, s] = [cell(0)?, cell(1)?, cell(2)?, cell(3)?];
            let (left, right) = (b.maximum(p, q)?, b.maximum(r, s)?);
            b.maximum(left, right)
        });
        assert_eq!(found, [[5.0, 10.0]]);
    }

    #[test]
    fn nan_passes_a_maximum_of_two_variables() {
        let found = moved([&[[f64::NAN, 1.0]], &[[2.0, 1.0]]], |b, [x, y]| {
            b.maximum(x, y)
        });
        assert!(found[0][0].is_nan(), "{found:?}");
    }

    /// The maximum of 0.1, 0.1, 0.1 and 0 is 0.1 to the bit, and moves by the
    /// mean of 3, 6 and 12; a single maximum moves as its cell.
    #[test]
    fn maximal_cells_share_evenly() {
        let x = [[0.1, 3.0], [0.1, 6.0], [0.0, 100.0], [0.1, 12.0]];
        let over_all = |reducer| move |b: &mut Builder, [x]: [Value; 1]| b.reduce(reducer, x, &[0]);
        assert_eq!(moved([&x], over_all(Reducer::Max)), [[0.1, 7.0]]);
        assert_eq!(moved([&x], over_all(Reducer::Min)), [[0.0, 100.0]]);
    }

    /// What reverse mode holds constant is left as it is, and so is every
    /// value's number.
    #[test]
    fn what_does_not_move_is_left_alone() {
        let mut b = Builder::named("f");
        let x = b.function.argument(None, TensorType::f32([3]));
        let y = b.function.argument(None, TensorType::f32([3]));
        let held = b.maximum(x, y).unwrap();
        let held = b.stop_gradient(held);
        let sum = b.add(held, x).unwrap();
        b.function.output(None, sum);
        assert_eq!(with_tie_rules(&b.function).unwrap(), b.function);
        b.function.body[0].stop_gradient = false;
        let rewritten = with_tie_rules(&b.function).unwrap();
        assert_eq!(rewritten.body.len(), 6);
        assert_eq!(rewritten.body[5], b.function.body[1]);
        assert_eq!(rewritten.body[4].result, held);
    }
}
