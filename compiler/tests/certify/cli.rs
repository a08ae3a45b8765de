//! `cnnc certify` as a user runs it.

use std::path::Path;
use std::process::Command;

const LINEAR: &str = "net linear {
    input image: f32[N, 1, 28, 28];
    image |> flatten |> dense(10)
}
";

const MLP: &str = "net mlp {
    input image: f32[N, 1, 28, 28];
    image
      |> flatten
      |> dense(16) |> relu
      |> dense(10)
}
";

struct Outcome {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// A folder with the two nets.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("linear.net"), LINEAR).unwrap();
    std::fs::write(folder.path().join("mlp.net"), MLP).unwrap();
    folder
}

fn cnnc(folder: &Path, words: &str) -> Outcome {
    let output = Command::new(env!("CARGO_BIN_EXE_cnnc"))
        .args(words.split_whitespace())
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .output()
        .unwrap();
    Outcome {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The module of a net for two examples, as `cnnc` writes it, with an edit of
/// its `@gradients`.
fn edited(folder: &Path, net: &str, from: &str, to: &str) {
    let made = cnnc(folder, &format!("{net}.net --batch 2 -o {net}.mlir"));
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let path = folder.join(format!("{net}.mlir"));
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, after) = text
        .split_once("func.func public @gradients")
        .unwrap_or_else(|| text.split_once("func.func @gradients").expect("@gradients"));
    let changed = after.replacen(from, to, 1);
    assert_ne!(changed, after, "no `{from}` in @gradients");
    std::fs::write(&path, format!("{before}func.func @gradients{changed}")).unwrap();
}

#[test]
fn a_right_net_has_exit_code_0() {
    let folder = folder();
    let outcome = cnnc(folder.path(), "certify linear.net --tuning --execute");
    assert_eq!(
        outcome.code,
        Some(0),
        "{}{}",
        outcome.stdout,
        outcome.stderr
    );
    insta::assert_snapshot!("certified", outcome.stdout);
}

#[test]
fn json_says_the_same() {
    let folder = folder();
    let outcome = cnnc(
        folder.path(),
        "certify mlp.net --json --directions 1 --seed 3 --tuning",
    );
    assert_eq!(
        outcome.code,
        Some(0),
        "{}{}",
        outcome.stdout,
        outcome.stderr
    );
    let value: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(value["holds"], true);
    assert_eq!(value["net"], "mlp");
    assert_eq!(value["batch"], 2);
    let gradients = value["certificate"]["gradients"].as_array().unwrap();
    assert_eq!(gradients.len(), 4);
    for gradient in gradients {
        assert_eq!(gradient["verdict"], "exact", "{gradient}");
    }
    assert_eq!(gradients[0]["parameter"], "dense1.weight");
    assert_eq!(gradients[0]["shape"], serde_json::json!([784, 16]));
    let probability = value["certificate"]["confidence"]["probability"].as_f64();
    assert!(probability.unwrap() < 1e-12);
    // The bound of the tuning is computed as that of the gradients.
    for (part, functions) in [("network", 2), ("tuning", 7)] {
        let part = &value[part];
        let checks = part["checks"].as_array().unwrap();
        assert_eq!(checks.len(), functions);
        assert!(checks.iter().all(|check| check["verdict"] == "exact"));
        let confidence = |name: &str| part["confidence"][name].as_f64().unwrap();
        assert_eq!(confidence("rounds"), 4.0);
        assert!(confidence("degree") > 1.0);
        let once = confidence("once");
        assert!(once > 0.0 && once < 1e-12);
        let ratio = confidence("probability") / once.powi(4);
        assert!((ratio - 1.0).abs() < 1e-12, "{ratio}");
    }
}

#[test]
fn a_wrong_mask_is_found_at_its_line() {
    let folder = folder();
    edited(folder.path(), "mlp", "compare GT", "compare LT");
    let outcome = cnnc(folder.path(), "certify mlp.net --module mlp.mlir");
    assert_eq!(
        outcome.code,
        Some(1),
        "{}{}",
        outcome.stdout,
        outcome.stderr
    );
    // Two gradients, the same at ties, and what follows from them.
    let row = |name: &str| {
        let row = outcome.stdout.lines().find(|line| line.starts_with(name));
        row.unwrap_or_else(|| panic!("{}", outcome.stdout))
            .to_owned()
    };
    for name in ["dense1.weight", "dense1.bias"] {
        let row = row(name);
        assert!(row.contains("FAILED at maximum, mlp.net:5:23: "), "{row}");
    }
    for name in ["dense2.weight", "dense2.bias"] {
        assert!(row(name).ends_with("  exact"), "{}", row(name));
    }
    assert!(outcome.stderr.starts_with("error: "), "{}", outcome.stderr);
    assert!(
        outcome.stderr.ends_with(" statements do not hold\n"),
        "{}",
        outcome.stderr
    );
}

/// One error, exit code 1, nothing on stdout.
fn refused(folder: &Path, words: &str) -> String {
    let outcome = cnnc(folder, words);
    assert_eq!(
        outcome.code,
        Some(1),
        "{}{}",
        outcome.stdout,
        outcome.stderr
    );
    assert_eq!(outcome.stdout, "", "{}", outcome.stderr);
    outcome.stderr
}

#[test]
fn what_cannot_be_certified_is_named_with_its_line() {
    let folder = folder();
    let words = "certify linear.net --module linear.mlir";
    let missing = refused(folder.path(), words);
    assert!(
        missing.starts_with("error: cannot read `linear.mlir`: "),
        "{missing}"
    );

    edited(
        folder.path(),
        "linear",
        "stablehlo.exponential",
        "stablehlo.reduce_precision",
    );
    let path = folder.path().join("linear.mlir");
    let text = std::fs::read_to_string(&path).unwrap();
    let line = |line: &str| match line.contains("reduce_precision") {
        true => line.replace(" :", ", format = e8m23 :"),
        false => line.to_owned(),
    };
    let lines: Vec<String> = text.lines().map(line).collect();
    std::fs::write(&path, lines.join("\n")).unwrap();
    let unknown = refused(folder.path(), words);
    let line = line_of(&path, "reduce_precision");
    assert!(
        unknown.starts_with(&format!("error: linear.mlir:{line}:")),
        "{unknown}"
    );
    assert!(
        unknown.ends_with(": unknown operation `stablehlo.reduce_precision`\n"),
        "{unknown}"
    );

    edited(
        folder.path(),
        "linear",
        "tensor<2x10xf32>",
        "tensor<?x10xf32>",
    );
    let dynamic = refused(folder.path(), words);
    assert!(dynamic.starts_with("error: linear.mlir:"), "{dynamic}");

    edited(folder.path(), "linear", "{cnnc.name", "{other.name");
    let unnamed = refused(folder.path(), words);
    assert_eq!(
        unnamed,
        "error: `@gradients`: an argument has no `cnnc.name`\n"
    );

    let forward = cnnc(
        folder.path(),
        "linear.net --batch 2 --emit=forward=linear.mlir",
    );
    assert_eq!(forward.code, Some(0), "{}", forward.stderr);
    assert_eq!(
        refused(folder.path(), words),
        "error: the module has no function `@loss`; it has @forward\n"
    );

    std::fs::write(folder.path().join("linear.mlir"), "module @other {}").unwrap();
    let other = refused(folder.path(), words);
    assert!(
        other.starts_with("error: the module is not one of cnnc"),
        "{other}"
    );
}

/// The first line of a file that has this in it, from 1.
fn line_of(path: &Path, part: &str) -> usize {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().position(|line| line.contains(part)).unwrap() + 1
}

#[test]
fn a_net_too_large_for_memory_is_refused() {
    let folder = folder();
    let text = LINEAR.replace("dense(10)", "dense(10000000)");
    std::fs::write(folder.path().join("wide.net"), text).unwrap();
    let wide = refused(folder.path(), "certify wide.net");
    assert_eq!(
        wide,
        "error: `@loss` takes `dense1.weight`, tensor<784x10000000xf32>: with it the arguments \
         need 689920000000 bytes in a certificate; the limit is 8589934592\n"
    );
}

#[test]
fn a_program_is_certified_before_it_is_written() {
    let folder = folder();
    let words = "linear.net --batch 3 --certify -o linear.vmfb";
    let outcome = cnnc(folder.path(), words);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(
        outcome
            .stderr
            .ends_with("certified: 2 gradients are exact, 7 functions are tuned exactly\n"),
        "{}",
        outcome.stderr
    );
    assert!(folder.path().join("linear.vmfb").is_file());
    let nothing = cnnc(folder.path(), "linear.net --certify --emit=ast");
    assert_eq!(nothing.code, Some(2), "{}", nothing.stderr);
}
