//! What a manifest has to say for this runtime.

use std::collections::HashSet;

use super::{Dtype, GRADIENT_NORM, Input, Manifest, ManifestError, Scope, Variable};
use crate::layout::element_count;

impl Manifest {
    pub(super) fn validate(&self) -> Result<(), ManifestError> {
        let counts = [
            ("batch", self.batch),
            ("classes", self.classes),
            ("accumulate", self.accumulate()),
        ];
        for (what, value) in counts {
            if value == 0 {
                return Err(ManifestError::Zero { what });
            }
        }
        self.validate_inputs()?;
        for variables in [&self.parameters, &self.state] {
            let mut names = HashSet::new();
            for variable in variables {
                if variable.name.is_empty() || !names.insert(&variable.name) {
                    return Err(ManifestError::Name {
                        name: variable.name.clone(),
                    });
                }
                validate_variable(variable)?;
            }
        }
        let mut others = self.state.iter().skip(self.model_state());
        if let Some(late) = others.find(|variable| variable.scope == Some(Scope::Model)) {
            return Err(ManifestError::Order {
                name: late.name.clone(),
            });
        }
        self.validate_owners()?;
        self.validate_metrics()?;
        match self.parameters.iter().find(|p| p.dtype != Dtype::F32) {
            Some(parameter) => Err(ManifestError::ParameterType {
                name: parameter.name.clone(),
                found: parameter.dtype,
            }),
            None => Ok(()),
        }
    }

    fn validate_inputs(&self) -> Result<(), ManifestError> {
        let batch = self.batch;
        let image = |input: &Input| {
            input.dtype == Dtype::F32
                && matches!(*input.shape, [n, c, h, w] if n == batch && c * h * w > 0)
        };
        let [_, height, width] = self.image_shape();
        let label = |input: &Input| {
            input.dtype == Dtype::I32
                && (*input.shape == [batch] || *input.shape == [batch, height, width])
        };
        for input in &self.inputs {
            if element_count(&input.shape).is_none() {
                return Err(ManifestError::TooLarge {
                    name: input.name.clone(),
                    shape: input.shape.clone(),
                });
            }
        }
        let expected = format!("f32[{batch}, C, H, W]");
        expect_input("image", self.image_input(), image, expected)?;
        let expected = format!("i32[{batch}] or i32[{batch}, H, W]");
        let found = self.inputs.iter().find(|input| input.name == "label");
        expect_input("label", found, label, expected)
    }

    fn validate_owners(&self) -> Result<(), ManifestError> {
        for variable in &self.state {
            let Some(of) = &variable.of else {
                continue;
            };
            let fault = |what| ManifestError::Owner {
                name: variable.name.clone(),
                of: of.clone(),
                what,
            };
            let mut owners = self.parameters.iter().chain(self.of_model());
            let Some(owner) = owners.find(|owner| owner.name == *of) else {
                return Err(fault("there"));
            };
            let alike = owner.shape == variable.shape
                && owner.dtype == variable.dtype
                && owner.stored == variable.stored;
            if !alike {
                return Err(fault("of its form"));
            }
        }
        Ok(())
    }

    fn validate_metrics(&self) -> Result<(), ManifestError> {
        let names: Vec<&str> = self.metrics.iter().map(String::as_str).collect();
        match names.as_slice() {
            ["loss", "correct"] | ["loss", "correct", GRADIENT_NORM] => Ok(()),
            _ => Err(ManifestError::Metrics {
                found: self.metrics.clone(),
            }),
        }
    }
}

fn expect_input(
    name: &'static str,
    input: Option<&Input>,
    fits: impl Fn(&Input) -> bool,
    expected: String,
) -> Result<(), ManifestError> {
    if input.is_some_and(fits) {
        return Ok(());
    }
    let found = input.map_or_else(
        || "missing".into(),
        |input| format!("{}{:?}", input.dtype, input.shape),
    );
    Err(ManifestError::Input {
        name,
        found,
        expected,
    })
}

fn validate_variable(variable: &Variable) -> Result<(), ManifestError> {
    let Some(elements) = element_count(&variable.shape) else {
        return Err(ManifestError::TooLarge {
            name: variable.name.clone(),
            shape: variable.shape.clone(),
        });
    };
    match &variable.stored {
        Some(stored) => stored
            .check(elements)
            .map_err(|source| ManifestError::Layout {
                name: variable.name.clone(),
                source,
            }),
        None => Ok(()),
    }
}
