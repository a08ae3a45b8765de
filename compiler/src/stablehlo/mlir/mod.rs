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
mod spelled;
mod spelling;

pub use export::print;
pub use import::parse;

use melior::Context;
use melior::dialect::DialectHandle;

/// Marks instructions that reverse mode treats as constants.
pub const STOP_GRADIENT: &str = "cnnc.stop_gradient";
/// Names arguments and results.
pub const NAME: &str = "cnnc.name";

/// Whether `text` is in MLIR's generic form: its first line that is neither
/// blank nor a comment nor an alias begins with a quoted operation.
pub fn is_generic(text: &str) -> bool {
    text.lines()
        .map(str::trim_start)
        .find(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with('#'))
        .is_some_and(|line| line.starts_with('"'))
}

fn context() -> Context {
    let context = Context::new_with_threading(false);
    DialectHandle::func().register_dialect(&context);
    DialectHandle::func().load_dialect(&context);
    context.set_allow_unregistered_dialects(true);
    context
}

#[cfg(test)]
mod tests {
    use super::is_generic;

    #[test]
    fn forms_are_told_apart_by_the_first_operation() {
        assert!(is_generic(
            "// a\n\n#loc = loc(unknown)\n\"builtin.module\"() ({"
        ));
        assert!(!is_generic("// \"builtin.module\"(\nmodule @m {"));
        assert!(!is_generic(""));
    }
}
