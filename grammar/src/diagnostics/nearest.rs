//! The nearest known name to one that is not known.

/// The name of `known` that `name` was most likely meant to be, if any is near:
/// equal but for case and `_`, or a few edits away. The first of equally near
/// ones is taken.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = simplify(name);
    // One slip in three letters still reads as the same word.
    let limit = (plain.len() / 3).min(3);
    known
        .into_iter()
        .map(|candidate| (distance(&plain, &simplify(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= limit && *distance < candidate.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn simplify(name: &str) -> Vec<char> {
    name.chars()
        .filter(|c| *c != '_')
        .flat_map(char::to_lowercase)
        .take(64)
        .collect()
}

/// Insertions, deletions, substitutions and swaps of neighbours.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        let mut left = i + 1;
        for (j, y) in b.iter().enumerate() {
            let at =
                |line: &[usize], column: usize| line.get(column).copied().unwrap_or(usize::MAX - 1);
            let mut best = (left + 1)
                .min(at(&above, j + 1) + 1)
                .min(at(&above, j) + usize::from(x != y));
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                best = best.min(at(&before, j - 1) + 1);
            }
            row.push(best);
            left = best;
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: &[&str] = &[
        "conv", "dense", "max_pool", "avg_pool", "relu", "relu6", "elu",
    ];

    #[test]
    fn slips_of_the_finger() {
        for (typed, meant) in [
            ("desne", "dense"),
            ("maxpool", "max_pool"),
            ("ReLU", "relu"),
            ("Conv", "conv"),
            ("cnov", "conv"),
            ("avgpool", "avg_pool"),
        ] {
            assert_eq!(nearest(typed, OPS.iter().copied()), Some(meant), "{typed}");
        }
    }

    #[test]
    fn distant_names_are_not_offered() {
        for typed in ["softmax", "x", "lstm", ""] {
            assert_eq!(nearest(typed, OPS.iter().copied()), None, "{typed}");
        }
    }

    #[test]
    fn distances_by_hand() {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        for (a, b, expected) in [
            ("kitten", "sitting", 3),
            ("", "abc", 3),
            ("ab", "ba", 1),
            ("same", "same", 0),
            ("smae", "same", 1),
        ] {
            assert_eq!(distance(&chars(a), &chars(b)), expected, "{a} {b}");
        }
    }
}
