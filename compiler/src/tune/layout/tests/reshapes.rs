use super::places;
use crate::simplify::tests::Random;
use crate::tune::layout::{Inner, Layout, reshape};

fn nhwc() -> Layout {
    Layout {
        order: vec![0, 2, 3, 1],
        inner: vec![Inner::Plain; 4],
    }
}

#[test]
fn places_by_hand() {
    // [n, c, h, w] = [1, 2, 1, 3]: pixels one by one, channels inside.
    assert_eq!(places(&[1, 2, 1, 3], &nhwc()), [0, 3, 1, 4, 2, 5]);
    // The rows of a matrix, numbered (c, x), in the order (x, c).
    let rows = Layout {
        order: vec![0, 1],
        inner: vec![
            Inner::Permuted {
                factors: vec![2, 3],
                permutation: vec![1, 0],
            },
            Inner::Plain,
        ],
    };
    assert_eq!(places(&[6, 1], &rows), [0, 3, 1, 4, 2, 5]);
    assert_eq!(places(&[6, 2], &rows)[..4], [0, 1, 6, 7]);
}

/// Sizes of a tensor of up to five dimensions, some of them 1.
fn shape(random: &mut Random) -> Vec<i64> {
    let rank = 1 + random.below(5);
    (0..rank)
        .map(|_| [1, 1, 2, 3, 4][random.below(5)])
        .collect()
}

/// The same elements in other dimensions: neighbours merged, sizes split.
fn reshaped(random: &mut Random, shape: &[i64]) -> Vec<i64> {
    let mut result: Vec<i64> = Vec::new();
    for &size in shape {
        match random.below(5) {
            0 if !result.is_empty() => *result.last_mut().unwrap() *= size,
            1 if size % 2 == 0 => result.extend([2, size / 2]),
            2 => result.extend([1, size]),
            _ => result.push(size),
        }
    }
    result
}

fn layout(random: &mut Random, shape: &[i64]) -> Layout {
    let mut order: Vec<usize> = (0..shape.len()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, random.below(i + 1));
    }
    let inner = shape.iter().map(|&size| match random.below(3) {
        0 if size % 2 == 0 => Inner::Permuted {
            factors: vec![2, size / 2],
            permutation: vec![1, 0],
        },
        _ => Inner::Plain,
    });
    Layout {
        order,
        inner: inner.collect(),
    }
}

/// A layout that a reshape passes on stores the reshaped tensor exactly as the
/// operand is stored: no element moves.
#[test]
fn reshapes_move_nothing() {
    let mut random = Random(7);
    let (mut passed, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let from = shape(&mut random);
        let to = reshaped(&mut random, &from);
        let own = layout(&mut random, &from);
        match reshape::through(&from, &to, &own) {
            Some(other) => {
                assert_eq!(
                    places(&from, &own),
                    places(&to, &other),
                    "{from:?} {own:?} {to:?}"
                );
                passed += usize::from(!own.is_canonical());
            }
            None => refused += 1,
        }
    }
    assert!(
        passed > 2_000 && refused > 1_000,
        "{passed} passed, {refused} refused"
    );
}

#[test]
fn views_are_the_layout() {
    let mut random = Random(8);
    for _ in 0..2_000 {
        let shape = shape(&mut random);
        let layout = layout(&mut random, &shape);
        let (view, permutation) = layout.as_view(&shape);
        let order = Layout {
            order: permutation,
            inner: vec![Inner::Plain; view.len()],
        };
        assert_eq!(places(&view, &order), places(&shape, &layout));
        let mut sizes = shape.clone();
        for (position, &dim) in layout.order.iter().enumerate() {
            sizes[position] = shape[dim];
            assert_eq!(layout.positions()[dim], position);
        }
        assert_eq!(layout.stored_shape(&shape), sizes);
    }
}
