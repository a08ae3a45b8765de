//! Files that import others, and nets with hyper-parameters.

use super::run::{CNNC, Folder};
use std::fs;

const MODEL: &str = "import \"../blocks.net\";

net small(classes=10) {
    input image: f32[N, 1, 8, 8];
    image |> stem(4) |> flatten |> dense(classes)
}
net large(classes=10) {
    input image: f32[N, 1, 8, 8];
    image |> stem(8) |> repeat 2 { stem(8) } |> flatten |> dense(classes)
}
";

const BLOCKS: &str = "block stem(c) {
    input x;
    x |> conv(c, kernel=3) |> relu
}
";

/// `nets/model.net`, and what it imports.
fn folder(blocks: &str) -> Folder {
    let folder = Folder::new();
    fs::create_dir(folder.path("nets")).unwrap();
    folder.write("nets/model.net", MODEL);
    folder.write("blocks.net", blocks);
    folder
}

/// Parameters of a net of the model.
fn parameters(words: &str) -> i64 {
    let words = format!("summary nets/model.net --json {words}");
    let text = folder(BLOCKS).cnnc(&words).success();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    value["parameters"].as_i64().unwrap()
}

// Stems of 1 * 9 * c + c, then c * 9 * c + c; 64 c * classes + classes.
#[test]
fn paths_are_relative_to_the_importing_file() {
    assert_eq!(parameters("--net small"), 40 + 2570);
    assert_eq!(parameters(""), 80 + 2 * 584 + 5130);
    assert_eq!(parameters("--net large(classes=3)"), 80 + 2 * 584 + 1539);
    assert_eq!(
        parameters("--net large(3) --set classes=2"),
        80 + 2 * 584 + 1026
    );
}

#[test]
fn an_error_names_the_imported_file_and_the_use() {
    let folder = folder(&BLOCKS.replace("kernel=3", "kernel=x.heigth"));
    let error = folder.cnnc("summary nets/model.net --net small").failure(1);
    assert!(error.contains("--> blocks.net:3:27\n"), "{error}");
    assert!(error.contains("--> nets/model.net:5:14\n"), "{error}");
    assert!(error.contains("help: did you mean `height`?"), "{error}");
}

#[test]
fn a_syntax_error_names_the_imported_file() {
    let folder = folder(&BLOCKS.replace("input x;", "input x"));
    let error = folder.cnnc("nets/model.net -o a.mlir").failure(1);
    assert!(error.contains("--> blocks.net:2:12\n"), "{error}");
}

#[test]
fn imports_that_cannot_be_read() {
    let folder = folder(BLOCKS);
    for (path, reason) in [
        ("none.net", "No such file or directory (os error 2)"),
        ("nets", "it is a folder"),
        ("bytes.net", "it is no text"),
    ] {
        folder.write("bytes.net", b"block a { \xff }");
        folder.write("a.net", MODEL.replace("../blocks.net", path));
        let error = folder.cnnc("summary a.net").failure(1);
        let expected = format!("error[E0212]: `{path}` cannot be imported: {reason}\n");
        assert!(error.starts_with(&expected), "{error}");
    }
}

#[test]
fn stdin_imports_from_the_working_directory() {
    let folder = folder(BLOCKS);
    let source = MODEL.replace("../blocks.net", "blocks.net");
    let piped = folder.piped(CNNC, "summary - --json", &source).success();
    let named = folder.cnnc("summary nets/model.net --json").success();
    assert_eq!(piped, named);
}

#[test]
fn an_expanded_network_expands_to_itself() {
    let folder = folder(BLOCKS);
    let expanded = folder.cnnc("nets/model.net --emit=network").success();
    assert!(
        expanded.contains("let stem3.conv1 = stem2.relu1 |> conv(8, kernel=3);"),
        "{expanded}"
    );
    folder.write("expanded.net", &expanded);
    assert_eq!(
        folder.cnnc("expanded.net --emit=network").success(),
        expanded
    );
}
