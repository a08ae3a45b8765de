//! Bad files, bad options, places that cannot be written.

use super::run::{CNNC, Folder, LINEAR};

/// The text of an error, with its source, as the user sees it.
fn refused(source: &str) -> String {
    let folder = Folder::new();
    folder.write("a.net", source);
    let error = folder.cnnc("a.net -o a.mlir").failure(1);
    assert_eq!(folder.names(), ["a.net"]);
    format!("{source}\n--------\n{error}")
}

#[test]
fn a_missing_file() {
    let folder = Folder::new();
    let error = folder.cnnc("no/such.net -o a.mlir").one_error(1);
    assert_eq!(
        error,
        "error: cannot read `no/such.net`: No such file or directory (os error 2)\n"
    );
    assert!(folder.names().is_empty());
}

#[test]
fn a_folder_in_place_of_a_file() {
    let error = Folder::new().cnnc("summary .").one_error(1);
    assert_eq!(error, "error: cannot read `.`: it is a folder\n");
}

#[test]
fn bytes_that_are_no_text() {
    let folder = Folder::new();
    folder.write("a.net", b"net a { \xff }");
    let error = folder.cnnc("a.net").one_error(1);
    assert_eq!(error, "error: `a.net` is no text: byte 8 is not UTF-8\n");
}

#[test]
fn an_empty_file() {
    insta::assert_snapshot!(refused(""));
}

#[test]
fn a_file_of_comments() {
    insta::assert_snapshot!(refused("# nothing yet\n"));
}

#[test]
fn an_unknown_op() {
    insta::assert_snapshot!(refused(&LINEAR.replace("flatten", "flaten")));
}

#[test]
fn a_shape_mismatch() {
    insta::assert_snapshot!(refused(&LINEAR.replace("flatten |> ", "")));
}

#[test]
fn sizes_that_overflow() {
    insta::assert_snapshot!(refused(
        &LINEAR.replace("dense(10)", "dense(9223372036854775807)")
    ));
}

