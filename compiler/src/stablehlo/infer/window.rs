//! Result types of reductions and windowed operations.

use super::{Refusal, check_dims, check_len};
use crate::stablehlo::op::{Reducer, Window, kept};
use crate::stablehlo::types::TensorType;

/// Extent of `size` elements spread `dilation` apart.
pub fn dilated(size: i64, dilation: i64) -> i64 {
    if size == 0 {
        0
    } else {
        (size - 1).saturating_mul(dilation).saturating_add(1)
    }
}

/// Number of positions of a window of (dilated) extent `window` in `size`
/// cells at steps of `stride`: floor((size - window) / stride) + 1, or 0.
pub fn window_count(size: i64, window: i64, stride: i64) -> i64 {
    if size < window || size == 0 {
        0
    } else {
        (size.saturating_sub(window) / stride).saturating_add(1)
    }
}

/// Refuses functions of bits on floating-point numbers.
pub(super) fn check_reducer(reducer: Reducer, operand: &TensorType) -> Result<(), Refusal> {
    if reducer.op().is_bitwise() && operand.element.is_float() {
        return Err(format!(
            "by {} is not defined for {operand}",
            reducer.name()
        ));
    }
    Ok(())
}

pub(super) fn reduce(
    dims: &[usize],
    operand: &TensorType,
    init: &TensorType,
) -> Result<TensorType, Refusal> {
    check_init(operand, init)?;
    check_dims("(C4, C5) dimensions", dims, operand.rank())?;
    let kept = kept(operand.rank(), dims).into_iter();
    let shape: Vec<i64> = kept.map(|d| operand.shape[d]).collect();
    Ok(operand.with_shape(shape))
}

pub(super) fn reduce_window(
    window: &Window,
    operand: &TensorType,
    init: &TensorType,
) -> Result<TensorType, Refusal> {
    check_init(operand, init)?;
    check_window(window, operand.rank())?;
    let shape: Vec<i64> = (0..operand.rank())
        .map(|i| {
            let base = dilated(operand.shape[i], window.base_dilations[i]);
            let extent = dilated(window.size[i], window.window_dilations[i]);
            let [low, high] = window.padding[i];
            window_count(
                base.saturating_add(low).saturating_add(high),
                extent,
                window.strides[i],
            )
        })
        .collect();
    Ok(operand.with_shape(shape))
}

pub(super) fn select_and_scatter(
    window: &Window,
    operands: &[&TensorType],
) -> Result<TensorType, Refusal> {
    let [operand, source, init] = operands else {
        return Err("takes 3 operands".to_owned());
    };
    let undilated = window.base_dilations.iter().all(|&d| d == 1)
        && window.window_dilations.iter().all(|&d| d == 1);
    if !undilated {
        return Err("has no dilation attributes".to_owned());
    }
    let selected = reduce_window(window, operand, init)?;
    if selected.shape != source.shape || source.element != operand.element {
        return Err(format!(
            "(C1) the windows of {operand} give {selected}, the source is {source}"
        ));
    }
    Ok((*operand).clone())
}

fn check_init(operand: &TensorType, init: &TensorType) -> Result<(), Refusal> {
    if init.rank() != 0 || init.element != operand.element {
        return Err(format!("initial value {init} does not fit {operand}"));
    }
    Ok(())
}

fn check_window(window: &Window, rank: usize) -> Result<(), Refusal> {
    check_len("window_dimensions", &window.size, rank)?;
    check_len("padding", &window.padding, rank)?;
    for (what, list) in [
        ("window_strides", &window.strides),
        ("base_dilations", &window.base_dilations),
        ("window_dilations", &window.window_dilations),
    ] {
        check_len(what, list, rank)?;
        if list.iter().any(|&v| v < 1) {
            return Err(format!("{what} {list:?} must be positive"));
        }
    }
    if window.size.iter().any(|&v| v < 1) {
        return Err(format!(
            "window_dimensions {:?} must be positive",
            window.size
        ));
    }
    Ok(())
}
