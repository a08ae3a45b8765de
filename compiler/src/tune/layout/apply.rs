//! Rewrites a function on stored values.

use super::convolution::wishes;
use super::{Inner, Layout, Owners, ParameterLayouts, border_layout, reshape};
use crate::stablehlo::{
    Argument, Builder, Convolution, ConvolutionDims, Error, Function, Instruction, Literal, Op,
    Output, Result, TensorType, Value, Window, kept,
};

pub(super) struct Rewriter<'a> {
    source: &'a Function,
    layouts: &'a [Layout],
    builder: Builder,
    map: Vec<Option<Value>>,
}

/// The function on stored values: `layouts` says how each value of `source`
/// is stored.
pub(super) fn apply(
    source: &Function,
    layouts: &[Layout],
    owners: &Owners,
    stored: &ParameterLayouts,
) -> Result<Function> {
    let mut target = Function::new(source.name.clone());
    target.attributes = source.attributes.clone();
    let mut r = Rewriter {
        source,
        layouts,
        builder: Builder::new(target),
        map: vec![None; source.value_count()],
    };
    for Argument { value, name } in &source.arguments {
        let border = border_layout(source, *value, name.as_deref(), owners, stored);
        let ty = source.ty(*value);
        let shape = border.stored_shape(&ty.shape);
        let argument = r
            .builder
            .function
            .argument(name.as_deref(), TensorType::new(shape, ty.element));
        let own = layouts[value.index()].clone();
        let converted = r.convert(argument, &ty.shape, &border, &own)?;
        r.map[value.index()] = Some(converted);
    }
    for instruction in &source.body {
        r.builder.location = instruction.location.clone();
        let (value, layout) = r.instruction(instruction)?;
        let shape = &source.ty(instruction.result).shape;
        let own = &layouts[instruction.result.index()];
        let converted = r.convert(value, shape, &layout, own)?;
        r.map[instruction.result.index()] = Some(converted);
    }
    for Output { value, name } in &source.outputs {
        let border = border_layout(source, *value, name.as_deref(), owners, stored);
        let converted = r.operand(*value, &border)?;
        r.builder.function.output(name.as_deref(), converted);
    }
    Ok(r.builder.function)
}

