//! `cnnc FILE`: what is written, and where.

use super::run::{CNNC, Folder, LINEAR, example};

/// Names of the functions of an MLIR text.
fn functions(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| line.trim_start().strip_prefix("func.func @"))
        .filter_map(|rest| rest.split('(').next())
        .collect()
}

const ALL: [&str; 7] = [
    "init",
    "forward",
    "loss",
    "gradients",
    "pullback",
    "train_step",
    "evaluate",
];

#[test]
fn every_kind_of_mnist_cnn() {
    let folder = Folder::new();
    let net = example("mnist_cnn.net");
    let kinds = "ast=ast,network=a.net,init=init,forward=forward,loss=loss,gradients=gradients,\
                 pullback=pullback,step=train_step,evaluate=evaluate,module=module,tuned=tuned";
    folder
        .cnnc(&format!("{net} --batch 8 --emit={kinds}"))
        .success();
    insta::assert_snapshot!("mnist_cnn_ast", folder.text("ast"));
    insta::assert_snapshot!("mnist_cnn_network", folder.text("a.net"));
    for name in ALL {
        let text = folder.text(name);
        assert_eq!(functions(&text), [name]);
        assert!(text.starts_with("module @mnist_cnn attributes {cnnc.manifest = {batch = 8 : i64"));
        assert!(text.ends_with("}\n"));
    }
    for name in ["module", "tuned"] {
        assert_eq!(functions(&folder.text(name)), ALL, "{name}");
    }
    let (portable, tuned) = (folder.text("module"), folder.text("tuned"));
    assert!(portable.contains("stablehlo.select_and_scatter"));
    assert!(!tuned.contains("stablehlo.select_and_scatter"));
    assert!(!portable.contains("target = ") && tuned.contains("target = \"cpu\""));
    // Each function alone is the one of the module.
    let body = |text: &str, name: &str| {
        let start = text.find(&format!("func.func @{name}(")).unwrap();
        let text = &text[start..];
        text[..text.find("\n  }\n").unwrap()].to_owned()
    };
    assert_eq!(
        body(&portable, "train_step"),
        body(&folder.text("train_step"), "train_step")
    );
}

#[test]
fn the_extension_says_what_is_written() {
    let folder = Folder::new();
    folder.write("a.net", LINEAR);
    assert_eq!(folder.cnnc("a.net -o step.mlir").success(), "");
    assert_eq!(
        folder.cnnc("a.net -o tuned.mlir --target=cpu").success(),
        ""
    );
    assert_eq!(folder.cnnc("compile a.net -o step.vmfb").success(), "");
    assert_eq!(folder.cnnc("a.net").success(), folder.text("step.mlir"));
    assert_eq!(
        folder.cnnc("a.net --target=cpu -o -").success(),
        folder.text("tuned.mlir")
    );
    assert_eq!(
        folder.piped(CNNC, "-", LINEAR).success(),
        folder.text("step.mlir")
    );
    assert_eq!(
        folder.names(),
        ["a.net", "step.mlir", "step.vmfb", "tuned.mlir"]
    );
}

#[test]
fn a_program_carries_its_manifest() {
    let folder = Folder::new();
    folder.write("a.net", LINEAR);
    folder
        .cnnc("a.net -o a.vmfb --cpu=x86-64-v3 --no-cache")
        .success();
    let program = cnnc_runtime::reflection::reflect(&folder.read("a.vmfb")).unwrap();
    assert_eq!(program.module, "linear");
    for name in ALL {
        assert!(program.function(name).is_some(), "{name}");
    }
    let manifest = cnnc_runtime::manifest::Manifest::parse(&program.manifest.unwrap()).unwrap();
    assert_eq!(manifest.target, "cpu");
    assert_eq!(manifest.cpu.as_deref(), Some("x86-64-v3"));
    assert_eq!((manifest.batch, manifest.classes), (12, 10));
    assert_eq!(manifest.parameter_elements(), 7850);
}

/// This machine's CPU by default, which is told and recorded; not any of its kind.
#[test]
fn bug_34_the_cpu_is_this_machines_and_told() {
    let folder = Folder::new();
    folder.write("a.net", LINEAR);
    let told = |words: &str| {
        let outcome = folder.cnnc(&format!("-v a.net --no-cache {words} -o a.vmfb"));
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let start = "programs for the CPU ";
        let line = outcome.stderr.lines().find_map(|l| l.strip_prefix(start));
        let line = line.map(str::to_owned);
        let program = cnnc_runtime::reflection::reflect(&folder.read("a.vmfb")).unwrap();
        let manifest = program.manifest.unwrap();
        let manifest = cnnc_runtime::manifest::Manifest::parse(&manifest).unwrap();
        assert_eq!(line, manifest.cpu);
        line.unwrap()
    };
    let host = told("");
    assert_ne!(host, "generic");
    assert!(cnnc_runtime::cpu::missing_features(&host).is_empty());
    assert_eq!(told("--cpu=x86-64-v2"), "x86-64-v2");
}

