//! Operations from the text of their attributes.

mod indexing;
mod regions;

use regions::listed;
pub(super) use regions::{Body, Kind};

use std::collections::HashMap;

use super::attribute::Attribute;
use super::constant;
use super::reader::Reader;
use crate::stablehlo::infer::Refusal;
use crate::stablehlo::op::{
    BinaryOp, Convolution, ConvolutionDims, Direction, DotGeneral, Op, Reducer, UnaryOp, Window,
};
use crate::stablehlo::types::{ElementType, TensorType};

/// Every attribute name of the operations known here.
pub(super) const NAMES: &[&str] = &[
    "value",
    "iota_dimension",
    "comparison_direction",
    "compare_type",
    "broadcast_dimensions",
    "permutation",
    "dimensions",
    "start_indices",
    "limit_indices",
    "strides",
    "edge_padding_low",
    "edge_padding_high",
    "interior_padding",
    "dimension",
    "dot_dimension_numbers",
    "window_strides",
    "padding",
    "lhs_dilation",
    "rhs_dilation",
    "window_reversal",
    "dimension_numbers",
    "feature_group_count",
    "batch_group_count",
    "window_dimensions",
    "base_dilations",
    "window_dilations",
    "slice_sizes",
    "indices_are_sorted",
    "scatter_dimension_numbers",
    "unique_indices",
    "is_stable",
];

/// The text of an operation's attributes, by name.
pub(super) struct Texts(pub HashMap<String, String>);

impl Texts {
    fn text(&self, name: &str) -> Result<&str, Refusal> {
        self.0
            .get(name)
            .map(String::as_str)
            .ok_or_else(|| format!("attribute `{name}` is missing"))
    }

    fn ints(&self, name: &str) -> Result<Vec<i64>, Refusal> {
        match Attribute::parse(self.text(name)?) {
            Ok(Attribute::Ints(values)) => Ok(values),
            _ => Err(format!("attribute `{name}` is no array of integers")),
        }
    }

    fn ints_or(&self, name: &str, count: usize) -> Result<Vec<i64>, Refusal> {
        if self.0.contains_key(name) {
            self.ints(name)
        } else {
            Ok(vec![1; count])
        }
    }

    fn indices(&self, name: &str) -> Result<Vec<usize>, Refusal> {
        self.ints(name)?
            .into_iter()
            .map(|v| usize::try_from(v).map_err(|_| format!("attribute `{name}` holds {v}")))
            .collect()
    }

    fn flag(&self, name: &str) -> Result<bool, Refusal> {
        match self.0.get(name).map(|text| Attribute::parse(text)) {
            None => Ok(false),
            Some(Ok(Attribute::Bool(value))) => Ok(value),
            Some(_) => Err(format!("attribute `{name}` is no boolean")),
        }
    }

    fn int(&self, name: &str) -> Result<i64, Refusal> {
        match Attribute::parse(self.text(name)?) {
            Ok(Attribute::Int(value)) => Ok(value),
            _ => Err(format!("attribute `{name}` is no integer")),
        }
    }

    fn int_or(&self, name: &str, default: i64) -> Result<i64, Refusal> {
        if self.0.contains_key(name) {
            self.int(name)
        } else {
            Ok(default)
        }
    }

    fn index(&self, name: &str) -> Result<usize, Refusal> {
        let value = self.int(name)?;
        usize::try_from(value).map_err(|_| format!("attribute `{name}` is {value}"))
    }

    fn pairs(&self, name: &str, count: usize) -> Result<Vec<[i64; 2]>, Refusal> {
        let Some(text) = self.0.get(name) else {
            return Ok(vec![[0, 0]; count]);
        };
        let ty = TensorType::new([count as i64, 2], ElementType::I64);
        let literal = constant::parse(text, &ty)?;
        let value = |i: usize| literal.values.get(i).or(literal.values.first());
        Ok((0..count)
            .map(|i| [2 * i, 2 * i + 1].map(|j| value(j).map_or(0, |v| v.as_f64() as i64)))
            .collect())
    }