#[test]
fn two_errors_in_one_run() {
    let source = LINEAR
        .replace("dense(10)", "dense(0)")
        .replace("batch  = 12", "batch = -1");
    let text = refused(&source);
    assert_eq!(text.matches("\nerror[").count(), 2, "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn an_override_that_does_not_exist() {
    let folder = Folder::new();
    folder.write("a.net", LINEAR);
    insta::assert_snapshot!(folder.cnnc("a.net --set train.bacth=3").one_error(1));
}

#[test]
fn usage_errors() {
    let folder = Folder::new();
    folder.write("a.net", LINEAR);
    for (words, told) in [
        ("a.net --emit=stpe", "did you mean `step`?"),
        ("a.net --emit=ast=", "no path behind `=`"),
        ("a.net --batch 0", "invalid value '0' for '--batch <N>'"),
        (
            "a.net --target=gpu",
            "invalid value 'gpu' for '--target <TARGET>'",
        ),
        (
            "a.net --color=sometimes",
            "invalid value 'sometimes' for '--color <WHEN>'",
        ),
        ("a.net --set lr", "expected KEY=VALUE"),
        ("a.net --cpu=znver44 -o a.vmfb", "did you mean `znver4`?"),
        (
            "a.net --target=vulkan --cpu=znver4",
            "--cpu=znver4: programs for vulkan run on no CPU",
        ),
        (
            "a.net --gpu=sm_80",
            "--gpu=sm_80: there is nothing to choose for cpu",
        ),
        (
            "a.net --target=cuda --gpu=gfx942",
            "--gpu=gfx942: no such GPU for cuda",
        ),
        (
            "certify a.net --execute --target=vulkan",
            "--execute: the device `local-task` runs cpu programs, not vulkan",
        ),
        ("a.net -o a.txt", "its extension does not say what to write"),
        (
            "a.net --emit=ast,network",
            "another output goes to the same place",
        ),
        (
            "a.net --emit=ast=a -o b.mlir",
            "-o is given, but every --emit has a path of its own",
        ),
        ("a.net b.net", "unexpected argument 'b.net'"),
        ("trian a.net", "did you mean `cnnc train`?"),
        ("frobnicate", "`frobnicate` is neither a verb nor a file"),
        ("train a.net", "--data <DIR>"),
        (
            "train a.net --data mnist --epochs 0",
            "invalid value '0' for '--epochs <N>'",
        ),
        ("predict a.net --checkpoint c", "<IMAGE>"),
        (
            "predict a.net i.png --checkpoint c --data d --index 1",
            "cannot be used with",
        ),
        ("fmt", "<FILE>..."),
    ] {
        let error = folder.cnnc(words).one_error(2);
        assert!(error.contains(told), "{words}: {error}");
    }
    assert_eq!(folder.names(), ["a.net"]);
}

#[test]
fn places_that_cannot_be_written() {
    let folder = Folder::new();
    folder.write("a.net", LINEAR);
    std::fs::create_dir(folder.path("taken.mlir")).unwrap();
    for (words, told) in [
        (
            "a.net -o no/such/a.mlir",
            "cannot write `no/such/a.mlir`: No such file or directory",
        ),
        (
            "a.net -o taken.mlir",
            "cannot write `taken.mlir`: it is a folder",
        ),
        (
            "a.net -o a.net/b.mlir",
            "cannot write `a.net/b.mlir`: Not a directory",
        ),
    ] {
        let error = folder.cnnc(words).one_error(1);
        assert!(error.contains(told), "{words}: {error}");
    }
    assert_eq!(folder.names(), ["a.net", "taken.mlir"]);
}

#[test]
fn nothing_is_written_where_one_output_fails() {
    let folder = Folder::new();
    folder.write("a.net", LINEAR);
    folder
        .cnnc("a.net --emit=ast=a.txt,network=no/such/b.net")
        .one_error(1);
    // The tree can be printed, the network cannot be built.
    folder.write("bad.net", LINEAR.replace("dense", "dnse"));
    folder
        .cnnc("bad.net --emit=ast=a.txt,network=b.net")
        .one_error(1);
    assert_eq!(folder.names(), ["a.net", "bad.net"]);
}

#[test]
fn an_older_output_survives_a_failure() {
    let folder = Folder::new();
    folder.write("a.net", "net");
    folder.write("a.mlir", "old");
    folder.cnnc("a.net -o a.mlir").failure(1);
    assert_eq!(folder.text("a.mlir"), "old");
}

#[test]
fn iree_missing() {
    let folder = Folder::new();
    folder.write("a.net", LINEAR);
    folder.write("libIREECompiler.so", "no library");
    let error = folder
        .cnnc_with("CNNC_IREE", "/no/such", "a.net -o a.mlir")
        .one_error(1);
    insta::assert_snapshot!(error);
    let damaged = folder.path("libIREECompiler.so");
    let error = folder
        .cnnc_with("CNNC_IREE", &damaged, "a.net -o a.mlir")
        .one_error(1);
    let start = "error: IREE's compiler could not be loaded: ";
    assert!(
        error.starts_with(start) && error.contains("`make deps`"),
        "{error}"
    );
    assert_eq!(folder.names(), ["a.net", "libIREECompiler.so"]);
    // What needs no IREE works without it.
    let summary = folder
        .cnnc_with("CNNC_IREE", "/no/such", "summary a.net")
        .success();
    assert!(summary.contains("7,850"), "{summary}");
    let report = folder.cnnc_with("CNNC_IREE", "/no/such", "doctor");
    assert_eq!(report.code, Some(1));
    assert!(
        report
            .stdout
            .starts_with("MISSING  IREE's compiler 3.13.0\n"),
        "{}",
        report.stdout
    );
}

#[test]
fn errors_on_stdin_have_places() {
    let source = LINEAR.replace("flatten", "flaten");
    let error = Folder::new().piped(CNNC, "summary -", &source).one_error(1);
    assert!(error.contains("<stdin>:3:14"), "{error}");
}

#[test]
fn colours_only_where_they_are_wanted() {
    let folder = Folder::new();
    folder.write("a.net", "net");
    for (words, coloured) in [
        ("a.net", false),
        ("a.net --color=always", true),
        ("--color always summary a.net", true),
        ("a.net --color=never", false),
    ] {
        let error = folder.cnnc(words).failure(1);
        assert_eq!(error.contains('\u{1b}'), coloured, "{words}: {error}");
    }
}
