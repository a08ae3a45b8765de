//! Sizes of sliding windows, along one axis after the other.

use super::signature::Padding;

/// A window along one axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// `height` or `width`
    pub name: &'static str,
    pub extent: i64,
    pub window: i64,
    pub stride: i64,
    pub dilation: i64,
}

/// The pads before and behind, and the number of windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    pub pads: [i64; 2],
    pub count: i64,
}

/// Why a window cannot be placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It covers more cells than there are.
    TooLarge { covers: i64, padded: i64 },
    /// A size leaves 63 bits.
    Overflow,
}

/// The axes of an image.
pub(super) fn axes(
    extents: [i64; 2],
    window: [i64; 2],
    stride: [i64; 2],
    dilation: [i64; 2],
) -> [Axis; 2] {
    let [extent_h, extent_w] = extents;
    let [window_h, window_w] = window;
    let [stride_h, stride_w] = stride;
    let [dilation_h, dilation_w] = dilation;
    [
        Axis {
            name: "height",
            extent: extent_h,
            window: window_h,
            stride: stride_h,
            dilation: dilation_h,
        },
        Axis {
            name: "width",
            extent: extent_w,
            window: window_w,
            stride: stride_w,
            dilation: dilation_w,
        },
    ]
}

impl Axis {
    /// Cells from the first to the last tap.
    pub fn covers(&self) -> Option<i64> {
        (self.window - 1).checked_mul(self.dilation)?.checked_add(1)
    }

    /// Places the window; `pads` of None is `same`: the output has
    /// ceil(extent / stride) cells, and of an odd padding the larger half is behind.
    pub fn place(&self, pads: Option<[i64; 2]>) -> Result<Placed, Fault> {
        let covers = self.covers().ok_or(Fault::Overflow)?;
        let [before, behind] = match pads {
            Some(pads) => pads,
            None => self.same(covers).ok_or(Fault::Overflow)?,
        };
        let padded = self
            .extent
            .checked_add(before)
            .and_then(|sum| sum.checked_add(behind))
            .ok_or(Fault::Overflow)?;
        if covers > padded {
            return Err(Fault::TooLarge { covers, padded });
        }
        Ok(Placed {
            pads: [before, behind],
            count: (padded - covers) / self.stride + 1,
        })
    }

    fn same(&self, covers: i64) -> Option<[i64; 2]> {
        // Extent and stride are at least 1, so neither step can wrap.
        let count = (self.extent - 1) / self.stride + 1;
        let total = (count - 1)
            .checked_mul(self.stride)?
            .checked_add(covers)?
            .checked_sub(self.extent)?
            .max(0);
        Some([total / 2, total - total / 2])
    }

    /// The formula of [`Placed::count`] with its numbers.
    pub fn formula(&self, pads: [i64; 2]) -> String {
        let Axis {
            name,
            extent,
            window,
            stride,
            dilation,
        } = self;
        let [before, behind] = pads;
        let covers = if *dilation == 1 {
            format!("{window}")
        } else {
            format!("(({window} - 1) * {dilation} + 1)")
        };
        format!("output {name} = floor(({extent} + {before} + {behind} - {covers}) / {stride}) + 1")
    }
}

impl Padding {
    /// The pads of both axes, None for `same`.
    pub fn pads(self) -> [Option<[i64; 2]>; 2] {
        match self {
            Padding::Same => [None, None],
            Padding::Valid => [Some([0, 0]), Some([0, 0])],
            Padding::Explicit([height, width]) => [Some(height), Some(width)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(extent: i64, window: i64, stride: i64, dilation: i64) -> Axis {
        Axis {
            name: "width",
            extent,
            window,
            stride,
            dilation,
        }
    }

    fn placed(pads: [i64; 2], count: i64) -> Result<Placed, Fault> {
        Ok(Placed { pads, count })
    }

    // Pads and counts as TensorFlow's SAME gives them.
    #[test]
    fn same_puts_the_odd_cell_behind() {
        assert_eq!(axis(6, 3, 2, 1).place(None), placed([0, 1], 3));
        assert_eq!(axis(5, 4, 2, 1).place(None), placed([1, 2], 3));
        assert_eq!(axis(28, 3, 1, 1).place(None), placed([1, 1], 28));
        assert_eq!(axis(4, 1, 2, 1).place(None), placed([0, 0], 2));
        assert_eq!(axis(2, 2, 1, 1).place(None), placed([0, 1], 2));
    }

    #[test]
    fn same_counts_dilation() {
        assert_eq!(axis(5, 3, 1, 2).place(None), placed([2, 2], 5));
    }

    // PyTorch's Conv2d and MaxPool2d: floor((n + pads - d (k - 1) - 1) / s) + 1.
    #[test]
    fn explicit_pads_round_down() {
        assert_eq!(axis(5, 2, 2, 1).place(Some([1, 1])), placed([1, 1], 3));
        assert_eq!(axis(5, 2, 2, 1).place(Some([0, 0])), placed([0, 0], 2));
        assert_eq!(axis(224, 7, 2, 1).place(Some([3, 3])), placed([3, 3], 112));
        assert_eq!(axis(6, 3, 2, 1).place(Some([0, 0])), placed([0, 0], 2));
        assert_eq!(axis(9, 3, 1, 3).place(Some([1, 0])), placed([1, 0], 4));
    }

    #[test]
    fn a_window_may_fill_its_input_but_not_more() {
        assert_eq!(axis(3, 3, 5, 1).place(Some([0, 0])), placed([0, 0], 1));
        assert_eq!(
            axis(3, 2, 1, 3).place(Some([0, 0])),
            Err(Fault::TooLarge {
                covers: 4,
                padded: 3
            })
        );
    }

    #[test]
    fn sizes_do_not_wrap() {
        let big = i64::MAX;
        for (axis, pads) in [
            (axis(big, 1, 1, 1), Some([1, 0])),
            (axis(1, big, 1, big), None),
            (axis(big, big, 1, 1), None),
            (axis(1, 1, 1, 1), Some([big, big])),
        ] {
            assert_eq!(axis.place(pads), Err(Fault::Overflow), "{axis:?} {pads:?}");
        }
        assert_eq!(axis(1, 1, big, big).place(None), placed([0, 0], 1));
    }
}
