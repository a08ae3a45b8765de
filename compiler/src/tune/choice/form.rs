//! The forms.

use super::super::winograd::Form as Tile;

/// A form that a pass gives to a convolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The convolution stays one.
    Direct,
    /// Products by each tap, added up: `single-channel`.
    Products,
    /// One of Winograd's: `winograd`.
    Winograd(Tile),
    /// One dot product of batch and pixels has all taps: `weight-gradient`.
    FewPixels,
    /// A dot product by tap and example of rows without a gap: `weight-gradient`.
    Flattened,
    /// A dot product by tap and example of strided slices: `weight-gradient`.
    Strided,
}

impl Form {
    /// What cost tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Form::Direct => "direct",
            Form::Products => "products",
            Form::Winograd(Tile::Two) => "winograd-2x2",
            Form::Winograd(Tile::Four) => "winograd-4x4",
            Form::Winograd(Tile::Rows) => "winograd-rows",
            Form::FewPixels => "few-pixels",
            Form::Flattened => "flattened",
            Form::Strided => "strided",
        }
    }

    /// Whether it is one of Winograd's.
    pub fn is_winograd(self) -> bool {
        matches!(self, Form::Winograd(_))
    }
}
