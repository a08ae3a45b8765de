//! What goes into the max-pools of a network, image by image.

use std::path::Path;

use cnnc::certify::twins::{self, Pool};
use cnnc::driver::Unit;
use cnnc::stablehlo::{Location, Module};
use cnnc_runtime::checkpoint;
use cnnc_runtime::data::{Dataset, Pixels};
use cnnc_runtime::program::Program;
use cnnc_runtime::state::{Snapshot, State};
use cnnc_runtime::tensor::Elements;

use crate::common::engine::Engine;
use crate::common::{Failure, data};

/// Images that are run at once.
const BATCH: usize = 64;
/// Random biases lie between this and its negative.
const BIAS: f64 = 0.1;

/// A network that shows the inputs of its max-pools.
pub struct Activations {
    program: Program,
    state: State,
    /// The parameters.
    pub snapshot: Snapshot,
    pixels: Pixels,
    /// Where each max-pool comes from.
    pub locations: Vec<Location>,
    cells: usize,
}

/// An image as the network sees it, and the inputs of its max-pools.
pub struct Seen<'b> {
    pub index: usize,
    pub image: &'b [f32],
    pub cells: &'b [f32],
}

impl Activations {
    /// Compiles the network; parameters come from the checkpoint, or are drawn, biases too.
    pub fn new(
        engine: &Engine<'_>,
        unit: &Unit,
        pools: &[Pool],
        checkpoint: Option<&Path>,
        seed: u64,
    ) -> Result<Self, Failure> {
        let whole = unit
            .portable(BATCH as i64, &["init", "forward"])
            .map_err(Failure::new)?;
        let forward = whole.function("forward").map_err(Failure::new)?;
        let observed = twins::observe(forward).map_err(Failure::new)?;
        let observed = observed.filter(|observed| observed.locations.len() == pools.len());
        let Some(observed) = observed else {
            let message = "the compiled network does not keep its max-pools apart";
            return Err(Failure::new(message));
        };
        let init = whole.function("init").map_err(Failure::new)?.clone();
        let module = Module {
            functions: vec![init, observed.function],
            ..whole
        };
        let program = engine.module(&module)?;
        let manifest = program.manifest();
        let snapshot = match checkpoint {
            Some(file) => {
                let found =
                    checkpoint::load_for_evaluation(file, manifest).map_err(Failure::new)?;
                found.snapshot
            }
            None => {
                let drawn = program.init(seed).map_err(Failure::new)?;
                let mut snapshot = drawn.download(manifest).map_err(Failure::new)?;
                draw_biases(&mut snapshot, &program, seed);
                snapshot
            }
        };
        let state = State::upload(engine.runtime(), manifest, &snapshot).map_err(Failure::new)?;
        Ok(Activations {
            state,
            snapshot,
            pixels: data::pixels(&unit.network)?,
            locations: observed.locations,
            cells: pools.iter().map(Pool::cells).sum(),
            program,
        })
    }

    /// Shows each of these images of a data set.
    pub fn each(
        &self,
        dataset: &Dataset,
        indices: &[usize],
        mut show: impl FnMut(Seen<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let [channels, height, width] = dataset.image_shape();
        let size = channels * height * width;
        for indices in indices.chunks(BATCH) {
            let mut images = Vec::with_capacity(BATCH * size);
            for &index in indices {
                let image = dataset.image(index).ok_or_else(|| {
                    let count = dataset.len();
                    Failure::new(format!(
                        "there is no image {index}: the data set has {count}"
                    ))
                })?;
                self.pixels.extend(&mut images, image, channels);
            }
            images.resize(BATCH * size, 0.0);
            let found = self
                .program
                .forward(&self.state, &images)
                .map_err(Failure::new)?;
            if found.len() != BATCH * self.cells {
                let (found, expected) = (found.len(), BATCH * self.cells);
                let message = format!("the max-pools have {found} cells, not {expected}");
                return Err(Failure::new(message));
            }
            let pairs = images
                .chunks_exact(size)
                .zip(found.chunks_exact(self.cells));
            for (&index, (image, cells)) in indices.iter().zip(pairs) {
                if let Some(value) = cells.iter().find(|value| !value.is_finite()) {
                    let message = format!("image {index}: a cell of a max-pool is {value}");
                    return Err(Failure::new(message));
                }
                let seen = Seen {
                    index,
                    image,
                    cells,
                };
                show(seen)?;
            }
        }
        Ok(())
    }
}

/// Fresh biases are 0, and leave every cell over a background of 0 on a kink.
fn draw_biases(snapshot: &mut Snapshot, program: &Program, seed: u64) {
    let mut random = cnnc::certify::Random::new(seed);
    let variables = program.manifest().parameters.iter();
    for (tensor, variable) in snapshot.parameters.iter_mut().zip(variables) {
        if let (Some("bias"), Elements::F32(values)) =
            (variable.role.as_deref(), &mut tensor.elements)
        {
            for value in values {
                *value = random.real(-BIAS, BIAS) as f32;
            }
        }
    }
}
