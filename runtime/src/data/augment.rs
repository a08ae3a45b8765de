//! What happens to training images before the network sees them.

use serde::Serialize;

use super::random::SplitMix64;

/// One change of a training image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Augmentation {
    /// A random window of the image's size, of the image with so many black pixels on each side.
    PadCrop(usize),
    /// Left and right change sides, every other time at random.
    Flip,
}

/// All changes of training images, in order.
///
/// What happens to an image depends on the seed, the epoch and its index in the data set alone:
/// it is the same on every machine, for every batch size and after a resumption.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Augment {
    /// The changes.
    pub changes: Vec<Augmentation>,
    /// What their random numbers come from.
    pub seed: u64,
}

/// Keeps the stream of augmentation apart from that of shuffling.
const STREAM: u64 = 0x6175_676d_656e_7421;

/// Where each row and column of a changed image comes from; `None` is black.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moves {
    rows: Vec<Option<usize>>,
    columns: Vec<Option<usize>>,
}

impl Augment {
    /// What happens to image `index` of [height, width] in `epoch`; `None` where that is nothing.
    pub(super) fn moves(&self, epoch: u64, index: usize, size: [usize; 2]) -> Option<Moves> {
        if self.changes.is_empty() {
            return None;
        }
        let mut key = SplitMix64::new(self.seed ^ STREAM).next();
        for part in [epoch, index as u64] {
            key = SplitMix64::new(key.wrapping_add(part)).next();
        }
        let mut random = SplitMix64::new(key);
        let [mut rows, mut columns] = size.map(|count| (0..count).map(Some).collect::<Vec<_>>());
        for change in &self.changes {
            match *change {
                Augmentation::PadCrop(pad) => {
                    for line in [&mut rows, &mut columns] {
                        let places = (pad as u64).saturating_mul(2).saturating_add(1);
                        let start = random.below(places) as usize;
                        *line = window(line, pad, start);
                    }
                }
                Augmentation::Flip => {
                    if random.below(2) == 1 {
                        columns.reverse();
                    }
                }
            }
        }
        Some(Moves { rows, columns })
    }
}

/// The window that begins at `start` of `line` with `pad` black places on each side.
fn window(line: &[Option<usize>], pad: usize, start: usize) -> Vec<Option<usize>> {
    let place = |offset: usize| start.checked_add(offset)?.checked_sub(pad);
    (0..line.len())
        .map(|offset| line.get(place(offset)?).copied().flatten())
        .collect()
}

impl Moves {
    /// The changed form of an image, plane by plane.
    pub fn apply(&self, image: &[u8]) -> Vec<u8> {
        let (height, width) = (self.rows.len(), self.columns.len());
        let mut changed = Vec::with_capacity(image.len());
        for plane in image.chunks_exact((height * width).max(1)) {
            for row in &self.rows {
                let row = row.and_then(|row| plane.get(row * width..(row + 1) * width));
                for column in &self.columns {
                    let pixel = row.zip(*column).and_then(|(row, column)| row.get(column));
                    changed.push(pixel.copied().unwrap_or(0));
                }
            }
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Two planes of 2 x 3.
    const IMAGE: [u8; 12] = [1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16];
    const SIZE: [usize; 2] = [2, 3];

    fn augment(changes: &[Augmentation], seed: u64) -> Augment {
        Augment {
            changes: changes.to_vec(),
            seed,
        }
    }

    fn changed(augment: &Augment, epoch: u64, index: usize) -> Vec<u8> {
        let moves = augment.moves(epoch, index, SIZE).expect("a change");
        moves.apply(&IMAGE)
    }

    #[test]
    fn a_flip_mirrors_each_row_of_each_plane_half_of_the_time() {
        let augment = augment(&[Augmentation::Flip], 3);
        let mirrored = [3, 2, 1, 6, 5, 4, 13, 12, 11, 16, 15, 14];
        let mut flips = 0;
        for index in 0..1000 {
            let image = changed(&augment, 0, index);
            assert!(image == IMAGE || image == mirrored, "{image:?}");
            flips += usize::from(image == mirrored);
        }
        // 500, with a standard deviation of 16.
        assert!((420..580).contains(&flips), "{flips}");
    }

    #[test]
    fn a_crop_is_a_window_of_the_padded_image() {
        let augment = augment(&[Augmentation::PadCrop(1)], 0);
        // One plane of 2 x 3 with a black pixel around.
        let padded = [
            [0, 0, 0, 0, 0],
            [0, 1, 2, 3, 0],
            [0, 4, 5, 6, 0],
            [0, 0, 0, 0, 0],
        ];
        let mut windows = BTreeSet::new();
        for y in 0..3 {
            for x in 0..3 {
                let rows = (y..y + 2).flat_map(|row| padded[row][x..x + 3].to_vec());
                windows.insert(rows.collect::<Vec<u8>>());
            }
        }
        let seen: BTreeSet<Vec<u8>> = (0..500)
            .map(|index| changed(&augment, 1, index)[..6].to_vec())
            .collect();
        assert_eq!(seen, windows);
    }

    /// Each plane moves alike.
    #[test]
    fn planes_stay_together() {
        let augment = augment(&[Augmentation::PadCrop(1), Augmentation::Flip], 5);
        for index in 0..100 {
            let image = changed(&augment, 2, index);
            for (&one, &two) in image[..6].iter().zip(&image[6..]) {
                assert_eq!(two, if one == 0 { 0 } else { one + 10 });
            }
        }
    }

    #[test]
    fn seed_epoch_and_index_decide() {
        let crop = |seed| augment(&[Augmentation::PadCrop(4)], seed);
        let series = |seed, epoch| -> Vec<_> {
            (0..20)
                .map(|i| crop(seed).moves(epoch, i, [32, 32]))
                .collect()
        };
        assert_eq!(series(1, 2), series(1, 2));
        assert_ne!(series(1, 2), series(1, 3));
        assert_ne!(series(1, 2), series(2, 2));
        let distinct: BTreeSet<String> = series(1, 2).iter().map(|m| format!("{m:?}")).collect();
        assert!(distinct.len() > 10, "{}", distinct.len());
        assert_eq!(augment(&[], 1).moves(2, 3, SIZE), None);
    }

    /// A crop further than the image is wide shows nothing of it at some places.
    #[test]
    fn windows_may_miss_the_image() {
        let augment = augment(&[Augmentation::PadCrop(5)], 0);
        let black = (0..200).filter(|&i| changed(&augment, 0, i) == [0; 12]);
        assert!(black.count() > 0);
    }
}
