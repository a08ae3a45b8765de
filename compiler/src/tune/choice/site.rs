//! The forms of one convolution, and which is taken where nothing was measured.
//!
//! Measured with IREE 3.13 on two cores of an AMD EPYC (Zen 5), processor time
//! of Winograd's form against that of the direct form of the forward pass and
//! the `flattened` form of the weight gradient; "shared" where the forward pass
//! has the tiles of the input already:
//!
//! | n, h = w, c, o | forward | weight gradient | shared |
//! |---|---|---|---|
//! | 64, 4, 512, 512 | 0.20 | 0.18 | 0.16 |
//! | 64, 8, 256, 256 | 0.49 | 0.28 | 0.20 |
//! | 64, 16, 128, 128 | 0.77 | 0.52 | 0.32 |
//! | 64, 32, 64, 64 | 1.00 | 0.97 | 0.49 |
//! | 128, 16, 64, 64 | 0.8 to 1.1 | 0.58 | 0.33 |
//! | 128, 16, 32, 64 | 1.4 | 0.61 | 0.44 |
//! | 128, 28, 32, 32 | 1.7 | 1.2 | 0.46 |
//! | 8, 7, 512, 512 | 0.64 | 0.48 | 0.53 |
//! | 8, 14, 256, 256 | 0.71 | 0.63 | 0.47 |
//! | 8, 28, 128, 128 | 0.84 | 0.56 | 0.34 |
//!
//! F(2x2, 3x3) is slower than F(4x4, 3x3) even for 7 x 7 pixels (1.1), where
//! 15 of 64 are cropped: it is for images of 2 x 2.
//!
//! F(4, 3) by rows takes 0.85 of the time of the `flattened` form for the
//! weight gradient of 28 x 28 pixels of 32 channels, in four parts, and 0.65
//! to 0.72 for 64 channels. In a whole step that holds while the images are
//! small: with 28 x 28 pixels of 32 channels in parts of 32 examples (3.1 MiB)
//! it gains, with 32 x 32 (4 MiB) it does not.

use super::super::layout::is_weight_gradient;
use super::super::winograd::{self, Form as Tile};
use super::super::{single_channel, weight_gradient};
use super::form::Form;
use crate::stablehlo::{Convolution, TensorType};
use std::ops::Range;

/// Channels of the side with fewer from which Winograd's form is the faster
/// one. The cost of its transforms is by the pixels, that of the products by
/// the channels of both sides.
const CHANNELS: i64 = 64;
/// Channels from which rows are faster than direct forms, and tiles than rows.
const ROW_CHANNELS: i64 = 32;
const TILE_CHANNELS: i64 = 128;
/// Bytes of an image of which the six images and the six products, one and a
/// half times as large, stay in the cache.
const ROW_BYTES: Range<i64> = 1 << 20..7 << 19;
/// Of both sides, for a weight gradient, which is slower in the direct form.
const GRADIENT_CHANNELS: [i64; 2] = [32, 64];
/// Below, it is not worth a measurement.
const FEWEST: i64 = 16;
/// Pixels up to which a weight gradient is one dot product: 0.4 of the time of
/// a dot product per tap and example for 4 x 4, 0.67 for 8 x 8 at stride 2.
const FEW_PIXELS: i64 = 16;
const FEW_STRIDED_PIXELS: i64 = 64;
/// Elements of the taps of that dot product from which it is not worth a
/// measurement: they are copied.
const MOST_COPIED: i64 = 1 << 23;

/// A convolution that can take several forms.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::tune) struct Site {
    /// Names all that its time depends on.
    pub key: String,
    /// At least two; the first is taken where nothing was measured.
    pub forms: Vec<Form>,
}

/// What a convolution computes, by the names of the forward pass.
pub(in crate::tune) struct Sizes {
    pub batch: i64,
    /// Height and width of the forward pass's output.
    pub size: [i64; 2],
    /// Height and width of the kernel.
    pub kernel: [i64; 2],
    inputs: i64,
    outputs: i64,
}

impl Site {
    /// `None` where there is one form only.
    pub fn of(conv: &Convolution, x: &TensorType, w: &TensorType, y: &[i64]) -> Option<Self> {
        let groups = conv.feature_group_count * conv.batch_group_count;
        let shapes = [&x.shape[..], &w.shape, y];
        let empty = shapes.iter().any(|shape| shape.contains(&0));
        if conv.dims.input_spatial.len() != 2 || groups != 1 || empty {
            return None;
        }
        let gradient = is_weight_gradient(conv);
        let sizes = Sizes::of(conv, &w.shape, y);
        let forms = match gradient {
            true => gradient_forms(conv, x, y, &sizes),
            false => forward_forms(conv, x, w, &sizes),
        };
        (forms.len() > 1).then(|| Site {
            key: key(conv, x, &sizes, gradient),
            forms,
        })
    }
}

impl Sizes {
    /// Of a convolution of images, by the shapes of its kernel and result.
    pub fn of(conv: &Convolution, w: &[i64], y: &[i64]) -> Self {
        let dims = &conv.dims;
        let pair = |shape: &[i64], spatial: &[usize]| [0, 1].map(|s| shape[spatial[s]]);
        match is_weight_gradient(conv) {
            true => Sizes {
                batch: w[dims.kernel_input],
                size: pair(w, &dims.kernel_spatial),
                kernel: pair(y, &dims.output_spatial),
                inputs: y[dims.output_batch],
                outputs: y[dims.output_feature],
            },
            false => Sizes {
                batch: y[dims.output_batch],
                size: pair(y, &dims.output_spatial),
                kernel: pair(w, &dims.kernel_spatial),
                inputs: w[dims.kernel_input],
                outputs: w[dims.kernel_output],
            },
        }
    }

