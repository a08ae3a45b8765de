//! Certificates: what the text of a module says is checked against what it
//! should say, without a tolerance.
//!
//! A module is read back from the text that is shipped and interpreted over
//! the field of p = 2^61 - 1 elements ([`Exact`](crate::reference::Exact)).
//! Real values run beside the field elements and make every decision, so that
//! the elements evaluate one smooth piece of the network: the one that the
//! data point is on. Two formulas that differ there give equal elements with
//! probability degree / p ([`degree`]).
//!
//! - [`exact`]: the emitted gradient along a random direction equals the
//!   derivative of the emitted loss along it, which dual numbers give without
//!   any rule of reverse mode; the training step and the pullback follow.
//! - [`numeric`]: the same in f64 with a tolerance, for what a field cannot
//!   hold.
//! - [`search`]: where the derivative fails, the operation whose rule is wrong.
//! - [`tuning`]: two modules compute the same, layouts undone.
//! - [`execute`]: a compiled program returns the interpreter's integers bit
//!   for bit.
//! - [`audit`]: whether the data point has a derivative at all.

pub mod audit;
pub mod degree;
mod error;
pub mod exact;
pub mod execute;
mod kinks;
mod layout;
mod locations;
mod logits;
pub mod numeric;
pub mod point;
mod pullback;
mod random;
pub mod report;
pub mod search;
mod state;
mod step;
pub mod subject;
pub mod tuning;
pub mod twins;

pub use error::{Error, Result};
pub use exact::{Options, certify};
pub use layout::Stored;
pub use locations::borrow_locations;
pub use random::Random;
pub use report::{Certificate, Check, Verdict};
pub use state::Piece;
pub use subject::{Parameter, Subject, Values};
