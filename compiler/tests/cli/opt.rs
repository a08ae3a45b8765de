//! `cnnc-opt`: passes on texts.

use super::run::{CNNC, CNNC_OPT, Folder, LINEAR};

const MODULE: &str = "module @m {
  func.func @f(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.multiply %a, %b : tensor<3xf32>
    %1 = stablehlo.add %a, %b : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
";

#[test]
fn nothing_to_do() {
    let text = Folder::new().piped(CNNC_OPT, "-", MODULE).success();
    let expected = MODULE.replace("%a", "%arg0").replace("%b", "%arg1");
    assert_eq!(text, expected);
}

#[test]
fn a_gradient() {
    let folder = Folder::new();
    let words = "- --grad=wrt:0,1 --pass=simplify";
    insta::assert_snapshot!(folder.piped(CNNC_OPT, words, MODULE).success());
    let one = folder.piped(
        CNNC_OPT,
        "- --grad=wrt:1;of=f --pass=autodiff,simplify",
        MODULE,
    );
    let text = one.success();
    assert!(
        text.contains("@f_grad(") && text.contains("-> tensor<3xf32> {"),
        "{text}"
    );
}

#[test]
fn both_forms_are_read() {
    let folder = Folder::new();
    let generic = folder.piped(CNNC_OPT, "- --emit=generic", MODULE).success();
    assert!(generic.contains("\"builtin.module\"("), "{generic}");
    let pretty = folder.piped(CNNC_OPT, "-", &generic).success();
    assert_eq!(pretty, folder.piped(CNNC_OPT, "-", MODULE).success());
}

#[test]
fn the_passes_of_the_tuning_are_the_tuning() {
    let folder = Folder::new();
    let module = folder.piped(CNNC, "- --emit=step", LINEAR).success();
    let names: Vec<&str> = cnnc::tune::passes(cnnc::tune::Target::Cpu)
        .iter()
        .map(|pass| pass.name)
        .collect();
    let words = format!("- --pass={}", names.join(","));
    let alone = folder.piped(CNNC_OPT, &words, &module).success();
    let tuned = folder.piped(CNNC_OPT, "- --pass=tune", &module).success();
    // The whole tuning also writes the target into the manifest.
    assert_eq!(tuned.replace(", target = \"cpu\"", ""), alone);
}

#[test]
fn every_pass_runs_alone() {
    let folder = Folder::new();
    folder.write("f.mlir", MODULE);
    for line in folder.opt("--list-passes").success().lines() {
        let name = line.split_whitespace().next().unwrap();
        let text = folder.opt(&format!("f.mlir --pass={name}")).success();
        assert!(text.starts_with("module @m"), "{name}: {text}");
    }
}

#[test]
fn the_module_after_each_pass() {
    let folder = Folder::new();
    let outcome = folder.piped(
        CNNC_OPT,
        "- --pass=drop-unused,simplify --print-after-all",
        MODULE,
    );
    let headers: Vec<&str> = outcome
        .stderr
        .lines()
        .filter(|l| l.starts_with("// "))
        .collect();
    assert_eq!(
        headers,
        [
            "// ----- after drop-unused ----- //",
            "// ----- after simplify ----- //"
        ]
    );
    assert!(
        !outcome.stderr.contains("stablehlo.add"),
        "{}",
        outcome.stderr
    );
    outcome.success();
}

#[test]
fn several_modules_in_a_file() {
    let folder = Folder::new();
    let text = format!("{MODULE}// -----\n{}", MODULE.replace("@m", "@n"));
    let result = folder
        .piped(CNNC_OPT, "- --split-input-file", &text)
        .success();
    let names: Vec<&str> = result
        .lines()
        .filter(|l| l.starts_with("module") || l.starts_with("//"))
        .collect();
    assert_eq!(names, ["module @m {", "// -----", "module @n {"]);
    let text = text.replace("@n {\n", "@n {\n  hello\n");
    let error = folder
        .piped(CNNC_OPT, "- --split-input-file", &text)
        .one_line();
    assert!(error.starts_with("<stdin>:10:"), "{error}");
}

#[test]
fn errors() {
    let folder = Folder::new();
    folder.write("f.mlir", MODULE);
    folder.write(
        "shape.mlir",
        MODULE.replace("%b: tensor<3xf32>", "%b: tensor<4xf32>"),
    );
    let rounded = "reduce_precision %a, format = e8m23";
    folder.write("round.mlir", MODULE.replace("add %a, %b", rounded));
    folder.write("text.mlir", "hello");
    for (words, told) in [
        ("shape.mlir", "shape.mlir:3:33: error: use of value '%b'"),
        (
            "round.mlir",
            "round.mlir:4:10: error: unknown operation `stablehlo.reduce_precision`",
        ),
        ("text.mlir", "text.mlir:1:1: error: "),
        (
            "f.mlir --grad=wrt:7",
            "f.mlir: error: autodiff: `@f` has no argument 7",
        ),
        (
            "f.mlir --grad=of=g",
            "error: the module has no function `@g`; it has @f",
        ),
    ] {
        let error = folder.opt(words).one_line();
        assert!(error.starts_with(told), "{words}: {error}");
    }
    let error = folder.opt("f.mlir --pass=simplifi").one_error(2);
    assert!(error.contains("did you mean `simplify`?"), "{error}");
    folder.opt("none.mlir").one_error(1);
    folder.opt("f.mlir -o no/such/g.mlir").one_error(1);
    folder.opt("").one_error(2);
    assert_eq!(
        folder.names(),
        ["f.mlir", "round.mlir", "shape.mlir", "text.mlir"]
    );
}
