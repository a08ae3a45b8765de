//! The windows of a whole data set.

use serde::Serialize;

use super::window::{Kind, Tally};

/// One image, over all max-pools.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Image {
    /// Its number in the data set.
    pub index: usize,
    /// Its class there.
    pub label: u8,
    /// Its windows.
    #[serde(flatten)]
    pub tally: Tally,
}

/// What was found over a data set.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Survey {
    /// Number of images.
    pub images: usize,
    /// All windows.
    pub windows: Tally,
    /// Images in which every window is dead, has one maximum or is tied
    /// between twins.
    pub satisfied: usize,
    /// Images in which every window has one maximal cell.
    pub one_maximum_everywhere: usize,
    /// Images with a window over a constant patch.
    pub with_constant_patch: usize,
    /// Images with a window tied between twins.
    pub with_twins: usize,
    /// The image with the smallest gap.
    pub closest: Option<usize>,
}

impl Survey {
    /// Counts an image.
    pub fn add(&mut self, image: &Image) {
        let tally = &image.tally;
        self.images += 1;
        self.satisfied += usize::from(tally.satisfied());
        self.one_maximum_everywhere += usize::from(tally.one_maximum_everywhere());
        self.with_constant_patch += usize::from(tally.constant > 0);
        self.with_twins += usize::from(tally.count(Kind::Twins) > 0);
        let before = self.windows.gap;
        self.windows.add(tally);
        if self.windows.gap != before {
            self.closest = Some(image.index);
        }
    }
}
