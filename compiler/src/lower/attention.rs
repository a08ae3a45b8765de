//! Multi-head self-attention.

use super::dense::dense;
use super::softmax::softmax;
use crate::stablehlo::{Builder, DotGeneral, Error, Result, Value};

/// Queries, keys and values by one projection of [N, T, C]; for each head
/// softmax(q k^T / sqrt(d)) v; the heads side by side through another.
///
/// The columns of the first projection are ordered (q, k or v; head; element).
pub(super) fn attention(
    b: &mut Builder,
    heads: i64,
    bias: bool,
    x: Value,
    weights: &[Value],
) -> Result<Value> {
    let (&[n, count, channels], Some((qkv, proj))) =
        (b.shape(x).as_slice(), projections(bias, weights))
    else {
        return Err(Error::Pass {
            pass: "lower",
            message: "`attention` lacks tokens or parameters".to_owned(),
            location: b.location.clone(),
        });
    };
    let size = channels / heads.max(1);
    let all = dense(b, x, qkv.0, qkv.1)?;
    let part = |b: &mut Builder, index: i64| {
        let (start, limit) = (index * channels, (index + 1) * channels);
        let part = b.slice(all, &[0, 0, start], &[n, count, limit], &[1; 3])?;
        b.reshape(part, &[n, count, heads, size])
    };
    let (q, k, v) = (part(b, 0)?, part(b, 1)?, part(b, 2)?);
    let scale = b.splat_like(1.0 / (size as f64).sqrt(), q)?;
    let q = b.multiply(q, scale)?;
    let products = DotGeneral {
        lhs_batch: vec![0, 2],
        rhs_batch: vec![0, 2],
        lhs_contract: vec![3],
        rhs_contract: vec![3],
    };
    let scores = b.dot_general(q, k, products)?;
    let shares = softmax(b, scores, 3)?;
    let means = DotGeneral {
        lhs_batch: vec![0, 1],
        rhs_batch: vec![0, 2],
        lhs_contract: vec![3],
        rhs_contract: vec![1],
    };
    let mixed = b.dot_general(shares, v, means)?;
    let mixed = b.transpose(mixed, &[0, 2, 1, 3])?;
    let mixed = b.reshape(mixed, &[n, count, channels])?;
    dense(b, mixed, proj.0, proj.1)
}

type Projection = (Value, Option<Value>);

fn projections(bias: bool, weights: &[Value]) -> Option<(Projection, Projection)> {
    match (bias, weights) {
        (true, &[qkv, qkv_bias, proj, proj_bias]) => {
            Some(((qkv, Some(qkv_bias)), (proj, Some(proj_bias))))
        }
        (false, &[qkv, proj]) => Some(((qkv, None), (proj, None))),
        _ => None,
    }
}
