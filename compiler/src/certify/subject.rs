//! A module as it is certified: its functions by name, with values in
//! canonical layout whatever the layout that it stores them in.

use std::collections::BTreeMap;

use super::error::{Error, Result};
use super::kinks::with_tie_rules;
use super::layout::Stored;
use super::state::Piece;
use crate::autodiff::GRADIENT_SUFFIX;
use crate::lower::LOSS;
use crate::manifest;
use crate::reference::{Limits, Number, Tensor, run_observed};
use crate::stablehlo::mlir::attribute::Attribute;
use crate::stablehlo::{Function, Module, TensorType, Value};

/// Memory of one run.
pub(super) const LIMITS: Limits = Limits { bytes: 8 << 30 };

/// Tensors by `cnnc.name`, in canonical layout.
pub type Values<T> = BTreeMap<String, Tensor<T>>;

/// A parameter, as the manifest lists it.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its path.
    pub name: String,
    /// Its canonical shape.
    pub shape: Vec<i64>,
    /// What it is to its layer: `weight` or `bias`.
    pub role: String,
    /// Inputs per output.
    pub fan_in: i64,
    /// How it is stored, unless canonically.
    pub stored: Option<Stored>,
}

/// A module of this compiler with `@loss` and `@gradients` that fit together.
#[derive(Debug, Clone)]
pub struct Subject {
    module: Module,
    /// The functions of the module, as they are interpreted.
    functions: Vec<Function>,
    parameters: Vec<Parameter>,
    state: Vec<Piece>,
    classes: u64,
}

impl Subject {
    /// Reads the manifest and checks the signatures of `@loss` and
    /// `@gradients`.
    ///
    /// # Errors
    /// [`Error::Manifest`] if the module is not ours, [`Error::Stablehlo`] if
    /// a function is missing, [`Error::Signature`] if the gradients are not
    /// those of the loss.
    pub fn new(module: Module) -> Result<Self> {
        let missing = |what: &str| Error::Manifest {
            what: what.to_owned(),
        };
        let manifest = module
            .attribute(manifest::ATTRIBUTE)
            .ok_or_else(|| missing("version"))?;
        let Some(Attribute::Array(list)) = manifest.get("parameters") else {
            return Err(missing("parameters"));
        };
        let parameters = list
            .iter()
            .map(|entry| parameter(entry).ok_or_else(|| missing("complete parameter")))
            .collect::<Result<Vec<_>>>()?;
        let state = match manifest.get("state") {
            Some(Attribute::Array(list)) => list.as_slice(),
            _ => &[],
        };
        let state = state
            .iter()
            .map(|entry| Piece::of(entry).ok_or_else(|| missing("complete state")))
            .collect::<Result<Vec<_>>>()?;
        let classes = match manifest.get("classes") {
            Some(&Attribute::Int(classes)) => u64::try_from(classes).ok(),
            _ => None,
        };
        let subject = Subject {
            classes: classes.ok_or_else(|| missing("classes"))?,
            parameters,
            state,
            functions: module
                .functions
                .iter()
                .map(with_tie_rules)
                .collect::<std::result::Result<_, _>>()?,
            module,
        };
        subject.check()?;
        Ok(subject)
    }

    fn check(&self) -> Result<()> {
        let (loss, gradients) = (self.function(LOSS)?, self.function("gradients")?);
        let refuse = |function: &Function, message: String| {
            Err(Error::Signature {
                function: function.name.clone(),
                message,
            })
        };
        let results = outputs(loss);
        let scalar = loss.outputs.first().is_some_and(|output| {
            let ty = loss.ty(output.value);
            ty.rank() == 0 && ty.element.is_float()
        });
        if results.len() != 1 || !scalar {
            return refuse(loss, format!("returns {results:?} instead of one scalar"));
        }
        if self.slots(loss)? != self.slots(gradients)? {
            return refuse(gradients, "does not take what `@loss` takes".to_owned());
        }
        let expected: Vec<String> = std::iter::once(LOSS.to_owned())
            .chain(self.parameters.iter().map(|p| gradient_name(&p.name)))
            .collect();
        let found = outputs(gradients);
        if found != expected {
            return refuse(
                gradients,
                format!("returns {found:?} instead of {expected:?}"),
            );
        }
        for (parameter, output) in self.parameters.iter().zip(gradients.outputs.iter().skip(1)) {
            let ty = self.canonical(gradients, output.value, Some(&parameter.name))?;
            if ty.shape != parameter.shape {
                let name = gradient_name(&parameter.name);
                return refuse(gradients, format!("returns {ty} for `{name}`"));
            }
        }
        Ok(())
    }

