//! Rules of reductions.

use super::{Cotangents, Rule};
use crate::stablehlo::infer::dilated;
use crate::stablehlo::{Direction, Reducer, Result, Value, Window, kept};

pub(super) fn reduce(
    rule: &mut Rule<'_>,
    reducer: Reducer,
    dims: &[usize],
    ct: Value,
) -> Result<Cotangents> {
    rule.constant_operand(1, "initial value")?;
    check_reducer(rule, reducer)?;
    let x = rule.operand(0);
    let shape = rule.shape(x);
    let kept = kept(shape.len(), dims);
    let y = rule.instruction.result;
    let b = &mut *rule.builder;
    let spread = b.broadcast(ct, &kept, &shape)?;
    if reducer == Reducer::Add {
        return Ok(vec![Some(spread), None]);
    }
    // Maximum and minimum: the cells that equal the result share the
    // cotangent evenly.
    let y = b.broadcast(y, &kept, &shape)?;
    let mask = b.compare(Direction::Eq, x, y)?;
    let one = b.splat_like(1.0, x)?;
    let zero = b.splat_like(0.0, x)?;
    let ones = b.select(mask, one, zero)?;
    let count = b.sum(ones, dims)?;
    let share = b.divide(ct, count)?;
    let share = b.broadcast(share, &kept, &shape)?;
    Ok(vec![Some(b.select(mask, share, zero)?), None])
}

/// Sums, maxima and minima have rules.
fn check_reducer(rule: &Rule<'_>, reducer: Reducer) -> Result<()> {
    match reducer {
        Reducer::Add | Reducer::Max | Reducer::Min => Ok(()),
        Reducer::And | Reducer::Multiply | Reducer::Or => {
            Err(rule.refuse(&format!(" by {}", reducer.name())))
        }
    }
}

pub(super) fn reduce_window(
    rule: &mut Rule<'_>,
    reducer: Reducer,
    window: &Window,
    ct: Value,
) -> Result<Cotangents> {
    rule.constant_operand(1, "initial value")?;
    match reducer {
        Reducer::Add => Ok(vec![Some(window_sum(rule, window, ct)?), None]),
        Reducer::Max => {
            let undilated = window.base_dilations.iter().all(|&d| d == 1)
                && window.window_dilations.iter().all(|&d| d == 1);
            if !undilated {
                return Err(rule.refuse(" by maximum with dilation"));
            }
            // The first maximal cell of each window takes the cotangent.
            let x = rule.operand(0);
            let dx = rule.builder.select_and_scatter(x, ct, window.clone())?;
            Ok(vec![Some(dx), None])
        }
        Reducer::Min => Err(rule.refuse(" by minimum")),
        Reducer::And | Reducer::Multiply | Reducer::Or => {
            Err(rule.refuse(&format!(" by {}", reducer.name())))
        }
    }
}

/// Each cell collects the cotangents of the windows that cover it: a window
/// sum of the cotangent spread by the stride, as the input cotangent of a
/// convolution with a kernel of ones.
fn window_sum(rule: &mut Rule<'_>, window: &Window, ct: Value) -> Result<Value> {
    let x = rule.shape(rule.operand(0));
    let y = rule.shape(rule.instruction.result);
    let rank = x.len();
    let (mut low, mut high) = (vec![0; rank], vec![0; rank]);
    for i in 0..rank {
        let input = dilated(x[i], window.base_dilations[i]);
        let extent = dilated(window.size[i], window.window_dilations[i]);
        let output = dilated(y[i], window.strides[i]);
        low[i] = extent - 1 - window.padding[i][0];
        high[i] = input - output - low[i] + extent - 1;
    }
    let interior: Vec<i64> = window.strides.iter().map(|s| s - 1).collect();
    let spread = rule.builder.pad_zero(ct, &low, &high, &interior)?;
    let collect = Window {
        size: window.size.clone(),
        strides: window.base_dilations.clone(),
        window_dilations: window.window_dilations.clone(),
        ..Window::unit(rank)
    };
    rule.builder.reduce_window(Reducer::Add, spread, collect)
}
