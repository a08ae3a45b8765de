//! Which of several forms a convolution takes: by what is known of its kind
//! and size, or by what was measured on this machine.

mod costs;
mod form;
mod question;
mod site;

pub use costs::Costs;
pub use form::Form;
pub use question::{Question, questions};
pub(super) use site::{Site, Sizes};
