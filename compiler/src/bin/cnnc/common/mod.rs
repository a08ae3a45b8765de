//! What the verbs share.

pub mod backend;
pub mod console;
pub mod costs;
pub mod cpu;
pub mod data;
pub mod engine;
pub mod failure;
pub mod input;
pub mod interrupt;
pub mod library;
pub mod net;
pub mod output;
pub mod places;
pub mod progress;

pub use console::Console;
pub use failure::Failure;
