//! Verbs about texts and the machine: summary, fmt, explain, doctor.

use super::run::{CNNC, Folder, LINEAR, example};

#[test]
fn summaries_of_the_examples() {
    let folder = Folder::new();
    for (name, parameters) in [
        ("linear", "7,850"),
        ("mlp", "669,706"),
        ("mnist_cnn", "3,489,130"),
    ] {
        let text = folder
            .cnnc(&format!("summary {}", example(&format!("{name}.net"))))
            .success();
        let total = text.lines().find(|line| line.starts_with("total")).unwrap();
        assert!(total.contains(parameters), "{total}");
        insta::assert_snapshot!(format!("summary_{name}"), text);
    }
}

#[test]
fn a_summary_as_json() {
    let text = Folder::new()
        .cnnc(&format!("summary --json {}", example("mlp.net")))
        .success();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["net"], "mlp");
    assert_eq!(value["parameters"], 669_706);
    // 784 x 512 + 512 x 512 + 512 x 10
    assert_eq!(value["multiply_adds"], 668_672);
    let dense2 = value["layers"]
        .as_array()
        .unwrap()
        .iter()
        .find(|l| l["name"] == "dense2");
    assert_eq!(dense2.unwrap()["parameters"], 512 * 512 + 512);
}

const UGLY: &str = "net a{input x:f32[N,1,2,2];# in\nx|>flatten|>dense( 3 )}";
const NEAT: &str =
    "net a {\n    input x: f32[N, 1, 2, 2];  # in\n    x |> flatten |> dense(3)\n}\n";

#[test]
fn files_are_formatted_in_place() {
    let folder = Folder::new();
    folder.write("ugly.net", UGLY);
    folder.write("neat.net", NEAT);
    let outcome = folder.cnnc("fmt --check ugly.net neat.net");
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (Some(1), "ugly.net\n")
    );
    assert_eq!(folder.text("ugly.net"), UGLY);
    assert_eq!(folder.cnnc("fmt ugly.net neat.net").success(), "");
    assert_eq!(folder.text("ugly.net"), NEAT);
    assert_eq!(folder.text("neat.net"), NEAT);
    assert_eq!(folder.cnnc("fmt --check ugly.net neat.net").success(), "");
    assert_eq!(folder.names(), ["neat.net", "ugly.net"]);
}

#[test]
fn stdin_is_formatted_to_stdout() {
    let folder = Folder::new();
    assert_eq!(folder.piped(CNNC, "fmt -", UGLY).success(), NEAT);
    let outcome = folder.piped(CNNC, "fmt --check -", UGLY);
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (Some(1), "<stdin>\n")
    );
    assert_eq!(folder.piped(CNNC, "fmt --check -", NEAT).success(), "");
}

#[test]
fn a_file_with_an_error_is_left_alone_and_the_others_are_not() {
    let folder = Folder::new();
    folder.write("bad.net", "net a { x |> }");
    folder.write("ugly.net", UGLY);
    let error = folder.cnnc("fmt bad.net none.net ugly.net").failure(1);
    assert!(error.contains("bad.net:1:"), "{error}");
    assert!(error.contains("cannot read `none.net`"), "{error}");
    assert_eq!(folder.text("bad.net"), "net a { x |> }");
    assert_eq!(folder.text("ugly.net"), NEAT);
}

#[test]
fn the_examples_are_in_canonical_form() {
    let entries = std::fs::read_dir(example("")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let files: Vec<String> = paths
        .filter(|path| path.extension().is_some_and(|e| e == "net"))
        .map(|path| path.to_str().unwrap().to_owned())
        .collect();
    assert!(files.len() > 20, "{files:?}");
    let words = format!("fmt --check {}", files.join(" "));
    assert_eq!(Folder::new().cnnc(&words).success(), "");
}

#[test]
fn every_listed_code_is_explained() {
    let folder = Folder::new();
    let list = folder.cnnc("explain").success();
    assert!(list.lines().count() > 25, "{list}");
    for line in list.lines() {
        let (code, title) = line.split_once("  ").unwrap();
        let text = folder
            .cnnc(&format!("explain {}", code.to_lowercase()))
            .success();
        assert!(text.starts_with(&format!("# {code}: {title}\n")), "{text}");
    }
}

#[test]
fn a_code_of_an_error_is_explained() {
    let folder = Folder::new();
    folder.write("a.net", LINEAR.replace("flatten |> ", ""));
    let error = folder.cnnc("a.net").one_error(1);
    let code = error.split(['[', ']']).nth(1).unwrap();
    assert!(error.contains(&format!("`cnnc explain {code}`")), "{error}");
    folder.cnnc(&format!("explain {code}")).success();
    assert_eq!(
        folder.cnnc("explain E9999").one_error(1).lines().next(),
        Some("error: there is no error code `E9999`")
    );
}

#[test]
fn the_doctor_finds_what_these_tests_need() {
    let folder = Folder::new();
    let text = folder.cnnc("doctor").success();
    assert!(
        text.starts_with("ok       IREE's compiler 3.13.0\n"),
        "{text}"
    );
    let report: serde_json::Value =
        serde_json::from_str(&folder.cnnc("doctor --json").success()).unwrap();
    assert_eq!(report["ok"], true);
    let findings = report["findings"].as_array().unwrap();
    let devices = findings
        .iter()
        .find(|finding| finding["what"] == "devices")
        .unwrap();
    assert!(
        devices["details"].to_string().contains("local-task"),
        "{devices}"
    );
    // A Vulkan device, or why there is none.
    let listed = devices["details"].to_string().contains("vulkan");
    let missing = findings.iter().any(|f| f["what"] == "Vulkan device");
    assert!(listed != missing, "{findings:?}");
}

#[test]
fn a_closed_pipe_is_no_error() {
    use std::process::Stdio;
    let folder = Folder::new();
    let mut child = folder
        .command(CNNC, "explain")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}
