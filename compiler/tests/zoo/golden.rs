//! Goldens of the zoo, made by `bench/zoo_goldens.py`, whose head says how the
//! numbers are drawn.

use std::collections::BTreeMap;

use cnnc_runtime::tensor::{Elements, NamedTensor};
use serde::Deserialize;

use crate::hash;

/// Stream of the images, next to those of the parameters.
const IMAGES: u64 = 4095;
/// First stream of the signs that gradients are summed with.
const SIGNS: u64 = 1000;

/// Loss and gradients of a small instance of a net, in float64.
#[derive(Deserialize)]
pub struct Golden {
    pub net: String,
    /// Of the net with the hyper-parameters of its file.
    pub full: Full,
    /// Hyper-parameters of the small instance.
    pub hyper: BTreeMap<String, serde_json::Number>,
    pub batch: i64,
    /// Shape of an example.
    pub image: Vec<usize>,
    classes: usize,
    label_per_pixel: bool,
    stream: u64,
    pub loss: f64,
    pub parameters: Vec<Parameter>,
}

#[derive(Deserialize)]
pub struct Full {
    pub parameters: i64,
    pub multiply_adds: i64,
}

/// A row of the golden, column by column.
#[derive(Deserialize)]
pub struct Parameter {
    pub name: String,
    pub shape: Vec<usize>,
    center: f64,
    scale: f64,
    /// Of the gradient.
    pub norm: f64,
    /// What a number of the sketch may be off in f32.
    pub tolerance: f64,
    pub sketch: [f64; 3],
}

impl Golden {
    pub fn read(net: &str) -> Self {
        let path = crate::examples::data(&format!("goldens/zoo/{net}.json"));
        let text = std::fs::read_to_string(path).expect("the golden is there");
        serde_json::from_str(&text).expect("the golden is as the script writes it")
    }

    /// Values of the parameters.
    pub fn values(&self) -> Vec<NamedTensor> {
        let rows = self.parameters.iter().zip(self.stream..);
        rows.map(|(row, stream)| row.values(stream)).collect()
    }

    pub fn images(&self) -> Vec<f32> {
        let count = self.batch as usize * self.image.iter().product::<usize>();
        let stream = self.stream + IMAGES;
        let pixel = |i| (2.0 * hash::fraction(stream, i) - 1.0) as f32;
        (0..count).map(pixel).collect()
    }

    pub fn labels(&self) -> Vec<i32> {
        let pixels = match self.label_per_pixel {
            true => self.image[1..].iter().product(),
            false => 1,
        };
        let count = self.batch as usize * pixels;
        let label = |i| ((7 * i + 3) % self.classes) as i32;
        (0..count).map(label).collect()
    }
}

impl Parameter {
    fn values(&self, stream: u64) -> NamedTensor {
        let count = self.shape.iter().product();
        let value = |i| {
            let offset = hash::fraction(stream, i) - 0.5;
            (self.center + self.scale * offset) as f32
        };
        NamedTensor {
            name: self.name.clone(),
            shape: self.shape.clone(),
            elements: Elements::F32((0..count).map(value).collect()),
        }
    }
}

/// Sketch of the gradient of the parameter at `index`.
pub fn sketch(index: usize, gradient: &[f32]) -> [f64; 3] {
    hash::signed_sums(SIGNS + index as u64, gradient)
}