impl Rewriter<'_> {
    fn shape(&self, value: Value) -> &[i64] {
        &self.source.ty(value).shape
    }

    pub(super) fn layout(&self, value: Value) -> Layout {
        self.layouts[value.index()].clone()
    }

    /// The stored value of `value` in the layout `wanted`.
    pub(super) fn operand(&mut self, value: Value, wanted: &Layout) -> Result<Value> {
        let stored = self.map[value.index()].ok_or_else(|| Error::Pass {
            pass: "layout",
            message: format!("`@{}` uses a value before it is made", self.source.name),
            location: self.builder.location.clone(),
        })?;
        let (shape, own) = (self.shape(value).to_vec(), self.layout(value));
        self.convert(stored, &shape, &own, wanted)
    }

    /// Moves a tensor of logical `shape` from one layout to another.
    fn convert(&mut self, x: Value, shape: &[i64], from: &Layout, to: &Layout) -> Result<Value> {
        if from == to {
            return Ok(x);
        }
        let b = &mut self.builder;
        let (view, permutation) = from.as_view(shape);
        let stored: Vec<i64> = permutation.iter().map(|&p| view[p]).collect();
        let mut inverse = vec![0; permutation.len()];
        for (i, &p) in permutation.iter().enumerate() {
            inverse[p] = i;
        }
        let x = b.reshape(x, &stored)?;
        let x = b.transpose(x, &inverse)?;
        let (view, permutation) = to.as_view(shape);
        let x = b.reshape(x, &view)?;
        let x = b.transpose(x, &permutation)?;
        b.reshape(x, &to.stored_shape(shape))
    }

    /// Rewrites one instruction; returns its value and the layout that it has.
    fn instruction(&mut self, i: &Instruction) -> Result<(Value, Layout)> {
        let own = self.layout(i.result);
        match &i.op {
            op if op.is_elementwise() => self.elementwise(i, own),
            Op::Constant(literal) => self.constant(literal, own),
            Op::Iota { dim, ty } => {
                let plain = plain_inside(&own);
                let shape = plain.stored_shape(&ty.shape);
                let dim = plain.positions()[*dim];
                let value = self.builder.iota(dim, TensorType::new(shape, ty.element))?;
                Ok((value, plain))
            }
            Op::BroadcastInDim { dims, shape } => self.broadcast(i, dims, shape, own),
            Op::Transpose { permutation } => self.transpose(i, permutation),
            Op::Reshape { shape } => self.reshape(i, shape),
            Op::DotGeneral(dot) => self.dot(i, dot),
            Op::Reduce { dims, .. } => self.reduce(i, dims),
            Op::Convolution(conv) => self.convolution(i, conv),
            Op::Slice { .. }
            | Op::Pad { .. }
            | Op::Reverse { .. }
            | Op::Concatenate { .. }
            | Op::ReduceWindow { .. }
            | Op::SelectAndScatter { .. } => self.positional(i, &plain_inside(&own)),
            _ => self.canonical(i),
        }
    }

    /// Operations that are not looked into take and give logical values.
    fn canonical(&mut self, i: &Instruction) -> Result<(Value, Layout)> {
        let mut operands = Vec::new();
        for &x in &i.operands {
            let layout = Layout::canonical(self.shape(x).len());
            operands.push(self.operand(x, &layout)?);
        }
        let value = self.push(i, i.op.clone(), &operands)?;
        Ok((value, Layout::canonical(self.shape(i.result).len())))
    }

    /// Appends the instruction with another operation and stored operands.
    pub(super) fn push(&mut self, i: &Instruction, op: Op, operands: &[Value]) -> Result<Value> {
        let value = self.builder.push(op, operands)?;
        if i.stop_gradient {
            self.builder.stop_gradient(value);
        }
        Ok(value)
    }

    fn elementwise(&mut self, i: &Instruction, own: Layout) -> Result<(Value, Layout)> {
        let mut operands = Vec::new();
        for &x in &i.operands {
            let layout = if self.shape(x).len() == own.order.len() {
                own.clone()
            } else {
                self.layout(x)
            };
            operands.push(self.operand(x, &layout)?);
        }
        Ok((self.push(i, i.op.clone(), &operands)?, own))
    }

    fn constant(&mut self, literal: &Literal, own: Layout) -> Result<(Value, Layout)> {
        let shape = own.stored_shape(&literal.ty.shape);
        let Some(value) = literal.splat_value() else {
            let value = self.builder.push(Op::Constant(literal.clone()), &[])?;
            return Ok((value, Layout::canonical(own.order.len())));
        };
        let literal = Literal {
            ty: TensorType::new(shape, literal.ty.element),
            values: vec![value],
        };
        Ok((self.builder.push(Op::Constant(literal), &[])?, own))
    }

    fn broadcast(
        &mut self,
        i: &Instruction,
        dims: &[usize],
        shape: &[i64],
        own: Layout,
    ) -> Result<(Value, Layout)> {
        let x = i.operands[0];
        let stretched = |dim: usize| self.shape(x)[dim] != shape[dims[dim]];
        let wanted = Layout {
            order: own
                .order
                .iter()
                .filter_map(|d| dims.iter().position(|e| e == d))
                .collect(),
            inner: (0..dims.len())
                .map(|dim| {
                    if stretched(dim) {
                        Inner::Plain
                    } else {
                        own.inner[dims[dim]].clone()
                    }
                })
                .collect(),
        };
        let operand = self.operand(x, &wanted)?;
        let positions = own.positions();
        let targets: Vec<usize> = wanted.order.iter().map(|&d| positions[dims[d]]).collect();
        let stored = own.stored_shape(shape);
        Ok((self.builder.broadcast(operand, &targets, &stored)?, own))
    }

    /// A transpose moves no data: it renames dimensions.
    fn transpose(&mut self, i: &Instruction, permutation: &[usize]) -> Result<(Value, Layout)> {
        let x = i.operands[0];
        let layout = self.layout(x);
        let value = self.operand(x, &layout)?;
        let implied = Layout {
            order: layout
                .order
                .iter()
                .filter_map(|d| permutation.iter().position(|p| p == d))
                .collect(),
            inner: permutation
                .iter()
                .map(|&p| layout.inner[p].clone())
                .collect(),
        };
        Ok((value, implied))
    }

    fn reshape(&mut self, i: &Instruction, shape: &[i64]) -> Result<(Value, Layout)> {
        let x = i.operands[0];
        let (from, layout) = (self.shape(x).to_vec(), self.layout(x));
        let (layout, implied) = match reshape::through(&from, shape, &layout) {
            Some(implied) => (layout, implied),
            None => (
                Layout::canonical(from.len()),
                Layout::canonical(shape.len()),
            ),
        };
        let value = self.operand(x, &layout)?;
        let stored = implied.stored_shape(shape);
        Ok((self.builder.reshape(value, &stored)?, implied))
    }

    fn reduce(&mut self, i: &Instruction, dims: &[usize]) -> Result<(Value, Layout)> {
        let x = i.operands[0];
        let layout = self.layout(x);
        let kept = kept(layout.order.len(), dims);
        let positions = layout.positions();
        let operand = self.operand(x, &layout)?;
        let init = self.operand(i.operands[1], &Layout::canonical(0))?;
        let op = match &i.op {
            Op::Reduce { reducer, .. } => Op::Reduce {
                reducer: *reducer,
                dims: dims.iter().map(|&d| positions[d]).collect(),
            },
            other => other.clone(),
        };
        let value = self.push(i, op, &[operand, init])?;
        let implied = Layout {
            order: layout
                .order
                .iter()
                .filter_map(|d| kept.iter().position(|k| k == d))
                .collect(),
            inner: kept.iter().map(|&d| layout.inner[d].clone()).collect(),
        };
        Ok((value, implied))
    }

    fn convolution(&mut self, i: &Instruction, conv: &Convolution) -> Result<(Value, Layout)> {
        let orders = wishes(conv);
        let [input, kernel, output] = orders.map(|order| Layout {
            inner: vec![Inner::Plain; order.len()],
            order,
        });
        let x = self.operand(i.operands[0], &input)?;
        let w = self.operand(i.operands[1], &kernel)?;
        let (xp, wp, yp) = (input.positions(), kernel.positions(), output.positions());
        let at = |dims: &[usize], positions: &[usize]| dims.iter().map(|&d| positions[d]).collect();
        let dims = &conv.dims;
        let stored = ConvolutionDims {
            input_batch: xp[dims.input_batch],
            input_feature: xp[dims.input_feature],
            input_spatial: at(&dims.input_spatial, &xp),
            kernel_input: wp[dims.kernel_input],
            kernel_output: wp[dims.kernel_output],
            kernel_spatial: at(&dims.kernel_spatial, &wp),
            output_batch: yp[dims.output_batch],
            output_feature: yp[dims.output_feature],
            output_spatial: at(&dims.output_spatial, &yp),
        };
        let op = Op::Convolution(Convolution {
            dims: stored,
            ..conv.clone()
        });
        Ok((self.push(i, op, &[x, w])?, output))
    }

    /// Operations with one attribute entry per dimension: their tensors share
    /// the layout of the result, with nothing inside; scalars stay.
    fn positional(&mut self, i: &Instruction, layout: &Layout) -> Result<(Value, Layout)> {
        let mut operands = Vec::new();
        for &x in &i.operands {
            let rank = self.shape(x).len();
            let wanted = if rank == layout.order.len() {
                layout.clone()
            } else {
                Layout::canonical(rank)
            };
            operands.push(self.operand(x, &wanted)?);
        }
        let positions = layout.positions();
        let op = match i.op.clone() {
            Op::Slice {
                start,
                limit,
                strides,
            } => Op::Slice {
                start: stored_list(&start, layout),
                limit: stored_list(&limit, layout),
                strides: stored_list(&strides, layout),
            },
            Op::Pad {
                low,
                high,
                interior,
            } => Op::Pad {
                low: stored_list(&low, layout),
                high: stored_list(&high, layout),
                interior: stored_list(&interior, layout),
            },
            Op::Reverse { dims } => Op::Reverse {
                dims: dims.iter().map(|&d| positions[d]).collect(),
            },
            Op::Concatenate { dim } => Op::Concatenate {
                dim: positions[dim],
            },
            Op::ReduceWindow { reducer, window } => Op::ReduceWindow {
                reducer,
                window: stored_window(&window, layout),
            },
            Op::SelectAndScatter { window } => Op::SelectAndScatter {
                window: stored_window(&window, layout),
            },
            other => other,
        };
        Ok((self.push(i, op, &operands)?, layout.clone()))
    }
}

/// The layout with its order, and nothing inside.
fn plain_inside(layout: &Layout) -> Layout {
    Layout {
        order: layout.order.clone(),
        inner: vec![Inner::Plain; layout.order.len()],
    }
}

fn stored_list<T: Copy>(list: &[T], layout: &Layout) -> Vec<T> {
    layout.order.iter().map(|&d| list[d]).collect()
}

fn stored_window(window: &Window, layout: &Layout) -> Window {
    Window {
        size: stored_list(&window.size, layout),
        strides: stored_list(&window.strides, layout),
        base_dilations: stored_list(&window.base_dilations, layout),
        window_dilations: stored_list(&window.window_dilations, layout),
        padding: stored_list(&window.padding, layout),
    }
}
