//! The manifest inside a compiled program: each public function carries it as
//! JSON in `iree.reflection`, where the runtime finds it again.

use serde_json::{Map, Value as Json};

use crate::iree::Target;
use crate::manifest;
use crate::stablehlo::Module;
use crate::stablehlo::mlir::attribute::Attribute;

/// Name of IREE's attribute for what a program says of its functions.
pub const REFLECTION: &str = "iree.reflection";

/// The module's manifest as JSON on one line, with what it was compiled for.
/// `processor` is LLVM's name of the CPU or IREE's of the GPU, if it is for one kind only.
pub fn manifest_json(module: &Module, target: Target, processor: Option<&str>) -> String {
    let mut entries = match module.attribute(manifest::ATTRIBUTE).map(json) {
        Some(Json::Object(entries)) => entries,
        _ => Map::new(),
    };
    entries.insert("target".to_owned(), target.name().into());
    if let Some(processor) = processor {
        let key = match target {
            Target::Cpu => "cpu",
            _ => "gpu",
        };
        entries.insert(key.to_owned(), processor.into());
    }
    Json::Object(entries).to_string()
}

/// The module with its manifest in every function.
pub fn embed(module: &Module, target: Target, processor: Option<&str>) -> Module {
    let text = Attribute::String(manifest_json(module, target, processor));
    let mut module = module.clone();
    for function in &mut module.functions {
        function.attributes.retain(|(name, _)| name != REFLECTION);
        let entry = (format!("\"{}\"", manifest::ATTRIBUTE), text.clone());
        let reflection = Attribute::Dict(vec![entry]);
        function
            .attributes
            .push((REFLECTION.to_owned(), reflection));
    }
    module
}

/// An attribute as JSON; numbers that JSON lacks become `null`.
fn json(attribute: &Attribute) -> Json {
    match attribute {
        Attribute::Unit => Json::Null,
        Attribute::Bool(value) => Json::Bool(*value),
        Attribute::Int(value) => Json::from(*value),
        Attribute::Float(value) => Json::from(*value),
        Attribute::String(text) => Json::from(text.as_str()),
        Attribute::Ints(values) => Json::from(values.as_slice()),
        Attribute::Array(items) => items.iter().map(json).collect(),
        Attribute::Dict(entries) => entries
            .iter()
            .map(|(key, value)| (key.trim_matches('"').to_owned(), json(value)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stablehlo::Function;

    fn module() -> Module {
        let manifest = Attribute::dict([
            ("version", Attribute::Int(1)),
            ("net", Attribute::String("a \"b\"".to_owned())),
            ("state", Attribute::Array(vec![])),
            (
                "parameters",
                Attribute::Array(vec![Attribute::dict([
                    ("shape", Attribute::Ints(vec![3, 1])),
                    ("lr", Attribute::Float(0.5)),
                ])]),
            ),
        ]);
        Module {
            name: "a".to_owned(),
            attributes: vec![(manifest::ATTRIBUTE.to_owned(), manifest)],
            functions: vec![Function::new("init"), Function::new("forward")],
        }
    }

    #[test]
    fn the_manifest_is_json() {
        let text = manifest_json(&module(), Target::Cpu, Some("znver4"));
        let value: Json = serde_json::from_str(&text).unwrap();
        let expected = serde_json::json!({
            "version": 1, "net": "a \"b\"", "state": [], "target": "cpu", "cpu": "znver4",
            "parameters": [{"shape": [3, 1], "lr": 0.5}],
        });
        assert_eq!(value, expected);
    }

    #[test]
    fn a_gpu_is_no_cpu() {
        let read = |text: String| serde_json::from_str::<Json>(&text).unwrap();
        let value = read(manifest_json(&module(), Target::Rocm, Some("gfx942")));
        assert_eq!(
            (&value["target"], &value["gpu"]),
            (&"rocm".into(), &"gfx942".into())
        );
        assert_eq!(value["cpu"], Json::Null);
        let value = read(manifest_json(&module(), Target::Vulkan, None));
        assert_eq!(
            (&value["target"], &value["gpu"]),
            (&"vulkan".into(), &Json::Null)
        );
    }

    #[test]
    fn every_function_carries_it_once() {
        let once = embed(&module(), Target::Cpu, Some("generic"));
        let twice = embed(&once, Target::Cpu, Some("znver4"));
        assert_eq!(once.functions.len(), 2);
        for function in &twice.functions {
            let [(name, attribute)] = function.attributes.as_slice() else {
                panic!("{:?}", function.attributes);
            };
            assert_eq!(name, REFLECTION);
            let text = attribute
                .get("\"cnnc.manifest\"")
                .and_then(Attribute::as_str)
                .unwrap();
            assert!(text.contains("\"cpu\":\"znver4\""), "{text}");
        }
    }
}
