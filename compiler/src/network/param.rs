//! `param`: declared parameters, and the tensors they become.

use super::choice::INITIALIZERS;
use super::codes::{expansion, options, shapes};
use super::expander::Expander;
use super::graph::{
    Initializer, Layer, LayerOp, Parameter, ParameterId, Role, TensorId, channel_axis,
};
use super::input::is_batch;
use super::instance::Binding;
use super::naming::{KeptName, LayerName};
use super::ops::Op;
use super::size::{MOST_OF_ONE, fits};
use super::value::{Operand, Value, show_parameter, show_shape};
use cnnc_grammar::ast::{self, Expr, TensorType};
use cnnc_grammar::{Diagnostic, Span};

impl Expander<'_> {
    /// Adds a `param`, and gives its value.
    pub(super) fn param(&mut self, param: &ast::Param) -> Option<Value> {
        let shape = self.param_shape(&param.ty);
        let init = self.param_init(param);
        let (shape, init) = (shape?, init?);
        let (instance, site) = self.site(param.span);
        if let Some(id) = self.instances.parameter(instance, &site) {
            let known = self.parameters.get(id.0)?;
            if known.shape == shape {
                return Some(Value::Parameter(id));
            }
            let error = Diagnostic::new(
                shapes::SHARED_LAYER,
                format!(
                    "`{}` of a shared block was {} and would have to be {}",
                    param.name.text,
                    show_parameter(&known.shape),
                    show_parameter(&shape)
                ),
                param.span,
                "one parameter, so one shape",
            );
            self.report(error.with_hint("make two blocks, each with its own `let`"));
            return None;
        }
        let id = ParameterId(self.parameters.len());
        let [fan_in, fan_out] = fans(&shape);
        self.parameters.push(Parameter {
            name: String::new(),
            role: role(&shape, init),
            shape,
            init,
            fan_in,
            fan_out,
            span: param.span,
        });
        let binding = Binding {
            name: param.name.text.clone(),
            numbered: self.in_repeat(),
            of_tensor: false,
        };
        self.namings.parameters.push(KeptName::Declared {
            owner: instance,
            binding,
        });
        self.instances.add_parameter(instance, site, id);
        Some(Value::Parameter(id))
    }

    fn param_shape(&mut self, ty: &TensorType) -> Option<Vec<i64>> {
        let before = self.faults;
        if ty.element.text != "f32" {
            self.report(Diagnostic::new(
                expansion::PARAM_TYPE,
                format!("parameters of `{}` are not supported", ty.element.text),
                ty.element.span,
                "expected `f32`",
            ));
        }
        let extents: Vec<Option<i64>> = ty.dims.iter().map(|dim| self.param_extent(dim)).collect();
        let shape: Vec<i64> = extents.into_iter().collect::<Option<_>>()?;
        if self.faults == before && !fits(&shape) {
            self.report(
                Diagnostic::new(
                    shapes::TOO_LARGE,
                    format!("this parameter is too large: {}", show_parameter(&shape)),
                    ty.span,
                    "too many numbers",
                )
                .with_note(format!("the limit is {MOST_OF_ONE} numbers")),
            );
        }
        (self.faults == before).then_some(shape)
    }

    fn param_extent(&mut self, dim: &Expr) -> Option<i64> {
        if is_batch(dim) {
            self.report(
                Diagnostic::new(
                    expansion::PARAM_TYPE,
                    "a parameter has no batch",
                    dim.span,
                    "expected an integer",
                )
                .with_hint("a parameter is the same for every example; leave `N` out"),
            );
            return None;
        }
        match self.eval(dim)? {
            Value::Integer(extent) if extent >= 1 => Some(extent),
            other => {
                self.report(Diagnostic::new(
                    expansion::PARAM_TYPE,
                    format!("an extent cannot be {}", other.describe()),
                    dim.span,
                    "expected an integer of at least 1",
                ));
                None
            }
        }
    }

    fn param_init(&mut self, param: &ast::Param) -> Option<Initializer> {
        match &param.init {
            Some(init) => self.initializer(init),
            None => {
                let name = &param.name.text;
                self.report(
                    Diagnostic::new(
                        options::MISSING_OPTION,
                        format!("the parameter `{name}` has no initialiser"),
                        param.span,
                        "how does it start?",
                    )
                    .with_hint("write `= zeros;`, `= ones;` or another initialiser"),
                );
                None
            }
        }
    }

    /// The initialiser that an expression names, directly or by way of a name in sight.
    pub(super) fn initializer(&mut self, expr: &Expr) -> Option<Initializer> {
        let local = match &expr.peel().kind {
            ast::ExprKind::Name(name) => self.local(name).cloned(),
            _ => None,
        };
        let Some(entry) = local else {
            return self.choose(INITIALIZERS, "initialiser", expr);
        };
        match entry.value? {
            Value::Initializer(init) => Some(init),
            other => {
                self.report(Diagnostic::new(
                    options::WRONG_TYPE,
                    format!("an initialiser cannot be {}", other.describe()),
                    expr.span,
                    "expected an initialiser",
                ));
                None
            }
        }
    }

    /// The tensors that an op is fed. Beside a tensor, a parameter of an
    /// element-wise op takes its shape.
    pub(super) fn tensors_of(
        &mut self,
        op: &Op,
        operands: &[Operand],
        place: Span,
    ) -> Option<Vec<TensorId>> {
        let shapes: Option<Vec<Vec<i64>>> = operands
            .iter()
            .map(|operand| self.operand_shape(*operand))
            .collect();
        let shapes = shapes?;
        let common = match shapes.as_slice() {
            [a, b] if op.is_elementwise() => {
                let widest = operands.iter().zip([a, b]).max_by_key(|(operand, shape)| {
                    (matches!(operand, Operand::Tensor(_)), shape.len())
                });
                widest.map(|(_, shape)| shape.clone())
            }
            _ => None,
        };
        let mut tensors = Vec::new();
        for (operand, own) in operands.iter().zip(shapes) {
            tensors.push(match operand {
                Operand::Tensor(id) => *id,
                Operand::Parameter(id) => {
                    let shape = common.clone().unwrap_or_else(|| own.clone());
                    if !goes_with(&own, &shape) {
                        self.report_mismatch(op, &own, &shape, place);
                        return None;
                    }
                    self.spread(*id, shape)?
                }
            });
        }
        Some(tensors)
    }

    fn operand_shape(&self, operand: Operand) -> Option<Vec<i64>> {
        Some(match operand {
            Operand::Tensor(id) => self.tensor(id)?.shape.clone(),
            Operand::Parameter(id) => self.parameters.get(id.0)?.shape.clone(),
        })
    }

    /// A parameter as a tensor of this shape, made once.
    fn spread(&mut self, id: ParameterId, shape: Vec<i64>) -> Option<TensorId> {
        if let Some(tensor) = self.spread.get(&(id, shape.clone())) {
            return Some(*tensor);
        }
        let span = self.parameters.get(id.0)?.span;
        self.step(span)?;
        let layer = Layer {
            name: String::new(),
            base: String::new(),
            op: LayerOp::Parameter,
            text: "param".to_string(),
            inputs: Vec::new(),
            output: TensorId(self.tensors.len()),
            parameters: vec![id],
            buffers: Vec::new(),
            span,
            multiply_adds: 0,
        };
        let tensor = self.push_layer(layer, LayerName::Parameter(id), shape.clone());
        self.spread.insert((id, shape), tensor);
        Some(tensor)
    }

    fn report_mismatch(&mut self, op: &Op, parameter: &[i64], tensor: &[i64], place: Span) {
        let channels = tensor.get(channel_axis(tensor)).copied().unwrap_or(1);
        let whole = show_parameter(tensor);
        let error = Diagnostic::new(
            shapes::SHAPES_DIFFER,
            format!(
                "`{}` cannot put a parameter {} beside {}",
                op.signature.name,
                show_parameter(parameter),
                show_shape(tensor)
            ),
            place,
            "the shapes do not go together",
        );
        self.report(error.with_hint(match tensor.len() {
            0 | 1 => format!("make the parameter {whole}"),
            _ => {
                format!("make the parameter {whole}, or f32[{channels}] for one value per channel")
            }
        }));
    }
}

