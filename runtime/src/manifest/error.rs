//! What can be wrong with a manifest.

use thiserror::Error;

use super::{Dtype, VERSION};
use crate::layout::LayoutError;

/// Why a manifest is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ManifestError {
    /// No JSON, or not of this form.
    #[error("the program's manifest cannot be read: {message}")]
    Json {
        /// serde's message with line and column.
        message: String,
    },
    /// Written by another version of the compiler.
    #[error(
        "the program's manifest has version {found}, this runtime reads version {VERSION}: compile the network again"
    )]
    Version {
        /// As found, `none` when absent.
        found: String,
    },
    /// A number that must be at least 1.
    #[error("the program's manifest says {what} = 0, at least 1 is needed")]
    Zero {
        /// `batch`, `classes` or `accumulate`.
        what: &'static str,
    },
    /// Two variables share a name, or one has none.
    #[error("the program's manifest lists the name `{name}` twice or leaves it empty")]
    Name {
        /// The name.
        name: String,
    },
    /// An input is missing or has another shape than the runtime can feed.
    #[error("the program's input `{name}` is {found}, expected {expected}")]
    Input {
        /// `image` or `label`.
        name: &'static str,
        /// Type as found, or `missing`.
        found: String,
        /// Type as needed.
        expected: String,
    },
    /// A shape whose elements cannot be counted.
    #[error("`{name}` has shape {shape:?}: too many elements")]
    TooLarge {
        /// Variable or input.
        name: String,
        /// As found.
        shape: Vec<usize>,
    },
    /// State of the model after state of the optimizer.
    #[error(
        "the program's manifest lists `{name}`, which is state of the model, after state of the optimizer"
    )]
    Order {
        /// The piece of state.
        name: String,
    },
    /// State of something that is not there, or is of another form.
    #[error("the program's manifest says that `{name}` belongs to `{of}`, which is not {what}")]
    Owner {
        /// The piece of state.
        name: String,
        /// What it belongs to.
        of: String,
        /// What that should be.
        what: &'static str,
    },
    /// Results of `train_step` that this runtime does not know.
    #[error(
        "the program's `train_step` reports {found:?}, expected loss, correct and maybe gradient_norm"
    )]
    Metrics {
        /// As found.
        found: Vec<String>,
    },
    /// A parameter that is not f32.
    #[error("parameter `{name}` is {found}, expected f32")]
    ParameterType {
        /// The parameter.
        name: String,
        /// As found.
        found: Dtype,
    },
    /// A storage layout that does not fit its variable.
    #[error("storage layout of `{name}`: {source}")]
    Layout {
        /// The variable.
        name: String,
        /// What does not fit.
        source: LayoutError,
    },
}
