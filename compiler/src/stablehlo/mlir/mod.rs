//! The door between typed functions and MLIR: the only room that spells an
//! attribute or touches melior.
//!
//! [`print`](print()) gives the generic form with locations, which IREE
//! verifies and prints prettily; [`parse`] reads the generic form back.

pub mod attribute;
mod constant;
mod export;
mod import;
mod reader;
mod spelling;

pub use export::print;
pub use import::parse;

use melior::Context;
use melior::dialect::DialectHandle;

/// Marks instructions that reverse mode treats as constants.
pub const STOP_GRADIENT: &str = "cnnc.stop_gradient";
/// Names arguments and results.
pub const NAME: &str = "cnnc.name";

fn context() -> Context {
    let context = Context::new_with_threading(false);
    DialectHandle::func().register_dialect(&context);
    DialectHandle::func().load_dialect(&context);
    context.set_allow_unregistered_dialects(true);
    context
}
