//! Sorting by a comparator that may fail, and may contradict itself.

use super::walk::{row_major, walk};

/// For each cell of a tensor of this shape the cell whose elements come there
/// when the slices along `dim` are sorted: a stable merge sort, in which a
/// comparator that is no order gives some order.
pub(super) fn order<E>(
    shape: &[usize],
    dim: usize,
    before: &mut dyn FnMut(usize, usize) -> Result<bool, E>,
) -> Result<Vec<usize>, E> {
    let mut from: Vec<usize> = (0..shape.iter().product()).collect();
    let strides = row_major(shape);
    let (Some(&length), Some(&stride)) = (shape.get(dim), strides.get(dim)) else {
        return Ok(from);
    };
    let mut others = shape.to_vec();
    others[dim] = 1;
    let mut starts = Vec::new();
    walk(&others, [(0, &strides)], |[start]| starts.push(start));
    for start in starts {
        let cells = (0..length).map(|at| start + at * stride as usize);
        let sorted = merge_sort(cells.collect(), before)?;
        for (at, cell) in sorted.into_iter().enumerate() {
            from[start + at * stride as usize] = cell;
        }
    }
    Ok(from)
}

fn merge_sort<E>(
    mut cells: Vec<usize>,
    before: &mut dyn FnMut(usize, usize) -> Result<bool, E>,
) -> Result<Vec<usize>, E> {
    let mut width = 1;
    while width < cells.len() {
        let mut merged = Vec::with_capacity(cells.len());
        for pair in cells.chunks(2 * width) {
            let (mut left, mut right) = pair.split_at(width.min(pair.len()));
            while let (Some((&a, rest_left)), Some((&b, rest_right))) =
                (left.split_first(), right.split_first())
            {
                // The right one goes first only if it must: that is stable.
                if before(b, a)? {
                    merged.push(b);
                    right = rest_right;
                } else {
                    merged.push(a);
                    left = rest_left;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        cells = merged;
        width *= 2;
    }
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_elements_keep_their_order() {
        let keys = [3, 1, 2, 1, 3, 0, 2];
        let mut before = |a: usize, b: usize| Ok::<_, ()>(keys[a] < keys[b]);
        assert_eq!(order(&[7], 0, &mut before), Ok(vec![5, 1, 3, 2, 6, 0, 4]));
    }

    #[test]
    fn slices_are_sorted_apart() {
        let keys = [1, 2, 3, 3, 2, 1];
        let mut before = |a: usize, b: usize| Ok::<_, ()>(keys[a] > keys[b]);
        assert_eq!(order(&[2, 3], 0, &mut before), Ok(vec![3, 1, 2, 0, 4, 5]));
        assert_eq!(order(&[2, 3], 1, &mut before), Ok(vec![2, 1, 0, 3, 4, 5]));
        assert_eq!(order(&[0, 3], 1, &mut before), Ok(vec![]));
    }

    /// A comparator that always says yes, or fails, is no panic.
    #[test]
    fn a_comparator_that_is_no_order_ends() {
        let sorted = order(&[9], 0, &mut |_, _| Ok::<_, ()>(true)).unwrap();
        let mut all = sorted.clone();
        all.sort_unstable();
        assert_eq!(all, (0..9).collect::<Vec<_>>());
        assert_eq!(order(&[2], 0, &mut |_, _| Err("no")), Err("no"));
    }
}
