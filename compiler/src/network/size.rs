//! Limits, and arithmetic on sizes that cannot wrap around.

/// Numbers of one parameter, or of one tensor of a whole batch.
pub(super) const MOST_OF_ONE: i64 = 1 << 36;
/// Numbers of all parameters, or of all tensors of a whole batch.
pub(super) const MOST_OF_ALL: i64 = 1 << 40;

/// The product, or None where it leaves 63 bits.
pub(super) fn product(factors: impl IntoIterator<Item = i64>) -> Option<i64> {
    factors
        .into_iter()
        .try_fold(1_i64, |product, factor| product.checked_mul(factor))
}

/// Whether an array of that shape is within [`MOST_OF_ONE`].
pub(super) fn fits(shape: &[i64]) -> bool {
    product(shape.iter().copied()).is_some_and(|size| size <= MOST_OF_ONE)
}
