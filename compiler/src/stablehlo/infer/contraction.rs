//! Result types of `dot_general` and `convolution`.

use super::window::{dilated, window_count};
use super::{Refusal, check_dims, check_len};
use crate::stablehlo::op::{Convolution, DotGeneral};
use crate::stablehlo::types::TensorType;

pub(super) fn dot_general(
    dot: &DotGeneral,
    lhs: &TensorType,
    rhs: &TensorType,
) -> Result<TensorType, Refusal> {
    let lhs_used: Vec<usize> = [&dot.lhs_batch[..], &dot.lhs_contract[..]].concat();
    let rhs_used: Vec<usize> = [&dot.rhs_batch[..], &dot.rhs_contract[..]].concat();
    check_dims("(C3, C5) lhs dimensions", &lhs_used, lhs.rank())?;
    check_dims("(C4, C7) rhs dimensions", &rhs_used, rhs.rank())?;
    let sizes = |ty: &TensorType, dims: &[usize]| -> Vec<i64> {
        dims.iter().map(|&d| ty.shape[d]).collect()
    };
    if lhs.element != rhs.element
        || sizes(lhs, &dot.lhs_batch) != sizes(rhs, &dot.rhs_batch)
        || sizes(lhs, &dot.lhs_contract) != sizes(rhs, &dot.rhs_contract)
    {
        return Err(format!(
            "(C9, C10) {lhs} and {rhs} do not match on batching {:?} x {:?} and contracting {:?} x {:?} dimensions",
            dot.lhs_batch, dot.rhs_batch, dot.lhs_contract, dot.rhs_contract
        ));
    }
    let mut shape = sizes(lhs, &dot.lhs_batch);
    shape.extend(
        (0..lhs.rank())
            .filter(|d| !lhs_used.contains(d))
            .map(|d| lhs.shape[d]),
    );
    shape.extend(
        (0..rhs.rank())
            .filter(|d| !rhs_used.contains(d))
            .map(|d| rhs.shape[d]),
    );
    Ok(lhs.with_shape(shape))
}

pub(super) fn convolution(
    conv: &Convolution,
    lhs: &TensorType,
    rhs: &TensorType,
) -> Result<TensorType, Refusal> {
    let dims = &conv.dims;
    let spatial = dims.input_spatial.len();
    let rank = spatial + 2;
    if lhs.rank() != rank || rhs.rank() != rank || lhs.element != rhs.element {
        return Err(format!(
            "(C1) {lhs} and {rhs} are no input and kernel of {spatial} spatial dimensions"
        ));
    }
    for (what, a, b, rest) in [
        (
            "(C13) input dimensions",
            dims.input_batch,
            dims.input_feature,
            &dims.input_spatial,
        ),
        (
            "(C18) kernel dimensions",
            dims.kernel_input,
            dims.kernel_output,
            &dims.kernel_spatial,
        ),
        (
            "(C20) output dimensions",
            dims.output_batch,
            dims.output_feature,
            &dims.output_spatial,
        ),
    ] {
        let all: Vec<usize> = [&[a, b][..], &rest[..]].concat();
        check_len(what, &all, rank)?;
        check_dims(what, &all, rank)?;
    }
    for (what, list) in [
        ("(C2, C3) window_strides", &conv.strides),
        ("(C5, C6) lhs_dilation", &conv.lhs_dilation),
        ("(C7, C8) rhs_dilation", &conv.rhs_dilation),
    ] {
        check_len(what, list, spatial)?;
        if list.iter().any(|&v| v < 1) {
            return Err(format!("{what} {list:?} must be positive"));
        }
    }
    check_len("(C4) padding", &conv.padding, spatial)?;
    check_len("(C9) window_reversal", &conv.window_reversal, spatial)?;
    let groups = conv.feature_group_count;
    let batch_groups = conv.batch_group_count;
    if groups < 1 || batch_groups < 1 || groups > 1 && batch_groups > 1 {
        return Err(format!(
            "(C21-C23) group counts {groups} and {batch_groups} must be positive and one of them 1"
        ));
    }
    let batch = lhs.shape[dims.input_batch];
    let features = lhs.shape[dims.input_feature];
    let outputs = rhs.shape[dims.kernel_output];
    if batch % batch_groups != 0
        || features % groups != 0
        || rhs.shape[dims.kernel_input] != features / groups
        || outputs % groups != 0
        || outputs % batch_groups != 0
    {
        return Err(format!(
            "(C10-C16) {lhs} and {rhs} do not fit feature_group_count {groups} and batch_group_count {batch_groups}"
        ));
    }
    let mut shape = vec![0; rank];
    shape[dims.output_batch] = batch / batch_groups;
    shape[dims.output_feature] = outputs;
    for i in 0..spatial {
        let base = dilated(lhs.shape[dims.input_spatial[i]], conv.lhs_dilation[i]);
        let extent = dilated(rhs.shape[dims.kernel_spatial[i]], conv.rhs_dilation[i]);
        let [low, high] = conv.padding[i];
        shape[dims.output_spatial[i]] = window_count(
            base.saturating_add(low).saturating_add(high),
            extent,
            conv.strides[i],
        );
    }
    Ok(lhs.with_shape(shape))
}
