//! From bytes to the floats a network sees.

use std::fmt;

use serde::Serialize;

use super::DataError;

/// Maps a byte `u` to `(u / 255 - mean) / std` in f32.
#[derive(Clone, PartialEq)]
pub struct Pixels {
    table: Box<[f32; 256]>,
    mean: f32,
    std: f32,
}

impl Pixels {
    /// Normalises with mean and standard deviation of the pixels scaled to [0, 1].
    ///
    /// # Errors
    /// [`DataError::Normalize`] unless both are finite and `std` is positive.
    pub fn normalized(mean: f32, std: f32) -> Result<Self, DataError> {
        if !mean.is_finite() || !std.is_finite() || std <= 0.0 {
            return Err(DataError::Normalize { mean, std });
        }
        let mut table = Box::new([0.0; 256]);
        for (byte, value) in (0u8..=255).zip(table.iter_mut()) {
            *value = (f32::from(byte) / 255.0 - mean) / std;
        }
        Ok(Self { table, mean, std })
    }

    /// The value of one byte.
    pub fn value(&self, byte: u8) -> f32 {
        // A byte always lies within a table of 256.
        self.table
            .get(usize::from(byte))
            .copied()
            .unwrap_or_default()
    }

    /// Appends the values of `bytes`.
    pub fn extend(&self, values: &mut Vec<f32>, bytes: &[u8]) {
        values.extend(bytes.iter().map(|&byte| self.value(byte)));
    }
}

impl Default for Pixels {
    /// `u / 255`, in [0, 1].
    fn default() -> Self {
        let mut table = Box::new([0.0; 256]);
        for (byte, value) in (0u8..=255).zip(table.iter_mut()) {
            *value = f32::from(byte) / 255.0;
        }
        Self {
            table,
            mean: 0.0,
            std: 1.0,
        }
    }
}

impl fmt::Debug for Pixels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pixels(mean {}, std {})", self.mean, self.std)
    }
}

impl Serialize for Pixels {
    /// As `{"mean": ..., "std": ...}`.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut pair = serializer.serialize_struct("Pixels", 2)?;
        pair.serialize_field("mean", &self.mean)?;
        pair.serialize_field("std", &self.std)?;
        pair.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_range() {
        let pixels = Pixels::default();
        assert_eq!(pixels.value(0), 0.0);
        assert_eq!(pixels.value(255), 1.0);
        // torchvision's ToTensor: torch.tensor(51, dtype=torch.uint8) / 255 = 0.2
        assert_eq!(pixels.value(51), 0.2);
    }

    #[test]
    fn normalized_as_torchvision_does() {
        // (1 - 0.1307) / 0.3081 and (0 - 0.1307) / 0.3081, the usual MNIST constants.
        let pixels = Pixels::normalized(0.1307, 0.3081).expect("valid");
        assert!((pixels.value(255) - 2.821_486_5).abs() < 1e-6);
        assert!((pixels.value(0) + 0.424_212_9).abs() < 1e-6);
    }

    #[test]
    fn impossible_normalisation() {
        for (mean, std) in [
            (0.0, 0.0),
            (0.0, -1.0),
            (f32::NAN, 1.0),
            (0.0, f32::INFINITY),
        ] {
            let error = Pixels::normalized(mean, std)
                .expect_err("impossible")
                .to_string();
            assert!(
                error.contains(&format!("mean {mean} and std {std}")),
                "{error}"
            );
        }
    }
}
