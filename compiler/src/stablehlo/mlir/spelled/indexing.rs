//! The dimension numbers of gathers and scatters.

use std::collections::HashMap;

use super::regions::{Body, listed};
use super::{Reader, Texts};
use crate::stablehlo::infer::Refusal;
use crate::stablehlo::op::{Gather, Reducer, Scatter};

/// Lists by name, and the dimension that holds the components of an index.
/// What is empty or 0 may be left out.
struct Numbers {
    lists: HashMap<String, Vec<usize>>,
    vector: usize,
}

impl Numbers {
    fn parse(text: &str, open: &str, known: [&str; 5]) -> Result<Self, Refusal> {
        let mut numbers = Numbers {
            lists: HashMap::new(),
            vector: 0,
        };
        let mut reader = Reader::new(text);
        let size = |value: i64| {
            usize::try_from(value).map_err(|_| format!("{value} is no dimension in `{text}`"))
        };
        reader.list(open, ">", |r| {
            let key = r.word()?.to_owned();
            r.expect("=")?;
            if key == "index_vector_dim" {
                numbers.vector = size(r.int()?)?;
            } else if known.contains(&key.as_str()) {
                let dims = r.list("[", "]", |r| size(r.int()?))?;
                numbers.lists.insert(key, dims);
            } else {
                return Err(format!("unknown entry `{key}`"));
            }
            Ok(())
        })?;
        Ok(numbers)
    }

    fn take(&mut self, name: &str) -> Vec<usize> {
        self.lists.remove(name).unwrap_or_default()
    }
}

pub(super) fn gather(texts: &Texts) -> Result<Gather, Refusal> {
    let text = texts.text("dimension_numbers")?;
    let known = [
        "offset_dims",
        "collapsed_slice_dims",
        "operand_batching_dims",
        "start_indices_batching_dims",
        "start_index_map",
    ];
    let mut numbers = Numbers::parse(text, "#stablehlo.gather<", known)?;
    Ok(Gather {
        offset_dims: numbers.take("offset_dims"),
        collapsed_slice_dims: numbers.take("collapsed_slice_dims"),
        operand_batching_dims: numbers.take("operand_batching_dims"),
        start_indices_batching_dims: numbers.take("start_indices_batching_dims"),
        start_index_map: numbers.take("start_index_map"),
        index_vector_dim: numbers.vector,
        slice_sizes: texts.ints("slice_sizes")?,
        indices_are_sorted: texts.flag("indices_are_sorted")?,
    })
}

pub(super) fn scatter(texts: &Texts, bodies: &[Body]) -> Result<Scatter, Refusal> {
    let text = texts.text("scatter_dimension_numbers")?;
    let known = [
        "update_window_dims",
        "inserted_window_dims",
        "input_batching_dims",
        "scatter_indices_batching_dims",
        "scatter_dims_to_operand_dims",
    ];
    let mut numbers = Numbers::parse(text, "#stablehlo.scatter<", known)?;
    let reducer = match bodies {
        [Body::Second] => None,
        [body] if body.reducer().is_some() => body.reducer(),
        _ => {
            let names: Vec<&str> = Reducer::ALL.iter().map(|r| r.name()).collect();
            return Err(format!(
                "only updates that replace, or by {}, are known here, not by {}",
                names.join(", "),
                listed(bodies)
            ));
        }
    };
    Ok(Scatter {
        update_window_dims: numbers.take("update_window_dims"),
        inserted_window_dims: numbers.take("inserted_window_dims"),
        input_batching_dims: numbers.take("input_batching_dims"),
        scatter_indices_batching_dims: numbers.take("scatter_indices_batching_dims"),
        scatter_dims_to_operand_dims: numbers.take("scatter_dims_to_operand_dims"),
        index_vector_dim: numbers.vector,
        indices_are_sorted: texts.flag("indices_are_sorted")?,
        unique_indices: texts.flag("unique_indices")?,
        reducer,
    })
}
