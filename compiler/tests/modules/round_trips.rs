//! Text and module are the same thing.

use cnnc::iree::Target;
use cnnc::stablehlo::{Location, Module, mlir};

use crate::{BATCH, NETS, iree, lines, unit};

/// Every module, portable and tuned.
fn modules() -> Vec<(String, Module)> {
    let mut modules = Vec::new();
    for net in NETS {
        let unit = unit(net);
        modules.push((
            format!("{net}, portable"),
            unit.portable(BATCH, &[]).unwrap(),
        ));
        modules.push((
            format!("{net}, tuned"),
            unit.tuned(BATCH, &[], Target::Cpu).unwrap(),
        ));
    }
    modules
}

fn all_lines(module: &Module) -> Vec<Vec<String>> {
    module.functions.iter().map(lines).collect()
}

fn locations(module: &Module) -> Vec<&Location> {
    let bodies = module.functions.iter().flat_map(|f| &f.body);
    bodies.map(|i| &i.location).collect()
}

#[test]
fn what_is_printed_is_read_back() {
    for (name, module) in modules() {
        let text = mlir::print(&module).unwrap();
        let read = mlir::parse(&text).unwrap();
        assert_eq!(read.name, module.name);
        assert_eq!(read.attributes, module.attributes, "{name}");
        assert_eq!(all_lines(&read), all_lines(&module), "{name}");
        assert_eq!(locations(&read), locations(&module), "{name}");
        // Values are numbered densely now, so that equality is plain.
        assert_eq!(
            mlir::parse(&mlir::print(&read).unwrap()).unwrap(),
            read,
            "{name}"
        );
    }
}

#[test]
fn printing_is_repeatable() {
    for ((name, first), (_, second)) in modules().into_iter().zip(modules()) {
        let text = mlir::print(&first).unwrap();
        assert_eq!(mlir::print(&first).unwrap(), text, "{name}: printed twice");
        assert_eq!(mlir::print(&second).unwrap(), text, "{name}: built twice");
        assert_eq!(
            mlir::print(&mlir::parse(&text).unwrap()).unwrap(),
            text,
            "{name}: read back"
        );
    }
}

#[test]
fn pretty_text_is_read_back() {
    let iree = iree();
    for (name, module) in modules() {
        let text = mlir::print(&module).unwrap();
        let pretty = iree.pretty(&text, "").unwrap();
        assert_eq!(
            iree.pretty(&text, "").unwrap(),
            pretty,
            "{name}: printed twice"
        );
        assert_eq!(
            iree.pretty(&pretty, "").unwrap(),
            pretty,
            "{name}: read back"
        );
        let read = mlir::parse(&iree.generic(&pretty).unwrap()).unwrap();
        assert_eq!(read.name, module.name);
        assert_eq!(read.attributes, module.attributes, "{name}");
        assert_eq!(all_lines(&read), all_lines(&module), "{name}");
    }
}
