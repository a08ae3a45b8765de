//! What users read when a file cannot be parsed: each snapshot is a file and its errors.

use cnnc_grammar::{diagnostics, parse};

fn message(source: &str) -> String {
    let errors = parse(source).expect_err(source);
    diagnostics::render(&errors, "model.net", source, false)
}

fn check(name: &str, source: &str) {
    let story = format!("SOURCE\n{source}\n\nMESSAGE\n{}", message(source));
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, story));
}

macro_rules! stories {
    ($($name:ident: $source:expr;)*) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name), $source);
            }
        )*
    };
}

stories! {
    missing_semicolon: "net a {
    input x: f32[N, 1, 28, 28]
    let y = x |> relu
    y
}
train {
    batch = 3
}";
    semicolon_behind_the_value: "net a {
    input x;
    x |> dense(10);
}";
    several_statements: "net a {
    input x: ;
    let y = x |> ;
    let if = y;
    let z y;
    z |> conv(8, kernel: 3)
}
train {
    loss = ;
    batch 128;
    epochs == 3;
}";
    several_items: "nett a { input x; x }
net b { inputs x; x |> relu }
net net { input x; x }
train c { }
import blocks;";
    words_of_other_languages: "def a(x) { return x }
net b {
    input x;
    var y = x;
    let z = x and y;
    for i in z { y }
}
class c { }";
    symbols_of_other_languages: "// a comment, isn't it?
net a {
    input x; /* another */
    let y = x -> relu;
    let z = x === y;
    let u = y ** 2;
    let v = 'text';
    let w = x | relu;
    x += 1;
    v
}";
    merge_conflict: "net a {
    input x;
<<<<<<< HEAD
    x |> dense(10)
=======
    x |> dense(20)
>>>>>>> other
}";
    look_alike_characters: "net a {
    input x;
    let a = x |> conv(8, kernel=3\u{D7}3);
    let b = a |> dense(10 \u{2212} 1);
    let c = b\u{A0}|> relu;
    c |> dense(\u{FF11})
}";
    numbers: "net a {
    input x;
    let a = 3x + 1;
    let b = 0x10;
    let c = 1_000;
    let d = 2.;
    let e = .5;
    let f = 1.2.3;
    let g = 9223372036854775808;
    let h = 1e999;
    let i = 1e;
    x
}";
    string_without_an_end: "import \"blocks.net;
net a {
    input x;
    x |> dense(\"10)
}";
    brace_never_closed: "net a {
    input x;
    x |> dense(10)
train {
    batch = 3;
}";
    parenthesis_never_closed: "net a {
    input x;
    x |> conv(8, kernel=(3, 5) |> relu
}";
    bracket_of_the_wrong_sort: "net a {
    input x: f32[N, 1, 28, 28);
    x
}";
    bracket_too_many: "net a {
    input x;
    x |> dense(10))
}";
    file_that_ends_early: "net a {
    input x;
    x |>";
    operator_behind_a_chain: "net a {
    input x;
    x |> relu + x
}";
    stage_that_is_no_op: "net a {
    input x;
    x |> (relu) |> 3
}";
    lists: "net a {
    input x;
    let b = f(1 2);
    let c = ();
    let d = [1,, 2];
    let e = f(, 3);
    x
}";
    braces_without_condition: "net a {
    input x;
    let y = if { x } else { x };
    let z = if x { x } elif x { y };
    x |> repeat { relu }
}";
}

#[test]
fn nesting_has_a_limit_and_no_stack_overflow() {
    let nested = |depth| {
        let (open, close) = ("(".repeat(depth), ")".repeat(depth));
        format!("net a {{ input x; x |> dense({open}1{close}) }}")
    };
    // The braces and the call are two levels of 64.
    assert!(parse(&nested(62)).is_ok());
    for depth in [63, 10_000, 100_000] {
        let text = message(&nested(depth));
        assert!(text.starts_with("error[E0106]"), "{text:.200}");
    }
}

#[test]
fn operators_have_a_limit_and_chains_have_none() {
    let sum = |terms: usize| format!("net a {{ input x; x |> dense(1{}) }}", " + 1".repeat(terms));
    assert!(parse(&sum(100)).is_ok());
    for source in [
        sum(20_000),
        format!("net a {{ input x; x |> dense({}1) }}", "-".repeat(20_000)),
        format!("net a {{ input x; x{} }}", ".y".repeat(20_000)),
    ] {
        assert!(message(&source).contains("error[E0106]"));
    }
    let chain = format!("net a {{ input x; x{} }}", " |> relu".repeat(10_000));
    assert!(parse(&chain).is_ok());
    let branches = format!(
        "net a {{ input x; if x {{ x }}{} }}",
        " else if x { x }".repeat(10_000)
    );
    assert!(parse(&branches).is_ok());
}

#[test]
fn a_file_of_errors_is_read_to_its_limit() {
    let source = "net a { let = ; }\n".repeat(200);
    let errors = parse(&source).expect_err("errors");
    assert_eq!(errors.len(), 50);
}

#[test]
fn empty_files_are_files() {
    for source in ["", "\u{FEFF}", "# only a comment", " \r\n\t"] {
        let file = parse(source).expect("parses");
        assert!(file.items.is_empty());
    }
}

#[test]
fn keywords_need_a_boundary() {
    let source = "net network { input inputs; let iff = inputs |> repeats; iff |> truer }";
    assert!(parse(source).is_ok());
}