    fn window(&self, rank: usize) -> Result<Window, Refusal> {
        Ok(Window {
            size: self.ints_or("window_dimensions", rank)?,
            strides: self.ints_or("window_strides", rank)?,
            base_dilations: self.ints_or("base_dilations", rank)?,
            window_dilations: self.ints_or("window_dilations", rank)?,
            padding: self.pairs("padding", rank)?,
        })
    }

    fn convolution(&self) -> Result<Convolution, Refusal> {
        let dims = parse_conv_dims(self.text("dimension_numbers")?)?;
        let spatial = dims.input_spatial.len();
        let reversal = if self.0.contains_key("window_reversal") {
            self.ints("window_reversal")?
        } else {
            vec![0; spatial]
        };
        Ok(Convolution {
            dims,
            strides: self.ints_or("window_strides", spatial)?,
            padding: self.pairs("padding", spatial)?,
            lhs_dilation: self.ints_or("lhs_dilation", spatial)?,
            rhs_dilation: self.ints_or("rhs_dilation", spatial)?,
            window_reversal: reversal.into_iter().map(|v| v != 0).collect(),
            feature_group_count: self.int("feature_group_count")?,
            batch_group_count: self.int("batch_group_count")?,
        })
    }
}

/// The operation called `name` with these attributes, regions, type of the
/// first operand and result type; `Ok(None)` if the name is unknown.
pub(super) fn operation(
    name: &str,
    texts: &Texts,
    bodies: &[Body],
    operand: Option<&TensorType>,
    result: &TensorType,
) -> Result<Option<Op>, Refusal> {
    let rank = operand.map_or(0, TensorType::rank);
    if let Some(op) = UnaryOp::parse(name) {
        return Ok(Some(Op::Unary(op)));
    }
    if let Some(op) = BinaryOp::parse(name) {
        return Ok(Some(Op::Binary(op)));
    }
    let op = match name {
        "constant" => Op::Constant(constant::parse(texts.text("value")?, result)?),
        "iota" => Op::Iota {
            dim: texts.index("iota_dimension")?,
            ty: result.clone(),
        },
        "compare" => compare(texts, operand)?,
        "select" => Op::Select,
        "clamp" => Op::Clamp,
        "convert" => Op::Convert(result.element),
        "bitcast_convert" => Op::BitcastConvert(result.element),
        "broadcast_in_dim" => Op::BroadcastInDim {
            dims: texts.indices("broadcast_dimensions")?,
            shape: result.shape.clone(),
        },
        "reshape" => Op::Reshape {
            shape: result.shape.clone(),
        },
        "transpose" => Op::Transpose {
            permutation: texts.indices("permutation")?,
        },
        "reverse" => Op::Reverse {
            dims: texts.indices("dimensions")?,
        },
        "slice" => Op::Slice {
            start: texts.ints("start_indices")?,
            limit: texts.ints("limit_indices")?,
            strides: texts.ints("strides")?,
        },
        "pad" => Op::Pad {
            low: texts.ints("edge_padding_low")?,
            high: texts.ints("edge_padding_high")?,
            interior: texts.ints("interior_padding")?,
        },
        "concatenate" => Op::Concatenate {
            dim: texts.index("dimension")?,
        },
        "dynamic_slice" => Op::DynamicSlice {
            sizes: texts.ints("slice_sizes")?,
        },
        "dynamic_update_slice" => Op::DynamicUpdateSlice,
        "gather" => Op::Gather(indexing::gather(texts)?),
        "scatter" => Op::Scatter(indexing::scatter(texts, bodies)?),
        "dot_general" => Op::DotGeneral(parse_dot(texts.text("dot_dimension_numbers")?)?),
        "convolution" => Op::Convolution(texts.convolution()?),
        "reduce" => Op::Reduce {
            reducer: reducer(bodies)?,
            dims: texts.indices("dimensions")?,
        },
        "reduce_window" => Op::ReduceWindow {
            reducer: reducer(bodies)?,
            window: texts.window(rank)?,
        },
        "select_and_scatter" => {
            let known = [Body::Compare(Direction::Ge), Body::Binary(BinaryOp::Add)];
            if bodies != known {
                return Err(format!(
                    "only selection by GE and scattering by add are known here, not {}",
                    listed(bodies)
                ));
            }
            Op::SelectAndScatter {
                window: texts.window(rank)?,
            }
        }
        _ => return Ok(None),
    };
    Ok(Some(op))
}

