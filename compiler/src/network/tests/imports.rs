//! Files that import others.

use super::with_files;
use crate::network::{Files, Network, Options, SourceErrors};
use cnnc_grammar::diagnostics::render_in;
use std::cell::RefCell;

fn build(files: &[(&str, &str)]) -> Result<Network, SourceErrors> {
    let (source, others) = files.split_first().expect("a file");
    assert_eq!(source.0, "model.net");
    with_files(source.1, others, &Options::default())
}

fn check(name: &str, files: &[(&str, &str)]) {
    let errors = build(files).expect_err(name);
    let mut story = String::new();
    for (file, text) in files {
        story.push_str(&format!("FILE {file}\n{text}\n\n"));
    }
    let message = render_in(&errors.diagnostics, &errors.sources, false);
    story.push_str(&format!("MESSAGE\n{message}"));
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, story));
}

const BLOCKS: &str = "block pair(c) {
    input x;
    x |> once(c) |> once(c)
}
block once(c) {
    input x;
    x |> conv(c, kernel=3) |> relu
}
net unused {
    input x: f32[N, 1, 4, 4];
    x |> flatten |> dense(2)
}
train { epochs = 99; }";

#[test]
fn blocks_come_from_other_files() {
    let network = build(&[
        (
            "model.net",
            "import \"zoo/blocks.net\";
            net a { input x: f32[N, 1, 8, 8]; x |> pair(4) |> flatten |> dense(10) }",
        ),
        ("zoo/blocks.net", BLOCKS),
    ])
    .expect("a net");
    let names: Vec<&str> = network.layers.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names[..2], ["pair1.once1.conv1", "pair1.once1.relu1"]);
    // Neither nets nor the train section come along.
    assert_eq!((network.name.as_str(), network.train.epochs), ("a", 3));
}

#[test]
fn each_file_is_read_once_relative_to_its_importer() {
    let asked = RefCell::new(Vec::new());
    let files = Files::load(
        "nets/model.net",
        "import \"blocks/a.net\"; import \"../common.net\"; import \"blocks/a.net\";
         net n { input x: f32[N, 1, 8, 8]; x |> a |> c |> flatten |> dense(10) }",
        &|path| {
            asked.borrow_mut().push(path.to_string());
            match path {
                "nets/blocks/a.net" => {
                    Ok("import \"../../common.net\"; block a { input x; x |> c }".into())
                }
                "common.net" => Ok("block c { input x; x |> relu }".into()),
                _ => Err("not there".into()),
            }
        },
    )
    .expect("parses");
    assert!(super::build(&files, &Options::default()).is_ok());
    assert_eq!(*asked.borrow(), ["nets/blocks/a.net", "common.net"]);
}

#[test]
fn missing_import() {
    // `head` may be in the missing file, `flaten` too.
    check(
        "missing_import",
        &[(
            "model.net",
            "import \"blocks/heads.net\";
net a {
    input x: f32[N, 1, 28, 28];
    x |> conv(0, kernel=3) |> flaten |> head(10)
}",
        )],
    );
}

#[test]
fn import_cycle() {
    check(
        "import_cycle",
        &[
            (
                "model.net",
                "import \"a.net\";
net a {
    input x: f32[N, 1, 28, 28];
    x |> flatten |> dense(10)
}",
            ),
            (
                "a.net",
                "import \"b.net\";\nblock one { input x; x |> relu }",
            ),
            (
                "b.net",
                "# what both need\nimport \"./a.net\";\nblock two { input x; x |> one }",
            ),
        ],
    );
}

#[test]
fn errors_in_several_files() {
    check(
        "errors_in_several_files",
        &[
            (
                "model.net",
                "import \"blocks.net\";
net a {
    input x: f32[N, 1, 28, 28];
    x |> stem(8) |> flatten |> dense(10, bias=1)
}",
            ),
            (
                "blocks.net",
                "block stem(c) {
    input x;
    x |> conv(c, kernel=3, stride=x.chanels) |> rellu
}
block unused(c) {
    input x;
    let y = x |> relu;
    x |> dense(d)
}",
            ),
        ],
    );
}

#[test]
fn syntax_errors_in_several_files() {
    check(
        "syntax_errors_in_several_files",
        &[
            (
                "model.net",
                "import \"blocks.net\";\nimport \"more.net\";\nnet a { input x; x |> unknown }",
            ),
            ("blocks.net", "block stem(c) {\n\tinput x\n\tx |> relu\n}"),
            ("more.net", "block b { input x; x |> relu"),
        ],
    );
}

#[test]
fn one_name_from_two_files() {
    check(
        "one_name_from_two_files",
        &[
            (
                "model.net",
                "import \"a.net\";
import \"b.net\";
block act { input x; x |> relu }
net n {
    input x: f32[N, 1, 28, 28];
    x |> act |> norm |> flatten |> dense(10)
}",
            ),
            ("a.net", "block norm { input x; x |> batch_norm }"),
            (
                "b.net",
                "block norm { input x; x |> layer_norm }\nblock act { input x; x |> tanh }",
            ),
        ],
    );
}

#[test]
fn what_an_imported_file_imports_stays_there() {
    check(
        "what_an_imported_file_imports_stays_there",
        &[
            (
                "model.net",
                "import \"a.net\";
net n {
    input x: f32[N, 1, 28, 28];
    x |> outer |> inner |> flatten |> dense(10)
}",
            ),
            (
                "a.net",
                "import \"b.net\";\nblock outer { input x; x |> inner }",
            ),
            ("b.net", "block inner { input x; x |> relu }"),
        ],
    );
}

#[test]
fn a_path_that_grows_without_end_is_stopped() {
    // As with a folder that holds a link to itself.
    let files = Files::load(
        "a.net",
        "import \"d/a.net\"; net n { input x: f32[N, 1, 2, 2]; x |> flatten |> dense(2) }",
        &|_| Ok("import \"d/a.net\";".to_string()),
    )
    .expect("parses");
    let errors = super::build(&files, &Options::default()).expect_err("too many");
    let codes: Vec<&str> = errors.iter().map(|error| error.code.name).collect();
    assert_eq!(codes, ["E0215"]);
}