    /// The module.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The parameters, in order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Number of classes that labels choose from.
    pub fn classes(&self) -> u64 {
        self.classes
    }

    /// The state, in order.
    pub fn state(&self) -> &[Piece] {
        &self.state
    }

    /// Whether the module keeps state of its layers: what it computes in
    /// training is then not what it computes in evaluation.
    pub fn has_model_state(&self) -> bool {
        self.state.iter().any(|piece| piece.of_model)
    }

    /// What the manifest says under this key.
    pub fn said(&self, key: &str) -> Option<&Attribute> {
        self.module.attribute(manifest::ATTRIBUTE)?.get(key)
    }

    /// The functions as they are interpreted: in a form whose dual numbers
    /// follow the language where decisions tie.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The function called `name` as it is written.
    ///
    /// # Errors
    /// [`Error::Stablehlo`] if there is none.
    pub fn written(&self, name: &str) -> Result<&Function> {
        Ok(self.module.function(name)?)
    }

    /// The function called `name` as it is interpreted.
    ///
    /// # Errors
    /// [`Error::Stablehlo`] if there is none.
    pub fn function(&self, name: &str) -> Result<&Function> {
        match self.functions.iter().find(|f| f.name == name) {
            Some(function) => Ok(function),
            None => Ok(self.module.function(name)?),
        }
    }

    /// Whether there is a function called `name`.
    pub fn has(&self, name: &str) -> bool {
        self.module.functions.iter().any(|f| f.name == name)
    }

    /// Names and canonical types of the arguments of a function.
    ///
    /// # Errors
    /// [`Error::Signature`] if one has no name, or a stored parameter another
    /// shape than the manifest says.
    pub fn slots(&self, function: &Function) -> Result<Vec<(String, TensorType)>> {
        let slot = |argument: &crate::stablehlo::Argument| {
            let name = argument.name.clone().ok_or_else(|| Error::Signature {
                function: function.name.clone(),
                message: "an argument has no `cnnc.name`".to_owned(),
            })?;
            let ty = self.canonical(function, argument.value, Some(&name))?;
            Ok((name, ty))
        };
        function.arguments.iter().map(slot).collect()
    }

    /// Runs the function called `name` on canonical values; its results are
    /// canonical, by name.
    ///
    /// # Errors
    /// [`Error::NoValue`] if an argument is not among `values`, else as
    /// `reference::run`.
    pub fn call<T: Number>(&self, name: &str, values: &Values<T>) -> Result<Values<T>> {
        let function = self.function(name)?;
        let arguments = self.arguments(function, values)?;
        let results = run_within(function, &arguments)?;
        self.named(function, results)
    }

    /// The results of a function by name, canonical.
    ///
    /// # Errors
    /// If a result does not fit the layout of its parameter.
    pub fn named<T: Number>(
        &self,
        function: &Function,
        results: Vec<Tensor<T>>,
    ) -> Result<Values<T>> {
        let mut named = Values::new();
        for (index, (output, result)) in function.outputs.iter().zip(results).enumerate() {
            let name = output.name.clone().unwrap_or_else(|| index.to_string());
            let result = match self.stored(Some(&name)) {
                Some(stored) => stored.unpack(&result)?,
                None => result,
            };
            named.insert(name, result);
        }
        Ok(named)
    }