/// What this machine cannot run is refused before it runs.
#[cfg(target_arch = "x86_64")]
#[test]
fn bug_34_a_program_for_another_cpu_is_refused() {
    // No CPU has everything of both makers.
    let cpus = ["sapphirerapids", "znver4"];
    let lacking = |cpu: &&str| !cnnc_runtime::cpu::missing_features(cpu).is_empty();
    let cpu = cpus.into_iter().find(lacking).expect("one of the two");
    let folder = Folder::with_data();
    let words = format!("train linear.net --data data --out out --cpu={cpu}");
    let error = folder.cnnc(&words).one_error(1);
    let told = format!("the program was compiled for the CPU `{cpu}`; this machine lacks ");
    assert!(error.contains(&told), "{error}");
    assert_eq!(std::fs::read_dir(folder.path("out")).unwrap().count(), 0);
}

/// NHWC is what the pass `layout` makes of a convolution's NCHW.
#[test]
fn passes_are_left_out() {
    let folder = Folder::new();
    let net = example("mnist_cnn.net");
    let tuned = |words: &str| {
        folder
            .cnnc(&format!(
                "{net} --batch 2 --target cpu --emit=forward {words}"
            ))
            .success()
    };
    let forms = ["", "--without-pass layout"].map(tuned);
    let nchw = forms.map(|text| text.contains("[b, f, 0, 1]x[o, i, 0, 1]"));
    assert_eq!(nchw, [false, true]);
    let refused = folder.cnnc(&format!("{net} --target cpu --without-pass pool-backward"));
    let message = refused.failure(2);
    assert!(
        message.contains("pool-backward") && message.contains("pool-forward"),
        "{message}"
    );
}

#[test]
fn settings_of_the_command_line() {
    let folder = Folder::new();
    let nets = "net one(classes=10) { input x: f32[N, 1, 4, 4]; x |> flatten |> dense(classes) }\n\
                net two { input x: f32[N, 1, 4, 4]; x |> flatten |> dense(3) |> dense(2) }\n";
    folder.write("a.net", nets);
    let manifest = |words: &str| {
        folder
            .cnnc(&format!("a.net --emit=forward {words}"))
            .success()
    };
    assert!(manifest("").starts_with("module @two "));
    let one = manifest("--net one --set classes=7 --set train.batch=5");
    assert!(one.starts_with("module @one "), "{one}");
    assert!(
        one.contains("%arg1: tensor<7xf32>") && one.contains("tensor<5x1x4x4xf32>"),
        "{one}"
    );
    assert!(manifest("--batch 3").contains("tensor<3x1x4x4xf32>"));
    let lr = manifest("--set train.optimizer.lr=0.25");
    assert!(lr.contains("optimizer = {lr = 2.500000e-01 : f64"), "{lr}");
}

#[test]
fn the_printed_network_is_the_network() {
    let folder = Folder::new();
    folder
        .cnnc(&format!(
            "{} --emit=network -o a.net",
            example("mnist_cnn.net")
        ))
        .success();
    let original = folder.cnnc(&example("mnist_cnn.net")).success();
    assert_eq!(folder.cnnc("a.net").success(), original);
}

#[test]
fn locations_point_into_the_file() {
    let folder = Folder::new();
    folder.write("a.net", LINEAR);
    let plain = folder.cnnc("a.net --emit=forward").success();
    assert!(!plain.contains("loc("), "{plain}");
    let located = folder.cnnc("a.net --emit=forward --locations").success();
    // `dense` is the 25th character of line 3.
    assert!(located.contains("loc(\"a.net\":3:25)"), "{located}");
}

#[test]
fn the_same_file_gives_the_same_bytes() {
    let folder = Folder::new();
    folder.write("a.net", LINEAR);
    for name in ["one", "two"] {
        folder
            .cnnc(&format!("a.net --no-cache -o {name}.vmfb"))
            .success();
        folder.cnnc(&format!("a.net -o {name}.mlir")).success();
    }
    assert_eq!(folder.read("one.mlir"), folder.read("two.mlir"));
    assert!(folder.read("one.vmfb") == folder.read("two.vmfb"));
}

#[test]
fn a_device_is_written_to_and_not_replaced() {
    let folder = Folder::new();
    folder.write("a.net", LINEAR);
    let text = folder.cnnc("a.net --emit=network=/dev/stdout").success();
    assert!(text.starts_with("net linear {\n"), "{text}");
    folder.cnnc("a.net --emit=network=/dev/null").success();
    let kind = std::fs::metadata("/dev/null").unwrap().file_type();
    assert!(std::os::unix::fs::FileTypeExt::is_char_device(&kind));
}

#[test]
fn quiet_and_verbose() {
    let folder = Folder::new();
    folder.write("a.net", LINEAR);
    let outcome = folder.cnnc("a.net -o a.mlir");
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let outcome = folder.cnnc("-v a.net -o a.mlir");
    assert!(outcome.stderr.contains("a.mlir: "), "{}", outcome.stderr);
    assert_eq!(outcome.code, Some(0));
}