fn reducer(bodies: &[Body]) -> Result<Reducer, Refusal> {
    let known = match bodies {
        [body] => body.reducer(),
        _ => None,
    };
    known.ok_or_else(|| {
        let names: Vec<&str> = Reducer::ALL.iter().map(|r| r.name()).collect();
        format!(
            "only reductions by {} are known here, not by {}",
            names.join(", "),
            listed(bodies)
        )
    })
}

fn parse_direction(text: &str) -> Result<Direction, Refusal> {
    let mut reader = Reader::new(text);
    reader.expect("#stablehlo<comparison_direction")?;
    let word = reader.word()?;
    Direction::parse(word).ok_or_else(|| format!("unknown comparison direction `{word}`"))
}

/// The order is that of the elements, but for TOTALORDER, which must be named.
fn compare(texts: &Texts, operand: Option<&TensorType>) -> Result<Op, Refusal> {
    let direction = parse_direction(texts.text("comparison_direction")?)?;
    let Some(text) = texts.0.get("compare_type") else {
        return Ok(Op::Compare(direction));
    };
    let mut reader = Reader::new(text);
    reader.expect("#stablehlo<comparison_type")?;
    let word = reader.word()?;
    let element = operand.map(|ty| ty.element);
    let own = match element {
        Some(element) if element.is_float() => "FLOAT",
        Some(element) if element.is_unsigned() || element == ElementType::I1 => "UNSIGNED",
        _ => "SIGNED",
    };
    match word {
        "TOTALORDER" => Ok(Op::CompareTotal(direction)),
        "NOTYPE" => Ok(Op::Compare(direction)),
        word if word == own => Ok(Op::Compare(direction)),
        word => Err(format!(
            "(C3) compare_type {word} does not fit the operands, {own} does"
        )),
    }
}

fn parse_dot(text: &str) -> Result<DotGeneral, Refusal> {
    let mut reader = Reader::new(text);
    let mut dot = DotGeneral::default();
    reader.list("#stablehlo.dot<", ">", |r| {
        let key = r.word()?.to_owned();
        r.expect("=")?;
        let dims = r.list("[", "]", |r| r.int().map(|v| v.max(0) as usize))?;
        match key.as_str() {
            "lhs_batching_dimensions" => dot.lhs_batch = dims,
            "rhs_batching_dimensions" => dot.rhs_batch = dims,
            "lhs_contracting_dimensions" => dot.lhs_contract = dims,
            "rhs_contracting_dimensions" => dot.rhs_contract = dims,
            _ => return Err(format!("unknown entry `{key}`")),
        }
        Ok(())
    })?;
    Ok(dot)
}

fn parse_conv_dims(text: &str) -> Result<ConvolutionDims, Refusal> {
    let mut reader = Reader::new(text);
    let mut side = |open: &str, a: &str, b: &str| -> Result<_, Refusal> {
        let names = reader.list(open, "]", |r| r.word().map(str::to_owned))?;
        let find = |name: &str| {
            names
                .iter()
                .position(|n| n == name)
                .ok_or_else(|| format!("dimension `{name}` is missing in {names:?}"))
        };
        let spatial = (0..names.len().saturating_sub(2))
            .map(|i| find(&i.to_string()))
            .collect::<Result<Vec<_>, _>>()?;
        Ok((find(a)?, find(b)?, spatial))
    };
    let (input_batch, input_feature, input_spatial) = side("#stablehlo.conv<[", "b", "f")?;
    let (kernel_input, kernel_output, kernel_spatial) = side("x[", "i", "o")?;
    let (output_batch, output_feature, output_spatial) = side("->[", "b", "f")?;
    Ok(ConvolutionDims {
        input_batch,
        input_feature,
        input_spatial,
        kernel_input,
        kernel_output,
        kernel_spatial,
        output_batch,
        output_feature,
        output_spatial,
    })
}
