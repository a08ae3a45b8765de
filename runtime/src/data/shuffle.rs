//! The order of examples in an epoch.

use super::random::SplitMix64;

/// The indices `0..count` in the order of `epoch` under `seed`.
///
/// A Fisher-Yates shuffle from the last place to the first. Its random numbers are the stream of
/// SplitMix64 whose state starts at `mix(seed) + epoch`, where `mix` is SplitMix64's finaliser of
/// `seed + 0x9E3779B97F4A7C15`; a number below `n` is the high half of `random * n`, drawn again
/// while the low half is below `2^64 mod n` (Lemire's method: no bias). The same seed and epoch
/// give the same order on every machine, and an epoch's order can be had without the ones before.
pub fn order(seed: u64, epoch: u64, count: usize) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..count).collect();
    let mut random = SplitMix64::new(SplitMix64::new(seed).next().wrapping_add(epoch));
    for place in (1..count).rev() {
        // Below `place + 1`, so it fits `usize`.
        let other = random.below(place as u64 + 1) as usize;
        indices.swap(place, other);
    }
    indices
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn every_index_once() {
        let mut indices = order(3, 5, 1000);
        assert_ne!(indices, (0..1000).collect::<Vec<_>>());
        indices.sort_unstable();
        assert_eq!(indices, (0..1000).collect::<Vec<_>>());
        assert_eq!(order(0, 0, 0), Vec::<usize>::new());
        assert_eq!(order(0, 0, 1), [0]);
    }

    #[test]
    fn seed_and_epoch_decide() {
        assert_eq!(order(1, 2, 100), order(1, 2, 100));
        assert_ne!(order(1, 2, 100), order(1, 3, 100));
        assert_ne!(order(1, 2, 100), order(2, 2, 100));
        // Were the seed not mixed first, these two would be equal.
        assert_ne!(order(1, 1, 100), order(0, 2, 100));
    }

    /// Made by an independent Python script from the text above:
    /// `[o(7, 1, 10), o(0, 0, 10)]`.
    #[test]
    fn literal_orders() {
        assert_eq!(order(7, 1, 10), LITERAL_7_1);
        assert_eq!(order(0, 0, 10), LITERAL_0_0);
    }

    const LITERAL_7_1: [usize; 10] = [9, 0, 7, 8, 4, 2, 6, 5, 3, 1];
    const LITERAL_0_0: [usize; 10] = [1, 2, 5, 7, 0, 8, 4, 3, 9, 6];

    /// All six orders of three examples are about equally frequent over 6000 epochs: within five
    /// standard deviations (29 each) of 1000.
    #[test]
    fn orders_are_uniform() {
        let mut counts = HashMap::new();
        for epoch in 0..6000 {
            *counts.entry(order(11, epoch, 3)).or_insert(0i64) += 1;
        }
        assert_eq!(counts.len(), 6);
        for (order, count) in counts {
            assert!((count - 1000).abs() < 145, "{order:?}: {count}");
        }
    }
}
