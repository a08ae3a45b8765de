//! Data sets by name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cnnc::network::{self, Network, Normalize};
use cnnc_runtime::data::{Augment, Augmentation, Dataset, Needs, Pixels, Split};

use super::failure::Failure;
use super::places::roots;

/// A data set that is known by name.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    /// What `--data` calls it.
    pub name: &'static str,
    /// How to get it.
    pub get: &'static str,
    system: Option<&'static str>,
}

/// The data sets that are known by name.
pub const KNOWN: &[Known] = &[
    Known {
        name: "mnist",
        get: "`make deps` fetches it into data/mnist",
        system: None,
    },
    Known {
        name: "fashion-mnist",
        get: "`make deps` installs Debian's package dataset-fashion-mnist",
        system: Some("/usr/share/datasets/fashion-mnist"),
    },
    Known {
        name: "cifar-10",
        get: "unpack its binary version, cifar-10-binary.tar.gz, into data/cifar-10",
        system: None,
    },
];

impl Known {
    /// Where it is looked for, in order.
    pub fn places(&self) -> Vec<PathBuf> {
        let local = roots()
            .into_iter()
            .map(|root| root.join("data").join(self.name));
        self.system
            .map(PathBuf::from)
            .into_iter()
            .chain(local)
            .collect()
    }

    /// The first place that has it.
    pub fn find(&self) -> Option<PathBuf> {
        self.places().into_iter().find(|place| place.is_dir())
    }
}

/// The folder of `--data`.
fn folder(data: &Path) -> Result<PathBuf, Failure> {
    let Some(known) = KNOWN.iter().find(|known| data == Path::new(known.name)) else {
        return Ok(data.to_owned());
    };
    known.find().ok_or_else(|| {
        let message = format!("the data set `{}` is not here", known.name);
        let first = known.places().into_iter().next().unwrap_or_default();
        Failure::new(message).hint(known.get).hint(format!(
            "it was looked for in {}, among others",
            first.display()
        ))
    })
}

/// One half of the data set of `--data`, fit for the network.
pub fn load(data: &Path, split: Split, network: &Network) -> Result<Arc<Dataset>, Failure> {
    let folder = folder(data)?;
    let size = |size: &i64| usize::try_from(*size).unwrap_or(0);
    let labels: Vec<usize> = network.label_shape().iter().map(size).collect();
    let needs = Needs {
        image: image_shape(network),
        labels: &labels,
        classes: size(&network.classes()),
    };
    let fits = |dataset: &Dataset| dataset.check(&needs);
    match Dataset::load(&folder, split).and_then(|dataset| fits(&dataset).map(|()| dataset)) {
        Ok(dataset) => Ok(Arc::new(dataset)),
        Err(error @ cnnc_runtime::data::DataError::NoFolder { .. }) => {
            let names: Vec<&str> = KNOWN.iter().map(|known| known.name).collect();
            let hint = format!("known by name: {}", names.join(", "));
            Err(Failure::new(error).hint(hint))
        }
        Err(error) => Err(Failure::new(error)),
    }
}

/// Channels, height and width of the images that the network takes.
fn image_shape(network: &Network) -> [usize; 3] {
    let size = |size: &i64| usize::try_from(*size).unwrap_or(0);
    let shape = network
        .inputs
        .first()
        .map(|input| &*network.tensor(input.tensor).shape);
    match shape {
        Some([channels, height, width]) => [channels, height, width].map(size),
        _ => [0; 3],
    }
}

/// How the network wants its pixels.
pub fn pixels(network: &Network) -> Result<Pixels, Failure> {
    match &network.train.normalize {
        None => Ok(Pixels::default()),
        Some(Normalize { mean, std }) => {
            let floats = |numbers: &[f64]| numbers.iter().map(|&n| n as f32).collect::<Vec<f32>>();
            Pixels::normalized(&floats(mean), &floats(std)).map_err(Failure::new)
        }
    }
}

/// What happens to training images.
pub fn augment(network: &Network, seed: u64) -> Augment {
    let change = |augmentation: &network::Augmentation| match *augmentation {
        network::Augmentation::PadCrop(pad) => {
            Augmentation::PadCrop(usize::try_from(pad).unwrap_or(usize::MAX))
        }
        network::Augmentation::Flip => Augmentation::Flip,
    };
    Augment {
        changes: network.train.augment.iter().map(change).collect(),
        seed,
    }
}