    /// The arguments of a function as it takes them, from canonical values.
    ///
    /// # Errors
    /// [`Error::NoValue`] if an argument is not among `values`, or it does not
    /// fit the layout of its parameter.
    pub fn arguments<T: Number>(
        &self,
        function: &Function,
        values: &Values<T>,
    ) -> Result<Vec<Tensor<T>>> {
        let mut arguments = Vec::new();
        for (name, _) in self.slots(function)? {
            let value = values.get(&name).ok_or_else(|| Error::NoValue {
                function: function.name.clone(),
                name: name.clone(),
            })?;
            arguments.push(match self.stored(Some(&name)) {
                Some(stored) => stored.pack(value)?,
                None => value.clone(),
            });
        }
        Ok(arguments)
    }

    /// How an argument or result is stored: as its parameter, or as the manifest
    /// says of a piece of state.
    fn stored(&self, name: Option<&str>) -> Option<&Stored> {
        let name = name?;
        let base = name.strip_suffix(GRADIENT_SUFFIX).unwrap_or(name);
        if let Some(parameter) = self.parameters.iter().find(|p| p.name == base) {
            return parameter.stored.as_ref();
        }
        let piece = self.state.iter().find(|piece| piece.name == name)?;
        piece.stored.as_ref()
    }

    fn canonical(
        &self,
        function: &Function,
        value: Value,
        name: Option<&str>,
    ) -> Result<TensorType> {
        let ty = function.ty(value);
        let Some(stored) = self.stored(name) else {
            return Ok(ty.clone());
        };
        if ty.shape == stored.shape {
            return Ok(ty.with_shape(stored.canonical.clone()));
        }
        Err(Error::Signature {
            function: function.name.clone(),
            message: format!(
                "`{}` is {ty}, but the manifest stores it as {:?}",
                name.unwrap_or_default(),
                stored.shape
            ),
        })
    }
}

/// Runs a function in the memory that certificates may use.
fn run_within<T: Number>(function: &Function, arguments: &[Tensor<T>]) -> Result<Vec<Tensor<T>>> {
    Ok(run_observed(function, arguments, LIMITS, |_, _| {})?)
}

/// Name of the result of `@gradients` for a parameter.
pub fn gradient_name(parameter: &str) -> String {
    format!("{parameter}{GRADIENT_SUFFIX}")
}

fn outputs(function: &Function) -> Vec<&str> {
    function
        .outputs
        .iter()
        .map(|output| output.name.as_deref().unwrap_or(""))
        .collect()
}

fn parameter(entry: &Attribute) -> Option<Parameter> {
    let shape = ints(entry.get("shape")?)?;
    let stored = stored(entry, &shape)?;
    Some(Parameter {
        name: entry.get("name")?.as_str()?.to_owned(),
        role: entry.get("role")?.as_str()?.to_owned(),
        fan_in: match entry.get("fan_in")? {
            &Attribute::Int(value) => value,
            _ => return None,
        },
        shape,
        stored,
    })
}

/// How an entry of this canonical shape is stored, unless canonically; the
/// outer `None` is an entry that does not say it in full.
pub(super) fn stored(entry: &Attribute, shape: &[i64]) -> Option<Option<Stored>> {
    let Some(stored) = entry.get("stored") else {
        return Some(None);
    };
    Some(Some(Stored {
        canonical: shape.to_vec(),
        view: ints(stored.get("view")?)?,
        permutation: ints(stored.get("permutation")?)?
            .into_iter()
            .map(|axis| usize::try_from(axis).ok())
            .collect::<Option<_>>()?,
        shape: ints(stored.get("shape")?)?,
    }))
}

/// A list of integers; the empty one has no element type.
pub(super) fn ints(attribute: &Attribute) -> Option<Vec<i64>> {
    match attribute {
        Attribute::Ints(values) => Some(values.clone()),
        Attribute::Array(items) if items.is_empty() => Some(Vec::new()),
        _ => None,
    }
}
