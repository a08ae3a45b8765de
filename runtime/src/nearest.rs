//! The nearest known name, for "did you mean".

/// The candidate with the fewest edits from `name`, if at most a third of its letters differ.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = name.chars().count().div_ceil(3);
    candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(edits, _)| *edits <= limit)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein distance in characters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut last = i + 1;
        for (cell, right) in row.iter_mut().skip(1).zip(&b) {
            let replaced = diagonal + usize::from(left != *right);
            diagonal = *cell;
            last = replaced.min(diagonal + 1).min(last + 1);
            *cell = last;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textbook_distances() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("flaw", "lawn"), 2);
    }

    #[test]
    fn near_names_only() {
        let names = ["conv1.weight", "conv1.bias", "dense1.weight"];
        assert_eq!(nearest("conv1.wieght", names), Some("conv1.weight"));
        assert_eq!(nearest("conv1.biass", names), Some("conv1.bias"));
        assert_eq!(nearest("fc.w", names), None);
    }
}
