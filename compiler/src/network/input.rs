//! Inputs of the net and their types.

use super::codes::shapes;
use super::expander::Expander;
use super::graph::{Input, Tensor, TensorId};
use super::size::fits;
use super::value::Value;
use cnnc_grammar::Diagnostic;
use cnnc_grammar::ast::{self, Expr, ExprKind, TensorType};

/// How the batch is written in a type.
pub(super) const BATCH: &str = "N";

impl Expander {
    /// Adds an `input` and its name.
    pub(super) fn input(&mut self, input: &ast::Input) {
        let shape = match &input.ty {
            Some(ty) => self.input_shape(ty),
            None => {
                self.report(
                    Diagnostic::new(
                        shapes::INPUT_TYPE,
                        format!("the input `{}` of a net needs a type", input.name.text),
                        input.name.span,
                        "no type",
                    )
                    .with_hint(format!(
                        "write `input {}: f32[N, 1, 28, 28];`",
                        input.name.text
                    )),
                );
                None
            }
        };
        let value = shape.map(|shape| {
            let tensor = TensorId(self.tensors.len());
            self.tensors.push(Tensor {
                name: input.name.text.clone(),
                shape,
                span: input.span,
            });
            self.inputs.push(Input {
                name: input.name.text.clone(),
                tensor,
            });
            Value::Tensor(tensor)
        });
        self.declare(&input.name, value);
    }

    /// The shape without the batch.
    fn input_shape(&mut self, ty: &TensorType) -> Option<Vec<i64>> {
        let before = self.errors.len();
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
        if dims.len() != 3 {
            self.report_input_rank(ty);
            return None;
        }
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
        if self.errors.len() == before && !fits(&extents) {
            self.report(Diagnostic::new(
                shapes::TOO_LARGE,
                "this input is too large",
                ty.span,
                "too many numbers",
            ));
        }
        (self.errors.len() == before).then_some(extents)
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

fn is_batch(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Name(name) if name == BATCH)
}
