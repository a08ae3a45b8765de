//! Ties that f32 shows, looked at in exact arithmetic.

use cnnc::certify::audit::{Options, Site, audit};
use cnnc::certify::twins::Structure;
use cnnc::driver::Unit;
use cnnc::reference::Tensor;
use cnnc::stablehlo::{Function, TensorType};
use cnnc_runtime::state::Snapshot;
use cnnc_runtime::tensor::NamedTensor;
use serde::Serialize;

use crate::common::Failure;

/// What the pools of one image are in exact arithmetic.
#[derive(Debug, Clone, Serialize)]
pub struct Exactly {
    pub index: usize,
    /// Windows tied between different functions of the parameters.
    pub tied: u64,
    /// Windows that errors of f64 leave open.
    pub undecided: u64,
    /// Smallest difference between a maximum and the next cell.
    pub closest: Option<f64>,
}

impl Exactly {
    /// Whether f32 alone made the ties.
    pub fn rounded(&self) -> bool {
        self.tied == 0 && self.undecided == 0
    }
}

/// The forward function of one example, for the interpreter.
pub struct Recheck<'u> {
    unit: &'u Unit,
    forward: Function,
    parameters: Vec<Tensor<f64>>,
}

impl<'u> Recheck<'u> {
    pub fn new(unit: &'u Unit, snapshot: &Snapshot) -> Result<Self, Failure> {
        let module = unit.portable(1, &["forward"]).map_err(Failure::new)?;
        let parameters = snapshot.parameters.iter().map(tensor);
        Ok(Recheck {
            unit,
            forward: module.function("forward").map_err(Failure::new)?.clone(),
            parameters: parameters.collect::<Result<_, _>>()?,
        })
    }

    /// Audits an image, given as the network sees it.
    pub fn image(&self, index: usize, image: &[f32]) -> Result<Exactly, Failure> {
        let structure = Structure::of(&self.unit.network, image);
        let mut arguments = self.parameters.clone();
        let shape = self.forward.arguments.last();
        let ty = shape.map(|argument| self.forward.ty(argument.value).clone());
        let values: Vec<f64> = image.iter().map(|&value| f64::from(value)).collect();
        let ty = ty.unwrap_or_else(|| TensorType::f32([0]));
        arguments.push(Tensor::from_f64(ty, &values).map_err(Failure::new)?);
        let options = Options {
            structure: Some(&structure),
            ..Options::new(self.parameters.len())
        };
        let found = audit(&self.forward, &arguments, &options).map_err(Failure::new)?;
        let pools = found.sites.iter().filter(|site| site.op == "max_pool");
        let totals: Vec<_> = pools.map(Site::total).collect();
        Ok(Exactly {
            index,
            tied: totals.iter().map(|total| total.tied).sum(),
            undecided: totals.iter().map(|total| total.undecided).sum(),
            closest: totals
                .iter()
                .filter_map(|total| total.closest)
                .min_by(f64::total_cmp),
        })
    }
}

fn tensor(named: &NamedTensor) -> Result<Tensor<f64>, Failure> {
    let shape: Vec<i64> = named.shape.iter().map(|&size| size as i64).collect();
    let values = named.elements.as_f32().unwrap_or(&[]);
    let values: Vec<f64> = values.iter().map(|&value| f64::from(value)).collect();
    Tensor::from_f64(TensorType::f32(shape), &values).map_err(Failure::new)
}
