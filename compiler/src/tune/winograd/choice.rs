//! Where Winograd's forms are used.
//!
//! Measured with IREE 3.13 on two cores of an AMD EPYC (Zen 5), processor time
//! against that of the direct form of the forward pass and the `flattened` form
//! of the weight gradient; "shared" where the forward pass has the tiles of
//! the input already:
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

use super::matrices::Form;
use super::transforms::count;

/// A convolution without stride of a 3x3 kernel, and what is computed of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub batch: i64,
    /// Height and width of the output.
    pub size: [i64; 2],
    /// Channels.
    pub inputs: i64,
    pub outputs: i64,
    /// Whether its weight gradient is.
    pub gradient: bool,
}

/// Of the side with fewer. The cost of the transforms is by the pixels, that
/// of the products by channels of both sides.
const CHANNELS: i64 = 64;
/// Of both sides, for a weight gradient, which is slower in the direct form.
const GRADIENT_CHANNELS: [i64; 2] = [32, 64];

/// The form for a convolution or its weight gradient, if one is faster than
/// the direct form.
pub(super) fn choice(shape: &Shape) -> Option<Form> {
    let (least, most) = (
        shape.inputs.min(shape.outputs),
        shape.inputs.max(shape.outputs),
    );
    let wide = match shape.gradient {
        false => least >= CHANNELS,
        true => least >= GRADIENT_CHANNELS[0] && most >= GRADIENT_CHANNELS[1],
    };
    if !wide || shape.size.contains(&0) || shape.batch == 0 {
        return None;
    }
    let products = |form: Form| {
        let tiles: i64 = shape.size.iter().map(|&size| count(size, form)).product();
        tiles * form.inputs() * form.inputs()
    };
    let form = Form::ALL.into_iter().min_by_key(|&form| products(form))?;
    // At most half of the direct form's.
    let direct = 9 * shape.size[0] * shape.size[1];
    (2 * products(form) <= direct).then_some(form)
}
