//! Examples of a program's shapes, for measuring. Nothing can be learnt from them.

use crate::data::SplitMix64;
use crate::manifest::Manifest;

/// Of this many pixels one is not black, as in MNIST.
const SPARSITY: u64 = 5;

/// One batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Examples {
    /// The pixels, row-major in the shape of the program's input.
    pub image: Vec<f32>,
    /// A label per example, or per pixel where the program takes them so.
    pub label: Vec<i32>,
}

impl Examples {
    /// The same for the same seed: pixels in 0..1 and labels among the program's classes.
    pub fn random(manifest: &Manifest, seed: u64) -> Self {
        let mut random = SplitMix64::new(seed << 32);
        let mut draw = || random.next();
        let pixel = |bits: u64| match bits % SPARSITY {
            0 => (bits >> 56) as f32 / 255.0,
            _ => 0.0,
        };
        let classes = manifest.classes.max(1) as u64;
        let pixels = manifest.batch * manifest.image_elements();
        let labels = manifest.batch * manifest.labels_per_example();
        Examples {
            image: (0..pixels).map(|_| pixel(draw())).collect(),
            label: (0..labels).map(|_| (draw() % classes) as i32).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn manifest(labels: serde_json::Value) -> Manifest {
        let mut json = fixture::manifest(6);
        json["inputs"][1]["shape"] = labels;
        Manifest::parse(&json.to_string()).expect("valid")
    }

    #[test]
    fn examples_fit_the_program() {
        for (labels, count) in [
            (serde_json::json!([6]), 6),
            (serde_json::json!([6, 2, 2]), 24),
        ] {
            let examples = Examples::random(&manifest(labels), 3);
            assert_eq!((examples.image.len(), examples.label.len()), (24, count));
            assert!(examples.image.iter().all(|p| (0.0..=1.0).contains(p)));
            assert!(examples.label.iter().all(|label| (0..3).contains(label)));
        }
    }

    #[test]
    fn the_seed_decides() {
        let manifest = manifest(serde_json::json!([6]));
        let make = |seed| Examples::random(&manifest, seed);
        assert_eq!(make(1), make(1));
        assert_ne!(make(1), make(2));
    }
}
