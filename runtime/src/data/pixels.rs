//! From bytes to the floats a network sees.

use std::fmt;

use serde::Serialize;

use super::DataError;

/// Maps a byte `u` to `(u / 255 - mean) / std` in f32, with one mean and standard deviation for
/// all channels or one for each.
#[derive(Clone, PartialEq)]
pub struct Pixels {
    channels: Vec<Channel>,
}

#[derive(Clone, PartialEq)]
struct Channel {
    table: Box<[f32; 256]>,
    mean: f32,
    std: f32,
}

impl Channel {
    fn new(mean: f32, std: f32, value: impl Fn(f32) -> f32) -> Self {
        let mut table = Box::new([0.0; 256]);
        for (byte, entry) in (0u8..=255).zip(table.iter_mut()) {
            *entry = value(f32::from(byte) / 255.0);
        }
        Channel { table, mean, std }
    }
}

impl Pixels {
    /// Normalises with mean and standard deviation of the pixels scaled to [0, 1].
    ///
    /// # Errors
    /// [`DataError::Normalize`] unless all are finite, the standard deviations positive, and
    /// there are as many of them as means, at least one.
    pub fn normalized(mean: &[f32], std: &[f32]) -> Result<Self, DataError> {
        let pairs = || mean.iter().zip(std);
        let right = |(mean, std): (&f32, &f32)| mean.is_finite() && std.is_finite() && *std > 0.0;
        if mean.is_empty() || mean.len() != std.len() || !pairs().all(right) {
            return Err(DataError::Normalize {
                mean: mean.to_vec(),
                std: std.to_vec(),
            });
        }
        let channel = |(&mean, &std)| Channel::new(mean, std, |value| (value - mean) / std);
        Ok(Self {
            channels: pairs().map(channel).collect(),
        })
    }

    /// Checks that images of so many channels can be mapped.
    ///
    /// # Errors
    /// [`DataError::Channels`] where there is neither one mean nor one per channel.
    pub fn check(&self, channels: usize) -> Result<(), DataError> {
        match self.channels.len() {
            1 => Ok(()),
            found if found == channels => Ok(()),
            found => Err(DataError::Channels { found, channels }),
        }
    }

    /// The value of one byte of a channel.
    pub fn value(&self, channel: usize, byte: u8) -> f32 {
        let own = self.channels.get(channel).or(self.channels.first());
        // A byte always lies within a table of 256.
        own.and_then(|channel| channel.table.get(usize::from(byte)))
            .copied()
            .unwrap_or_default()
    }

    /// Appends the values of an image of so many channels, given plane by plane.
    pub fn extend(&self, values: &mut Vec<f32>, image: &[u8], channels: usize) {
        let plane = (image.len() / channels.max(1)).max(1);
        for (channel, bytes) in image.chunks(plane).enumerate() {
            let own = self.channels.get(channel).or(self.channels.first());
            if let Some(Channel { table, .. }) = own {
                let value = |&byte: &u8| table.get(usize::from(byte)).copied();
                values.extend(bytes.iter().filter_map(value));
            }
        }
    }

    fn means(&self) -> Numbers {
        Numbers::of(self.channels.iter().map(|channel| channel.mean))
    }

    fn stds(&self) -> Numbers {
        Numbers::of(self.channels.iter().map(|channel| channel.std))
    }
}

impl Default for Pixels {
    /// `u / 255`, in [0, 1].
    fn default() -> Self {
        Self {
            channels: vec![Channel::new(0.0, 1.0, |value| value)],
        }
    }
}

/// One number for all channels, or one for each.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
enum Numbers {
    One(f32),
    Each(Vec<f32>),
}

impl Numbers {
    fn of(numbers: impl Iterator<Item = f32>) -> Self {
        match numbers.collect::<Vec<f32>>().as_slice() {
            [only] => Numbers::One(*only),
            all => Numbers::Each(all.to_vec()),
        }
    }
}

impl fmt::Debug for Pixels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pixels(mean {:?}, std {:?})", self.means(), self.stds())
    }
}

impl Serialize for Pixels {
    /// As `{"mean": ..., "std": ...}`: numbers, or lists of one number per channel.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut pair = serializer.serialize_struct("Pixels", 2)?;
        pair.serialize_field("mean", &self.means())?;
        pair.serialize_field("std", &self.stds())?;
        pair.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_range() {
        let pixels = Pixels::default();
        assert_eq!(pixels.value(0, 0), 0.0);
        assert_eq!(pixels.value(2, 255), 1.0);
        // torchvision's ToTensor: torch.tensor(51, dtype=torch.uint8) / 255 = 0.2
        assert_eq!(pixels.value(0, 51), 0.2);
    }

    #[test]
    fn normalized_as_torchvision_does() {
        // (1 - 0.1307) / 0.3081 and (0 - 0.1307) / 0.3081, the usual MNIST constants.
        let pixels = Pixels::normalized(&[0.1307], &[0.3081]).expect("valid");
        assert!((pixels.value(0, 255) - 2.821_486_5).abs() < 1e-6);
        assert!((pixels.value(0, 0) + 0.424_212_9).abs() < 1e-6);
    }

    /// Planes of two pixels: (0.2 - 0.5) / 0.5, (1 - 0.5) / 0.5, then (0.2 - 0.1) / 0.2, ...
    #[test]
    fn channels_have_their_own_numbers() {
        let pixels = Pixels::normalized(&[0.5, 0.1, 0.0], &[0.5, 0.2, 1.0]).expect("valid");
        let mut values = Vec::new();
        pixels.extend(&mut values, &[51, 255, 51, 255, 51, 255], 3);
        let expected = [-0.6, 1.0, 0.5, 4.5, 0.2, 1.0];
        for (found, expected) in values.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{values:?}");
        }
        assert_eq!(values.len(), 6);
        pixels.check(3).expect("three channels");
        assert_eq!(
            pixels.check(1).expect_err("grey").to_string(),
            "normalize: for 3 channels, the images have 1"
        );
        let json = serde_json::to_value(&pixels).expect("JSON");
        assert_eq!(json["std"].as_array().map(Vec::len), Some(3));
    }

    #[test]
    fn one_pair_of_numbers_is_for_all_channels() {
        let pixels = Pixels::normalized(&[0.5], &[0.5]).expect("valid");
        let mut values = Vec::new();
        pixels.extend(&mut values, &[0, 255], 2);
        assert_eq!(values, [-1.0, 1.0]);
        pixels.check(7).expect("any number of channels");
        let json = serde_json::to_value(&pixels).expect("JSON");
        assert_eq!(json, serde_json::json!({"mean": 0.5, "std": 0.5}));
    }

    #[test]
    fn impossible_normalisation() {
        for (mean, std) in [
            (0.0, 0.0),
            (0.0, -1.0),
            (f32::NAN, 1.0),
            (0.0, f32::INFINITY),
        ] {
            let error = Pixels::normalized(&[mean], &[std])
                .expect_err("impossible")
                .to_string();
            assert!(
                error.contains(&format!("mean [{mean:?}] and std [{std:?}]")),
                "{error}"
            );
        }
        assert!(Pixels::normalized(&[0.5, 0.5], &[0.5]).is_err());
        assert!(Pixels::normalized(&[], &[]).is_err());
    }
}