    fn channels(&self) -> [i64; 2] {
        [self.inputs.min(self.outputs), self.inputs.max(self.outputs)]
    }

    /// Bytes of the larger image.
    fn bytes(&self, x: &TensorType) -> i64 {
        let pixels = self.batch * self.size[0] * self.size[1];
        pixels * self.channels()[1] * x.element.bits() as i64 / 8
    }

    /// Whether rows are worth it for a weight gradient by rule.
    fn in_rows(&self, x: &TensorType) -> bool {
        let [least, _] = self.channels();
        (ROW_CHANNELS..TILE_CHANNELS).contains(&least) && ROW_BYTES.contains(&self.bytes(x))
    }

    /// Winograd's forms: rows, and the square tile with the fewest
    /// multiplications. There are at most half of the direct form's, or two thirds
    /// for rows.
    fn winograd(&self, conv: &Convolution, x: &TensorType) -> Vec<Form> {
        let [least, _] = self.channels();
        if self.kernel != [3, 3] || !winograd::fits(conv, x) || least < FEWEST {
            return Vec::new();
        }
        let products = |tile: Tile| {
            let sizes = self.size.iter();
            let tiles: i64 = sizes.map(|&size| winograd::tiles(size, tile)).product();
            tiles * tile.inputs() * tile.inputs()
        };
        let direct = 9 * self.size[0] * self.size[1];
        let tile = Tile::TILES.into_iter().min_by_key(|&tile| products(tile));
        let tile = tile.filter(|&tile| 2 * products(tile) <= direct);
        let bands = winograd::tiles(self.size[0], Tile::Rows);
        let rows = (3 * bands <= self.size[0] && self.inputs % 2 == 0).then_some(Tile::Rows);
        [tile, rows]
            .into_iter()
            .flatten()
            .map(Form::Winograd)
            .collect()
    }
}

/// The direct forms and Winograd's, in front of them or behind.
fn sorted(direct: Vec<Form>, winograd: Vec<Form>, first: impl Fn(Tile) -> bool) -> Vec<Form> {
    let rank = |form: &Form| match form {
        Form::Winograd(tile) if first(*tile) => 0,
        Form::Winograd(_) => 2,
        _ => 1,
    };
    let mut forms = [direct, winograd].concat();
    forms.sort_by_key(rank);
    forms
}

fn forward_forms(conv: &Convolution, x: &TensorType, w: &TensorType, sizes: &Sizes) -> Vec<Form> {
    if single_channel::fits(conv, &x.shape, &w.shape) {
        return vec![Form::Products, Form::Direct];
    }
    // Rows would be faster for fewer channels, too, but cells of a max-pool behind that are equal
    // would come apart by rounding, and the cotangent would go to another than the first.
    let wide = sizes.channels()[0] >= CHANNELS;
    let first = |tile| wide && tile != Tile::Rows;
    sorted(vec![Form::Direct], sizes.winograd(conv, x), first)
}

fn gradient_forms(conv: &Convolution, x: &TensorType, y: &[i64], sizes: &Sizes) -> Vec<Form> {
    if !weight_gradient::covers(conv, y) || sizes.inputs == 1 {
        return Vec::new();
    }
    let dense = conv.rhs_dilation.iter().all(|&d| d == 1);
    let pixels = sizes.size[0] * sizes.size[1];
    let most = if dense {
        FEW_PIXELS
    } else {
        FEW_STRIDED_PIXELS
    };
    let copied = sizes.batch * pixels * sizes.kernel[0] * sizes.kernel[1] * sizes.inputs;
    let mut forms = vec![Form::Strided];
    if dense {
        forms.insert(0, Form::Flattened);
    }
    if pixels <= most {
        forms.insert(0, Form::FewPixels);
    } else if copied <= MOST_COPIED {
        forms.push(Form::FewPixels);
    }
    let [least, largest] = sizes.channels();
    let wide = least >= GRADIENT_CHANNELS[0] && largest >= GRADIENT_CHANNELS[1];
    let rows = sizes.in_rows(x);
    let first = |tile| {
        if rows {
            tile == Tile::Rows
        } else {
            wide && tile != Tile::Rows
        }
    };
    sorted(forms, sizes.winograd(conv, x), first)
}

/// By the names of the forward pass, whatever the order of dimensions.
fn key(conv: &Convolution, x: &TensorType, sizes: &Sizes, gradient: bool) -> String {
    let dims = &conv.dims;
    let image = [0, 1].map(|s| x.shape[dims.input_spatial[s]]);
    let kind = if gradient {
        "weight-gradient"
    } else {
        "convolution"
    };
    let Sizes {
        batch,
        size,
        kernel,
        inputs,
        outputs,
    } = sizes;
    let mut key = format!(
        "{kind} {} {batch}x{}x{}x{inputs} {}x{}x{inputs}x{outputs} {batch}x{}x{}x{outputs}",
        x.element, image[0], image[1], kernel[0], kernel[1], size[0], size[1],
    );
    let (strides, dilation) = match gradient {
        true => (&conv.rhs_dilation, &conv.strides),
        false => (&conv.strides, &conv.rhs_dilation),
    };
    for (name, values) in [
        ("stride", strides),
        ("dilation", dilation),
        ("spread", &conv.lhs_dilation),
    ] {
        if values.iter().any(|&value| value != 1) {
            key += &format!(" {name} {}x{}", values[0], values[1]);
        }
    }
    let [[top, bottom], [left, right]] = [conv.padding[0], conv.padding[1]];
    if [top, bottom, left, right] != [0; 4] {
        key += &format!(" padding {top},{bottom},{left},{right}");
    }
    key
}