/// Whether a parameter takes that shape beside a tensor: its own, or with one
/// value per channel, or as a single number.
fn goes_with(parameter: &[i64], tensor: &[i64]) -> bool {
    match parameter {
        [] => true,
        [channels] if tensor.get(channel_axis(tensor)) == Some(channels) => true,
        _ => parameter == tensor,
    }
}

/// Inputs and outputs that a weight of this shape would sum over and feed:
/// `[in, out]`, or `[out, in, ...]` where it has more dimensions, as a kernel.
fn fans(shape: &[i64]) -> [i64; 2] {
    // Within the size limit, so no product wraps.
    match shape {
        [] => [1, 1],
        [size] => [*size, *size],
        [inputs, outputs] => [*inputs, *outputs],
        [outputs, inputs, taps @ ..] => {
            let taps: i64 = taps.iter().product();
            [inputs * taps, outputs * taps]
        }
    }
}

/// Vectors and numbers are taken for scales where they start at 1, else for biases.
fn role(shape: &[i64], init: Initializer) -> Role {
    match (shape.len(), init) {
        (0 | 1, Initializer::Ones) => Role::Scale,
        (0 | 1, _) => Role::Bias,
        _ => Role::Weight,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fans_of_vectors_matrices_and_kernels() {
        assert_eq!(fans(&[]), [1, 1]);
        assert_eq!(fans(&[7]), [7, 7]);
        assert_eq!(fans(&[784, 10]), [784, 10]);
        // As those of `conv`: 3 x 3 taps over 16 channels, to 32.
        assert_eq!(fans(&[32, 16, 3, 3]), [144, 288]);
    }

    #[test]
    fn parameters_go_with_equal_shapes_channels_and_everything() {
        for (parameter, tensor, fits) in [
            (&[8, 4, 4][..], &[8, 4, 4][..], true),
            (&[8], &[8, 4, 4], true),
            (&[4], &[8, 4, 4], false),
            (&[8], &[5, 8], true),
            (&[5], &[5, 8], false),
            (&[5, 8], &[5, 8], true),
            (&[8], &[8], true),
            (&[1], &[8], false),
            (&[], &[8, 4, 4], true),
            (&[8, 1, 1], &[8, 4, 4], false),
        ] {
            assert_eq!(
                goes_with(parameter, tensor),
                fits,
                "{parameter:?} {tensor:?}"
            );
        }
    }
}
