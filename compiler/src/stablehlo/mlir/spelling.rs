//! Attributes of each operation, as text.

use super::attribute::Attribute;
use super::constant;
use crate::stablehlo::op::{Compound, Convolution, DotGeneral, Gather, Op, Scatter, Window};

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
        Op::DynamicSlice { sizes } => vec![("slice_sizes", ints(sizes))],
        Op::Gather(gather) => vec![
            ("dimension_numbers", gather_text(gather)),
            ("slice_sizes", ints(&gather.slice_sizes)),
            ("indices_are_sorted", gather.indices_are_sorted.to_string()),
        ],
        Op::Scatter(scatter) => vec![
            ("scatter_dimension_numbers", scatter_text(scatter)),
            ("indices_are_sorted", scatter.indices_are_sorted.to_string()),
            ("unique_indices", scatter.unique_indices.to_string()),
        ],
        Op::DotGeneral(dot) => vec![("dot_dimension_numbers", dot_text(dot))],
        Op::Convolution(conv) => convolution(conv),
        Op::ReduceWindow { window, .. } | Op::SelectAndScatter { window } => windowed(window),
        Op::Unary(_)
        | Op::Binary(_)
        | Op::Select
        | Op::Clamp
        | Op::Convert(_)
        | Op::BitcastConvert(_)
        | Op::DynamicUpdateSlice
        | Op::Reshape { .. } => vec![],
        Op::Compound { op, .. } => compound(op),
    }
}

fn compound(op: &Compound) -> Attributes {
    match op {
        Compound::Reduce { dims, .. } => vec![("dimensions", indices(dims))],
        Compound::Sort { dim, stable, .. } => vec![
            ("dimension", int(*dim as i64)),
            ("is_stable", stable.to_string()),
        ],
        Compound::Barrier
        | Compound::Case { .. }
        | Compound::If { .. }
        | Compound::While { .. } => vec![],
    }
}

fn gather_text(gather: &Gather) -> String {
    format!(
        "#stablehlo.gather<{}>",
        numbers(
            [
                ("offset_dims", &gather.offset_dims),
                ("collapsed_slice_dims", &gather.collapsed_slice_dims),
                ("operand_batching_dims", &gather.operand_batching_dims),
                (
                    "start_indices_batching_dims",
                    &gather.start_indices_batching_dims
                ),
                ("start_index_map", &gather.start_index_map),
            ],
            gather.index_vector_dim
        )
    )
}

fn scatter_text(scatter: &Scatter) -> String {
    format!(
        "#stablehlo.scatter<{}>",
        numbers(
            [
                ("update_window_dims", &scatter.update_window_dims),
                ("inserted_window_dims", &scatter.inserted_window_dims),
                ("input_batching_dims", &scatter.input_batching_dims),
                (
                    "scatter_indices_batching_dims",
                    &scatter.scatter_indices_batching_dims
                ),
                (
                    "scatter_dims_to_operand_dims",
                    &scatter.scatter_dims_to_operand_dims
                ),
            ],
            scatter.index_vector_dim
        )
    )
}

/// Entries in the order of the dialect's printer, without empty lists.
fn numbers(lists: [(&str, &Vec<usize>); 5], vector: usize) -> String {
    let lists = lists.iter().filter(|(_, dims)| !dims.is_empty());
    let mut entries: Vec<String> = lists
        .map(|(name, dims)| format!("{name} = {dims:?}"))
        .collect();
    entries.push(format!("index_vector_dim = {vector}"));
    entries.join(", ")
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
