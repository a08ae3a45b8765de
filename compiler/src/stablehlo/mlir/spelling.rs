//! Attributes of each operation, as text.

use super::attribute::Attribute;
use super::constant;
use crate::stablehlo::op::{Convolution, DotGeneral, Op, Window};

type Attributes = Vec<(&'static str, String)>;

fn ints(values: &[i64]) -> String {
    Attribute::Ints(values.to_vec()).to_string()
}

fn indices(values: &[usize]) -> String {
    ints(&values.iter().map(|&v| v as i64).collect::<Vec<_>>())
}

fn int(value: i64) -> String {
    format!("{value} : i64")
}

fn pairs(values: &[[i64; 2]]) -> String {
    let rows: Vec<String> = values.iter().map(|[a, b]| format!("[{a}, {b}]")).collect();
    format!(
        "dense<[{}]> : tensor<{}x2xi64>",
        rows.join(", "),
        values.len()
    )
}

/// Attributes of `op` as MLIR text, in the order of the specification.
pub(super) fn attributes(op: &Op) -> Attributes {
    match op {
        Op::Constant(literal) => vec![("value", constant::print(literal))],
        Op::Iota { dim, .. } => vec![("iota_dimension", int(*dim as i64))],
        Op::Compare(direction) => vec![(
            "comparison_direction",
            format!("#stablehlo<comparison_direction {}>", direction.name()),
        )],
        Op::CompareTotal(direction) => vec![
            (
                "comparison_direction",
                format!("#stablehlo<comparison_direction {}>", direction.name()),
            ),
            (
                "compare_type",
                "#stablehlo<comparison_type TOTALORDER>".to_owned(),
            ),
        ],
        Op::BroadcastInDim { dims, .. } => vec![("broadcast_dimensions", indices(dims))],
        Op::Transpose { permutation } => vec![("permutation", indices(permutation))],
        Op::Reverse { dims } | Op::Reduce { dims, .. } => vec![("dimensions", indices(dims))],
        Op::Slice {
            start,
            limit,
            strides,
        } => vec![
            ("start_indices", ints(start)),
            ("limit_indices", ints(limit)),
            ("strides", ints(strides)),
        ],
        Op::Pad {
            low,
            high,
            interior,
        } => vec![
            ("edge_padding_low", ints(low)),
            ("edge_padding_high", ints(high)),
            ("interior_padding", ints(interior)),
        ],
        Op::Concatenate { dim } => vec![("dimension", int(*dim as i64))],
        Op::DotGeneral(dot) => vec![("dot_dimension_numbers", dot_text(dot))],
        Op::Convolution(conv) => convolution(conv),
        Op::ReduceWindow { window, .. } | Op::SelectAndScatter { window } => windowed(window),
        Op::Unary(_)
        | Op::Binary(_)
        | Op::Select
        | Op::Clamp
        | Op::Convert(_)
        | Op::Reshape { .. } => vec![],
    }
}

fn dot_text(dot: &DotGeneral) -> String {
    format!(
        "#stablehlo.dot<lhs_batching_dimensions = {:?}, rhs_batching_dimensions = {:?}, lhs_contracting_dimensions = {:?}, rhs_contracting_dimensions = {:?}>",
        dot.lhs_batch, dot.rhs_batch, dot.lhs_contract, dot.rhs_contract
    )
}

fn convolution(conv: &Convolution) -> Attributes {
    let dims = &conv.dims;
    let side = |a: usize, a_name: &str, b: usize, b_name: &str, spatial: &[usize]| {
        let mut names = vec![String::new(); spatial.len() + 2];
        names[a] = a_name.to_owned();
        names[b] = b_name.to_owned();
        for (i, &d) in spatial.iter().enumerate() {
            names[d] = i.to_string();
        }
        format!("[{}]", names.join(", "))
    };
    let numbers = format!(
        "#stablehlo.conv<{}x{}->{}>",
        side(
            dims.input_batch,
            "b",
            dims.input_feature,
            "f",
            &dims.input_spatial
        ),
        side(
            dims.kernel_input,
            "i",
            dims.kernel_output,
            "o",
            &dims.kernel_spatial
        ),
        side(
            dims.output_batch,
            "b",
            dims.output_feature,
            "f",
            &dims.output_spatial
        ),
    );
    let reversal: Vec<String> = conv.window_reversal.iter().map(bool::to_string).collect();
    let mut attributes = vec![
        ("window_strides", ints(&conv.strides)),
        ("padding", pairs(&conv.padding)),
        ("dimension_numbers", numbers),
        ("feature_group_count", int(conv.feature_group_count)),
        ("batch_group_count", int(conv.batch_group_count)),
    ];
    push_unless_ones(&mut attributes, "lhs_dilation", &conv.lhs_dilation);
    push_unless_ones(&mut attributes, "rhs_dilation", &conv.rhs_dilation);
    if conv.window_reversal.contains(&true) {
        attributes.push((
            "window_reversal",
            format!("array<i1: {}>", reversal.join(", ")),
        ));
    }
    attributes
}

fn windowed(window: &Window) -> Attributes {
    let mut attributes = vec![("window_dimensions", ints(&window.size))];
    push_unless_ones(&mut attributes, "window_strides", &window.strides);
    push_unless_ones(&mut attributes, "base_dilations", &window.base_dilations);
    push_unless_ones(
        &mut attributes,
        "window_dilations",
        &window.window_dilations,
    );
    if window.padding.iter().any(|p| *p != [0, 0]) {
        attributes.push(("padding", pairs(&window.padding)));
    }
    attributes
}

/// Attributes that say nothing (all 1) are left out.
fn push_unless_ones(attributes: &mut Attributes, name: &'static str, values: &[i64]) {
    if values.iter().any(|&v| v != 1) {
        attributes.push((name, ints(values)));
    }
}
