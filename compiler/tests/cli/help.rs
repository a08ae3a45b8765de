//! What `--help` and `--version` print.

use super::run::Folder;

const VERBS: [&str; 12] = [
    "compile", "certify", "train", "eval", "predict", "probe", "bench", "tune", "summary", "fmt",
    "doctor", "explain",
];

#[test]
fn help_of_each_verb() {
    let folder = Folder::new();
    for verb in VERBS {
        let text = folder.cnnc(&format!("{verb} --help")).success();
        insta::assert_snapshot!(format!("help_{verb}"), text);
    }
    insta::assert_snapshot!("help", folder.cnnc("--help").success());
    insta::assert_snapshot!("help_opt", folder.opt("--help").success());
}

#[test]
fn help_opens_with_two_examples() {
    let folder = Folder::new();
    let helps = VERBS
        .iter()
        .map(|verb| folder.cnnc(&format!("{verb} --help")).success());
    let own = [
        folder.cnnc("--help").success(),
        folder.opt("--help").success(),
    ];
    for text in helps.chain(own) {
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("Examples:"), "{text}");
        let examples = lines.take_while(|line| line.starts_with("  ")).count();
        assert_eq!(examples, 2, "{text}");
    }
}

#[test]
fn every_verb_is_listed() {
    let text = Folder::new().cnnc("--help").success();
    for verb in VERBS {
        let listed = text
            .lines()
            .any(|line| line.trim_start().starts_with(&format!("{verb} ")));
        assert!(listed, "{verb}");
    }
}

#[test]
fn the_version() {
    let expected = format!("cnnc {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(Folder::new().cnnc("--version").success(), expected);
}

#[test]
fn nothing_at_all_is_answered_with_help() {
    let text = Folder::new().cnnc("").failure(2);
    assert!(text.starts_with("Examples:\n"), "{text}");
}
