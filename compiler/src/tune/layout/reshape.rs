//! Layouts through reshapes.

use super::{Inner, Layout};

/// Runs of dimensions of `from` and `to` with equal products, in order:
/// `(dims of from, dims of to)`.
fn groups(from: &[i64], to: &[i64]) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut groups = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < from.len() || j < to.len() {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let (mut a, mut b) = (1i64, 1i64);
        if i < from.len() {
            a = from[i];
            left.push(i);
            i += 1;
        }
        if j < to.len() {
            b = to[j];
            right.push(j);
            j += 1;
        }
        while a != b {
            if a < b && i < from.len() {
                a *= from[i];
                left.push(i);
                i += 1;
            } else if b < a && j < to.len() {
                b *= to[j];
                right.push(j);
                j += 1;
            } else {
                break;
            }
        }
        groups.push((left, right));
    }
    groups
}

/// The layout of `reshape(x)` that needs no data movement, given that of `x`.
/// `None` if there is none that [`Layout`] can express.
pub(super) fn through(from: &[i64], to: &[i64], layout: &Layout) -> Option<Layout> {
    let mut inner = vec![Inner::Plain; to.len()];
    // The dimensions of the result in storage order, per dimension of x.
    let mut replaced: Vec<Vec<usize>> = vec![Vec::new(); from.len()];
    let positions = layout.positions();
    for (left, right) in groups(from, to) {
        match (left.as_slice(), right.as_slice()) {
            ([], ones) => {
                // Added dimensions of size 1 stand anywhere.
                if let Some(slot) = replaced.first_mut() {
                    slot.splice(0..0, ones.iter().copied());
                } else if !ones.is_empty() {
                    return None;
                }
            }
            ([d], [e]) => {
                inner[*e] = layout.inner[*d].clone();
                replaced[*d].push(*e);
            }
            ([d], many) => replaced[*d].extend(split(&layout.inner[*d], to, many)?),
            (many, [e]) => {
                let (first, merged) = merge(from, layout, &positions, many)?;
                inner[*e] = merged;
                replaced[first].push(*e);
            }
            (many, []) if many.iter().all(|&d| from[d] == 1) => {}
            _ => return None,
        }
    }
    let order: Vec<usize> = layout
        .order
        .iter()
        .flat_map(|&d| replaced[d].clone())
        .collect();
    (order.len() == to.len()).then_some(Layout { order, inner })
}

/// One dimension becomes several: in which order they are stored.
fn split(inner: &Inner, to: &[i64], dims: &[usize]) -> Option<Vec<usize>> {
    match inner {
        Inner::Plain => Some(dims.to_vec()),
        Inner::Permuted {
            factors,
            permutation,
        } => {
            let sizes: Vec<i64> = dims.iter().map(|&e| to[e]).collect();
            (sizes == *factors).then(|| permutation.iter().map(|&p| dims[p]).collect())
        }
    }
}

/// Several dimensions become one: they must be stored side by side. Returns
/// the one stored first, and how the merged dimension is stored.
fn merge(
    from: &[i64],
    layout: &Layout,
    positions: &[usize],
    dims: &[usize],
) -> Option<(usize, Inner)> {
    if dims.iter().any(|&d| layout.inner[d] != Inner::Plain) {
        return None;
    }
    let mut stored = dims.to_vec();
    stored.sort_by_key(|&d| positions[d]);
    let first = *stored.first()?;
    let start = positions[first];
    if stored
        .iter()
        .enumerate()
        .any(|(i, &d)| positions[d] != start + i)
    {
        return None;
    }
    let permutation: Vec<usize> = stored.iter().map(|d| d - dims[0]).collect();
    if permutation.is_sorted() {
        return Some((first, Inner::Plain));
    }
    let factors = dims.iter().map(|&d| from[d]).collect();
    Some((
        first,
        Inner::Permuted {
            factors,
            permutation,
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nhwc() -> Layout {
        Layout {
            order: vec![0, 2, 3, 1],
            inner: vec![Inner::Plain; 4],
        }
    }

    #[test]
    fn flatten_permutes_inside_the_features_and_back() {
        let image = [128, 32, 14, 14];
        let flat = through(&image, &[128, 6272], &nhwc()).unwrap();
        let features = Inner::Permuted {
            factors: vec![32, 14, 14],
            permutation: vec![1, 2, 0],
        };
        assert_eq!(flat.order, [0, 1]);
        assert_eq!(flat.inner, [Inner::Plain, features]);
        assert_eq!(through(&[128, 6272], &image, &flat), Some(nhwc()));
        assert_eq!(
            flat.as_view(&[128, 6272]),
            (vec![128, 32, 14, 14], vec![0, 2, 3, 1])
        );
    }

    #[test]
    fn dimensions_stored_apart_do_not_merge() {
        // N and C are not neighbours in NHWC.
        assert_eq!(through(&[8, 3, 4, 4], &[24, 4, 4], &nhwc()), None);
    }

    #[test]
    fn spatial_dimensions_merge_between_batch_and_channels() {
        let merged = through(&[8, 3, 4, 4], &[8, 3, 16], &nhwc()).unwrap();
        assert_eq!(merged.order, [0, 2, 1]);
        assert_eq!(merged.inner, vec![Inner::Plain; 3]);
    }
}
