//! Result types of operations that index by values.

use super::{Refusal, check_dims};
use crate::stablehlo::op::{Gather, Scatter};
use crate::stablehlo::types::TensorType;

/// Refuses unless there is one integer scalar per dimension, all of one type.
fn check_starts(
    labels: [&str; 2],
    starts: &[&TensorType],
    operand: &TensorType,
) -> Result<(), Refusal> {
    let [count, types] = labels;
    if starts.len() != operand.rank() {
        return Err(format!(
            "{count} {} start indices for {operand}",
            starts.len()
        ));
    }
    for start in starts {
        if start.rank() != 0 || !is_index(start) || *start != starts[0] {
            return Err(format!(
                "{types} start index {start} is no integer scalar of one type"
            ));
        }
    }
    Ok(())
}

fn is_index(ty: &TensorType) -> bool {
    !ty.element.is_float() && ty.element.bits() > 1
}

pub(super) fn dynamic_slice(
    operands: &[&TensorType],
    sizes: &[i64],
) -> Result<TensorType, Refusal> {
    let [operand, starts @ ..] = operands else {
        return Err("takes an operand".to_owned());
    };
    check_starts(["(C2)", "(C3)"], starts, operand)?;
    check_slice("(C2, C4)", sizes, operand)?;
    Ok(operand.with_shape(sizes))
}

pub(super) fn dynamic_update_slice(operands: &[&TensorType]) -> Result<TensorType, Refusal> {
    let [operand, update, starts @ ..] = operands else {
        return Err("takes an operand and an update".to_owned());
    };
    check_starts(["(C4)", "(C5)"], starts, operand)?;
    if update.element != operand.element || update.rank() != operand.rank() {
        return Err(format!("(C2, C3) update {update} does not fit {operand}"));
    }
    check_slice("(C6)", &update.shape, operand)?;
    Ok((*operand).clone())
}

/// Refuses slices that are larger than the operand.
fn check_slice(label: &str, sizes: &[i64], operand: &TensorType) -> Result<(), Refusal> {
    let fits = sizes.len() == operand.rank()
        && sizes
            .iter()
            .zip(&operand.shape)
            .all(|(&size, &whole)| (0..=whole).contains(&size));
    if fits {
        Ok(())
    } else {
        Err(format!("{label} sizes {sizes:?} are no slice of {operand}"))
    }
}

fn check_sorted(label: &str, what: &str, dims: &[usize]) -> Result<(), Refusal> {
    if dims.is_sorted() {
        Ok(())
    } else {
        Err(format!("{label} {what} {dims:?} are not sorted"))
    }
}

/// How the indices of a gather or scatter address a tensor, with the labels of
/// the constraints in the one or the other.
struct Addressing<'a> {
    labels: &'a Labels,
    /// The tensor that is addressed.
    operand: &'a TensorType,
    indices: &'a TensorType,
    /// Dimensions of slices that are left out.
    removed: &'a [usize],
    batching: &'a [usize],
    indices_batching: &'a [usize],
    map: &'a [usize],
    vector: usize,
}

struct Labels {
    vector: &'static str,
    components: &'static str,
    removed_unique: &'static str,
    removed_sorted: &'static str,
    removed: &'static str,
    batching_sorted: &'static str,
    batching: &'static str,
    indices_batching: &'static str,
    vector_apart: &'static str,
    sizes: &'static str,
    map_unique: &'static str,
    map: &'static str,
}

const GATHER: Labels = Labels {
    vector: "(C2)",
    components: "(C3)",
    removed_unique: "(C6)",
    removed_sorted: "(C7)",
    removed: "(C8)",
    batching_sorted: "(C10)",
    batching: "(C11)",
    indices_batching: "(C13, C14)",
    vector_apart: "(C15)",
    sizes: "(C16, C17)",
    map_unique: "(C18)",
    map: "(C19)",
};

const SCATTER: Labels = Labels {
    vector: "(C22)",
    components: "(C19)",
    removed_unique: "(C9)",
    removed_sorted: "(C10)",
    removed: "(C11)",
    batching_sorted: "(C12)",
    batching: "(C13)",
    indices_batching: "(C14, C15)",
    vector_apart: "(C16)",
    sizes: "(C17, C18)",
    map_unique: "(C20)",
    map: "(C21)",
};

