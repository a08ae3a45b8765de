//! Inputs of the net and their types.

use super::codes::expansion::INPUT_SHAPE;
use super::codes::shapes;
use super::expander::Expander;
use super::graph::{Input, Tensor, TensorId};
use super::size::fits;
use super::value::{Operand, Value, show_shape};
use cnnc_grammar::Diagnostic;
use cnnc_grammar::ast::{self, Expr, ExprKind, TensorType};

/// How the batch is written in a type.
pub(super) const BATCH: &str = "N";

impl Expander<'_> {
    /// Adds an `input` of the net and its name; that of a block is what it is fed.
    pub(super) fn input(&mut self, input: &ast::Input) {
        let fed = self.frames.last_mut().and_then(|frame| frame.fed.as_mut());
        let value = match fed {
            Some(fed) => {
                let operand = fed.pop_front();
                operand.and_then(|operand| self.fed(input, operand))
            }
            None => self.net_input(input),
        };
        self.declare(&input.name, value);
    }

    fn net_input(&mut self, input: &ast::Input) -> Option<Value> {
        // A missing type has been reported with the names.
        let shape = self.input_shape(input.ty.as_ref()?)?;
        let tensor = TensorId(self.tensors.len());
        self.namings.tensors.push(Some(input.name.text.clone()));
        self.tensors.push(Tensor {
            name: input.name.text.clone(),
            shape,
            span: input.span,
        });
        self.inputs.push(Input {
            name: input.name.text.clone(),
            tensor,
        });
        Some(Value::Tensor(tensor))
    }

    /// What a block is fed, which must be of the type of the input where it has one.
    fn fed(&mut self, input: &ast::Input, operand: Operand) -> Option<Value> {
        let Some(ty) = &input.ty else {
            return Some(operand.into());
        };
        let wanted = self.batch_shape(ty)?;
        let (shape, span) = match operand {
            Operand::Tensor(id) => {
                let tensor = self.tensor(id)?;
                (tensor.shape.clone(), tensor.span)
            }
            Operand::Parameter(id) => {
                let parameter = self.parameters.get(id.0)?;
                (parameter.shape.clone(), parameter.span)
            }
        };
        if shape == wanted {
            return Some(operand.into());
        }
        self.report(
            Diagnostic::new(
                INPUT_SHAPE,
                format!(
                    "the input `{}` is {}, but is fed {}",
                    input.name.text,
                    show_shape(&wanted),
                    show_shape(&shape)
                ),
                ty.span,
                format!("takes {} only", show_shape(&wanted)),
            )
            .with_place(span, format!("is {}", show_shape(&shape))),
        );
        None
    }

    /// The shape without the batch.
    fn input_shape(&mut self, ty: &TensorType) -> Option<Vec<i64>> {
        if ty.dims.len() != 4 {
            self.report_input_rank(ty);
            return None;
        }
        self.batch_shape(ty)
    }

    /// The extents behind the batch.
    fn batch_shape(&mut self, ty: &TensorType) -> Option<Vec<i64>> {
        let before = self.faults;
        if ty.element.text != "f32" {
            self.report(
                Diagnostic::new(
                    shapes::INPUT_TYPE,
                    format!("inputs of `{}` are not supported", ty.element.text),
                    ty.element.span,
                    "expected `f32`",
                )
                .with_hint("the readers of data give `f32`"),
            );
        }
        let [batch, dims @ ..] = ty.dims.as_slice() else {
            self.report_input_rank(ty);
            return None;
        };
        if !is_batch(batch) {
            self.report(
                Diagnostic::new(
                    shapes::INPUT_TYPE,
                    "the first extent of an input is the batch",
                    batch.span,
                    "expected `N`",
                )
                .with_hint("the size of the batch is `batch` of the `train` section"),
            );
        }
        let extents: Vec<Option<i64>> = dims.iter().map(|dim| self.extent(dim)).collect();
        let extents: Vec<i64> = extents.into_iter().collect::<Option<_>>()?;
        if self.faults == before && !fits(&extents) {
            self.report(Diagnostic::new(
                shapes::TOO_LARGE,
                "this input is too large",
                ty.span,
                "too many numbers",
            ));
        }
        (self.faults == before).then_some(extents)
    }

    fn extent(&mut self, dim: &Expr) -> Option<i64> {
        if is_batch(dim) {
            self.report(Diagnostic::new(
                shapes::INPUT_TYPE,
                "only the first extent of an input is the batch",
                dim.span,
                "expected an integer",
            ));
            return None;
        }
        match self.eval(dim)? {
            Value::Integer(extent) if extent >= 1 => Some(extent),
            other => {
                self.report(Diagnostic::new(
                    shapes::INPUT_TYPE,
                    format!("an extent cannot be {}", other.describe()),
                    dim.span,
                    "expected an integer of at least 1",
                ));
                None
            }
        }
    }

    fn report_input_rank(&mut self, ty: &TensorType) {
        self.report(
            Diagnostic::new(
                shapes::INPUT_TYPE,
                format!(
                    "an input has rank 4, but this type has rank {}",
                    ty.dims.len()
                ),
                ty.span,
                "expected f32[N, channels, height, width]",
            )
            .with_hint("a grey image has 1 channel; `flatten` makes a vector of it"),
        );
    }
}

/// Whether an extent is `N`.
pub(super) fn is_batch(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Name(name) if name == BATCH)
}

/// The error of an input of a net without a type.
pub(super) fn report_untyped(input: &ast::Input) -> Diagnostic {
    let name = &input.name.text;
    Diagnostic::new(
        shapes::INPUT_TYPE,
        format!("the input `{name}` of a net needs a type"),
        input.name.span,
        "no type",
    )
    .with_hint(format!("write `input {name}: f32[N, 1, 28, 28];`"))
}
