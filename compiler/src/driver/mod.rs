//! From the text of a `.net` file to what a user asked for: syntax trees,
//! networks, StableHLO, compiled programs. Text in, text or bytes out; only
//! IREE's compiler is called, and nothing is read or written here.

mod codes;
mod compile;
mod error;
mod kind;
mod place;
mod reflection;

pub use codes::{every_code, explain};
pub use compile::{Backend, Unit, fingerprint, parse, read, read_with};
pub use error::Error;
pub use kind::Kind;
pub use reflection::{embed, manifest_json};