impl Addressing<'_> {
    fn check(&self) -> Result<(), Refusal> {
        let Addressing {
            labels,
            operand,
            indices,
            vector,
            ..
        } = *self;
        if !is_index(indices) {
            return Err(format!("indices {indices} are no integers"));
        }
        if vector > indices.rank() {
            return Err(format!(
                "{} index_vector_dim {vector} exceeds the rank of {indices}",
                labels.vector
            ));
        }
        let components = indices.shape.get(vector).copied().unwrap_or(1);
        if components != self.map.len() as i64 {
            return Err(format!(
                "{} indices of {components} components are mapped to {:?}",
                labels.components, self.map
            ));
        }
        let rank = operand.rank();
        check_sorted(labels.removed_sorted, "dimensions", self.removed)?;
        check_sorted(labels.batching_sorted, "batching dimensions", self.batching)?;
        check_dims(labels.removed, self.removed, rank)?;
        check_dims(labels.batching, self.batching, rank)?;
        check_dims(labels.map, self.map, rank)?;
        let apart = |label: &str, dims: &[usize]| -> Result<(), Refusal> {
            let all: Vec<usize> = dims.iter().chain(self.batching).copied().collect();
            check_dims(&format!("{label} dimensions"), &all, rank)
        };
        apart(labels.removed_unique, self.removed)?;
        apart(labels.map_unique, self.map)?;
        check_dims(
            labels.indices_batching,
            self.indices_batching,
            indices.rank(),
        )?;
        if self.indices_batching.contains(&vector) {
            return Err(format!(
                "{} index_vector_dim {vector} is a batching dimension",
                labels.vector_apart
            ));
        }
        let sizes = |ty: &TensorType, dims: &[usize]| -> Vec<i64> {
            dims.iter().map(|&dim| ty.shape[dim]).collect()
        };
        let (a, b) = (
            sizes(operand, self.batching),
            sizes(indices, self.indices_batching),
        );
        if a != b {
            return Err(format!(
                "{} batching dimensions have sizes {a:?} and {b:?}",
                labels.sizes
            ));
        }
        Ok(())
    }

    /// Sizes of the dimensions of the indices that number slices.
    fn batch(&self) -> Vec<i64> {
        let sizes = self.indices.shape.iter().enumerate();
        sizes
            .filter(|(dim, _)| *dim != self.vector)
            .map(|(_, &size)| size)
            .collect()
    }

    /// Dimensions of the operand that remain in slices.
    fn kept(&self) -> Vec<usize> {
        (0..self.operand.rank())
            .filter(|dim| !self.removed.contains(dim) && !self.batching.contains(dim))
            .collect()
    }
}

/// `window` at the axes in `dims`, `batch` at the others.
fn combine(batch: &[i64], window: &[i64], dims: &[usize]) -> Vec<i64> {
    let (mut batch, mut window) = (batch.iter(), window.iter());
    let rank = batch.len() + window.len();
    (0..rank)
        .filter_map(|dim| match dims.contains(&dim) {
            true => window.next(),
            false => batch.next(),
        })
        .copied()
        .collect()
}

pub(super) fn gather(
    gather: &Gather,
    operand: &TensorType,
    indices: &TensorType,
) -> Result<TensorType, Refusal> {
    let addressing = Addressing {
        labels: &GATHER,
        operand,
        indices,
        removed: &gather.collapsed_slice_dims,
        batching: &gather.operand_batching_dims,
        indices_batching: &gather.start_indices_batching_dims,
        map: &gather.start_index_map,
        vector: gather.index_vector_dim,
    };
    addressing.check()?;
    let sizes = &gather.slice_sizes;
    check_slice("(C20, C21)", sizes, operand)?;
    for (label, dims) in [
        ("(C9)", &gather.collapsed_slice_dims),
        ("(C12)", &gather.operand_batching_dims),
    ] {
        if let Some(dim) = dims.iter().find(|&&dim| sizes[dim] > 1) {
            return Err(format!(
                "{label} dimension {dim} vanishes, but slices have {} there",
                sizes[*dim]
            ));
        }
    }
    let kept = addressing.kept();
    if kept.len() != gather.offset_dims.len() {
        return Err(format!(
            "(C1) slices have {} dimensions, offset_dims are {:?}",
            kept.len(),
            gather.offset_dims
        ));
    }
    let batch = addressing.batch();
    check_sorted("(C4)", "offset_dims", &gather.offset_dims)?;
    let rank = batch.len() + kept.len();
    check_dims("(C4, C5) offset_dims", &gather.offset_dims, rank)?;
    let window: Vec<i64> = kept.iter().map(|&dim| sizes[dim]).collect();
    Ok(operand.with_shape(combine(&batch, &window, &gather.offset_dims)))
}

pub(super) fn scatter(
    scatter: &Scatter,
    input: &TensorType,
    indices: &TensorType,
    updates: &TensorType,
) -> Result<TensorType, Refusal> {
    let addressing = Addressing {
        labels: &SCATTER,
        operand: input,
        indices,
        removed: &scatter.inserted_window_dims,
        batching: &scatter.input_batching_dims,
        indices_batching: &scatter.scatter_indices_batching_dims,
        map: &scatter.scatter_dims_to_operand_dims,
        vector: scatter.index_vector_dim,
    };
    addressing.check()?;
    if updates.element != input.element {
        return Err(format!("(C6) updates {updates} do not fit {input}"));
    }
    if let Some(reducer) = scatter.reducer {
        super::window::check_reducer(reducer, input)?;
    }
    let dims = &scatter.update_window_dims;
    let kept = addressing.kept();
    if kept.len() != dims.len() {
        return Err(format!(
            "(C2) slices have {} dimensions, update_window_dims are {dims:?}",
            kept.len()
        ));
    }
    let batch = addressing.batch();
    check_sorted("(C7)", "update_window_dims", dims)?;
    check_dims("(C7, C8) update_window_dims", dims, updates.rank())?;
    let window: Vec<i64> = dims.iter().map(|&dim| updates.shape[dim]).collect();
    let within = kept
        .iter()
        .zip(&window)
        .all(|(&dim, &size)| size <= input.shape[dim]);
    if !within || combine(&batch, &window, dims) != updates.shape {
        return Err(format!(
            "(C4) updates {updates} do not fit {input} at indices {indices}"
        ));
    }
    Ok(input.clone())
}
