//! Decisions that rounding could have turned.

use std::fmt;

use serde::Serialize;

use super::error::Result;
use super::point;
use super::subject::{LIMITS, Subject, Values};
use crate::certify::Random;
use crate::reference::{Bounded, Number, Step, Tensor, run_traced};
use crate::stablehlo::{BinaryOp, Op, Reducer, UnaryOp, Window};

/// Decisions of one operation that the bounds on the real values leave open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Undecided {
    /// The operation, without the dialect.
    pub op: String,
    /// Where it comes from.
    pub location: String,
    /// How many of its elements.
    pub count: usize,
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Undecided {
            op,
            location,
            count,
        } = self;
        let elements = if *count == 1 { "element" } else { "elements" };
        write!(
            f,
            "undecided: {count} {elements} of {op} at {location} are closer than rounding can tell"
        )
    }
}

/// The decisions of a function at these values that bounds leave open, in the
/// order of its instructions.
///
/// # Errors
/// As [`Subject::call`].
pub fn undecided(
    subject: &Subject,
    function: &str,
    values: &Values<f64>,
    random: &mut Random,
) -> Result<Vec<Undecided>> {
    let values = point::bounded(subject, values, random)?;
    let function = subject.function(function)?;
    let arguments = subject.arguments(function, &values)?;
    let mut found = Vec::new();
    run_traced(function, &arguments, LIMITS, |step| {
        let count = open(&step);
        // What reverse mode holds constant decides nothing about it.
        if count > 0 && !step.instruction.stop_gradient {
            found.push(Undecided {
                op: step.instruction.op.name().to_owned(),
                location: step.instruction.location.to_string(),
                count,
            });
        }
    })?;
    Ok(found)
}

/// How many elements of a step rest on an open decision.
fn open(step: &Step<'_, Bounded>) -> usize {
    let operand = |i: usize| step.operands.get(i).map_or(&[][..], |t| t.as_numbers());
    let (a, b) = (operand(0), operand(1));
    let pairs = || {
        let open = |(a, b): &(&Bounded, &Bounded)| a.undecided(**b);
        a.iter().zip(b).filter(open).count()
    };
    match &step.instruction.op {
        Op::Compare(_) | Op::Binary(BinaryOp::Maximum | BinaryOp::Minimum) => pairs(),
        Op::Unary(UnaryOp::Abs) => {
            let zero = Bounded::from_f64(0.0);
            a.iter().filter(|x| x.undecided(zero)).count()
        }
        Op::Convert(element) if !element.is_float() => {
            let open = |x: &&Bounded| {
                let shadow = x.shadow();
                (shadow - x.bound).trunc() != (shadow + x.bound).trunc()
            };
            a.iter().filter(open).count()
        }
        Op::Reduce {
            reducer: Reducer::Max | Reducer::Min,
            dims,
        } => {
            let mut window = Window::unit(step.operands.first().map_or(0, |t| t.ty().rank()));
            for &dim in dims {
                window.size[dim] = step.operands[0].ty().shape[dim];
            }
            windows(&window, step.operands[0], step.result)
        }
        Op::ReduceWindow {
            reducer: Reducer::Max | Reducer::Min,
            window,
        } => windows(window, step.operands[0], step.result),
        _ => 0,
    }
}

/// Windows with a cell that may beat the one that was chosen.
fn windows(window: &Window, x: &Tensor<Bounded>, chosen: &Tensor<Bounded>) -> usize {
    let (cells, chosen) = (x.as_numbers(), chosen.as_numbers());
    let shape = &x.ty().shape;
    let counts: Vec<i64> = (0..shape.len())
        .map(|d| {
            crate::stablehlo::infer::window_count(
                crate::stablehlo::infer::dilated(shape[d], window.base_dilations[d])
                    + window.padding[d][0]
                    + window.padding[d][1],
                crate::stablehlo::infer::dilated(window.size[d], window.window_dilations[d]),
                window.strides[d],
            )
        })
        .collect();
    (0..chosen.len())
        .filter(|&place| {
            let under = under(window, shape, &counts, place);
            under
                .into_iter()
                .filter_map(|at| cells.get(at))
                .any(|cell| cell.undecided(chosen[place]))
        })
        .count()
}

/// The cells under the window at a row-major position.
fn under(window: &Window, shape: &[i64], counts: &[i64], place: usize) -> Vec<usize> {
    let mut rest = place as i64;
    let mut positions = vec![0; shape.len()];
    for d in (0..shape.len()).rev() {
        positions[d] = rest % counts[d].max(1);
        rest /= counts[d].max(1);
    }
    let mut offsets = vec![0i64];
    for d in 0..shape.len() {
        let start = positions[d] * window.strides[d] - window.padding[d][0];
        let own: Vec<i64> = (0..window.size[d])
            .map(|tap| start + tap * window.window_dilations[d])
            .filter(|at| at % window.base_dilations[d] == 0)
            .map(|at| at / window.base_dilations[d])
            .filter(|cell| (0..shape[d]).contains(cell))
            .collect();
        offsets = offsets
            .iter()
            .flat_map(|offset| own.iter().map(move |cell| offset * shape[d] + cell))
            .collect();
    }
    offsets.into_iter().map(|at| at as usize).collect()
}
