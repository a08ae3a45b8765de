//! Every op of the table with everything that can be wrong about its use: one
//! snapshot per op, of a net with all these uses and the errors. What is wrong
//! follows from the op's signature, so that a new op has its cases with it.

use super::rendered;
use crate::network::Options;
use crate::network::ops::{Arity, OPS, Op};
use crate::network::signature::{Kind, OptionSpec, Range};
use cnnc_grammar::Diagnostic;

/// What the uses work on. The largest tensors that there may be, two examples of
/// 2^35 numbers, are among it.
const VALUES: &[(&str, &str)] = &[
    ("x", "input x: f32[N, 4, 6, 6];"),
    ("t", "let t = x |> tokens;"),
    ("v", "let v = x |> flatten;"),
    ("wide", "let wide = x |> concat(x, x);"),
    ("long", "let long = t |> concat(t, t);"),
    ("many", "let many = v |> concat(v, v);"),
    ("huge", "input huge: f32[N, 4, 131072, 65536];"),
    ("huge_t", "let huge_t = huge |> reshape(8589934592, 4);"),
    ("huge_v", "let huge_v = huge |> flatten;"),
    ("deep_t", "let deep_t = huge |> reshape(131072, 262144);"),
];

/// A small form of a tensor, a wider one, and large ones.
const FORMS: [(&str, &str, &[&str]); 3] = [
    ("x", "wide", &["huge"]),
    ("t", "long", &["huge_t", "deep_t"]),
    ("v", "many", &["huge_v"]),
];

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// The values that a text uses, and those that these are made of.
fn used(text: &str) -> Vec<&'static str> {
    let mut names: Vec<&str> = vec!["x"];
    let mut made = String::from(text);
    for (name, line) in VALUES.iter().rev() {
        if words(&made).any(|word| word == *name) {
            names.push(name);
            made.push_str(line);
        }
    }
    names
}

/// A net that uses an op in these ways.
fn net(uses: &[String]) -> String {
    let mut text =
        "block end {\n    input x;\n    x |> flatten |> dense(1, bias=false)\n}\nnet a {\n"
            .to_string();
    let names = used(&uses.join("\n"));
    for (name, line) in VALUES {
        if names.contains(name) {
            text.push_str(&format!("    {line}\n"));
        }
    }
    for (number, use_) in uses.iter().enumerate() {
        text.push_str(&format!("    let a{number} = {use_};\n"));
    }
    text.push_str("    (x |> end)");
    for number in 0..uses.len() {
        let line = if number % 8 == 7 { "\n     " } else { "" };
        text.push_str(&format!("{line} + (a{number} |> end)"));
    }
    text + "\n}\ntrain { batch = 2; loss = mean_squared_error; }"
}

fn errors(source: &str) -> Vec<Diagnostic> {
    let built = super::network(source, &Options::default());
    built.err().unwrap_or_default()
}

/// Whether a net of this use alone is right.
fn right(use_: &str) -> bool {
    errors(&net(&[use_.to_string()])).is_empty()
}

/// What a required option is told in a use that is right.
fn usual(option: &OptionSpec) -> &'static str {
    match (option.name, option.kind) {
        ("shape", _) => "144",
        ("out", _) => "4",
        (_, Kind::Integer { .. } | Kind::Pair { .. }) => "2",
        (_, Kind::Float(_)) => "0.5",
        _ => panic!("what is right for `{}`?", option.name),
    }
}

/// `op(out=4, stride=0)`, behind other arguments; with what `told` says, and
/// without one of the options.
fn call(op: &Op, first: Option<&str>, told: &[(&str, &str)], without: Option<&str>) -> String {
    let required = op.signature.options.iter().filter(|o| o.default.is_none());
    let required = required
        .filter(|o| Some(o.name) != without && told.iter().all(|(name, _)| *name != o.name))
        .map(|o| (o.name, usual(o)));
    let options = required.chain(told.iter().copied());
    let options = options.map(|(name, value)| format!("{name}={value}"));
    let all: Vec<String> = first
        .map(str::to_string)
        .into_iter()
        .chain(options)
        .collect();
    match all.as_slice() {
        [] => op.signature.name.to_string(),
        all => format!("{}({})", op.signature.name, all.join(", ")),
    }
}

/// `x |> op`, with a second tensor where the op takes several.
fn apply(op: &Op, x: &str, told: &[(&str, &str)]) -> String {
    let second = op.inputs.several().then_some(x);
    format!("{x} |> {}", call(op, second, told, None))
}

/// Values that no option of this kind takes.
fn wrong(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Integer { least: 1 } => &["0", "-1", "2.5"],
        Kind::Pair { least: 1 } => &["0", "(1, -1)", "(2, 2, 2)", "2.5"],
        Kind::Extents => &["(0, 144)", "(2, 2, 2, 18)", "12.0", "same"],
        Kind::Padding => &["-1", "((1, 1), (0, -1))", "full", "0.5"],
        Kind::Float(Range::Any) => &["fast", "true"],
        Kind::Float(Range::Positive) => &["0", "true"],
        Kind::Float(Range::Probability) => &["-0.1", "1.1"],
        Kind::Bool => &["1"],
        Kind::Initializer => &["xavier", "normal(-1)"],
        Kind::Word(_) => &["nowhere", "true"],
        other => panic!("what is wrong for {other:?}?"),
    }
}

/// Uses of an op that are wrong whatever it does.
fn always_wrong(op: &Op) -> Vec<String> {
    let name = op.signature.name;
    let second = op.inputs.several().then_some("x");
    let mut uses = vec![
        format!("3 |> {}", call(op, second, &[], None)),
        apply(op, "x", &[("colour", "1")]),
    ];
    match op.inputs {
        Arity::Exactly(1) => {
            let unnamed = op.signature.options.iter().find(|o| o.positional);
            let call = call(op, Some("x"), &[], unnamed.map(|o| o.name));
            uses.push(format!("x |> {call}"));
        }
        Arity::Exactly(_) => {
            uses.extend([format!("x |> {name}"), format!("x |> {name}(x, x)")]);
        }
        Arity::AtLeast(_) => uses.push(format!("x |> {name}")),
    }
    for option in op.signature.options {
        if option.default.is_none() {
            uses.push(format!("x |> {}", call(op, None, &[], Some(option.name))));
        }
        let values = wrong(option.kind).iter();
        uses.extend(values.map(|value| apply(op, "x", &[(option.name, value)])));
    }
    uses
}

/// Uses that are wrong for some ops: other forms, windows larger than the input,
/// parts that do not divide, sizes that overflow.
fn perhaps_wrong(op: &Op) -> Vec<String> {
    let mut uses = Vec::new();
    let taken = || FORMS.iter().filter(|(x, ..)| right(&apply(op, x, &[])));
    for (x, _, large) in FORMS {
        uses.push(apply(op, x, &[]));
        if taken().any(|(form, ..)| *form == x) {
            uses.extend(large.iter().map(|x| apply(op, x, &[])));
        }
    }
    if op.inputs.several() {
        let name = op.signature.name;
        for (x, other) in [
            ("x", "t"),
            ("x", "v"),
            ("x", "wide"),
            ("t", "long"),
            ("v", "many"),
        ] {
            uses.push(format!("{x} |> {name}({other})"));
        }
    }
    let (x, ..) = *taken().next().expect("it takes something");
    let has_padding = op.signature.option("padding").is_some();
    for option in op.signature.options {
        let values: &[&str] = match option.kind {
            Kind::Integer { .. } => &["3", "5", "1000000000000", "9223372036854775807"],
            Kind::Pair { .. } => &["9", "(1, 5)", "1000000000000", "9223372036854775807"],
            Kind::Extents => &["145", "(9223372036854775807, 2)"],
            Kind::Padding => &[
                "7",
                "((0, 0), (3, 0))",
                "1000000000000",
                "9223372036854775807",
            ],
            _ => &[],
        };
        uses.extend(
            values
                .iter()
                .map(|value| apply(op, x, &[(option.name, value)])),
        );
        if has_padding && matches!(option.name, "kernel" | "size") {
            uses.push(apply(op, x, &[(option.name, "9"), ("padding", "valid")]));
        }
    }
    uses
}

/// The codes of the uses that the compiler refuses, each with one error at its place.
fn refused(uses: &[String]) -> Vec<(String, &'static str)> {
    let mut refused: Vec<(String, &'static str)> = Vec::new();
    for use_ in uses {
        let source = net(std::slice::from_ref(use_));
        let errors = errors(&source);
        if errors.is_empty() || refused.iter().any(|(known, _)| known == use_) {
            continue;
        }
        let message = rendered(&source, &errors);
        let [error] = errors.as_slice() else {
            panic!("{message}");
        };
        let line = format!("let a0 = {use_}");
        let at = source.find(&line).expect("it is there");
        let span = error.span().expect("a place");
        assert!(span.start >= at && span.end <= at + line.len(), "{message}");
        refused.push((use_.clone(), error.code.name));
    }
    refused
}

/// A layer with parameters on two shapes that ask for different ones.
fn shared(op: &Op) -> Option<String> {
    let (x, wide, _) = *FORMS.iter().find(|(x, ..)| right(&apply(op, x, &[])))?;
    if op.inputs.several() {
        return None;
    }
    let source = net(&["f".to_string()]);
    let f = call(op, None, &[], None);
    let names = used(&format!("{x} {wide}"));
    let lines = VALUES.iter().filter(|(name, _)| names.contains(name));
    let lines: String = lines.map(|(_, line)| format!("    {line}\n")).collect();
    let (block, _) = source.split_once("net a {\n").expect("a net");
    let source = format!(
        "{block}net a {{\n{lines}    let f = {f};\n    ({x} |> f |> end) + ({wide} |> f |> end) + (x |> end)\n}}"
    );
    let errors = errors(&source);
    let codes: Vec<&str> = errors.iter().map(|error| error.code.name).collect();
    let alone = super::good(&net(&[apply(op, x, &[])]));
    let layer = alone
        .layers
        .iter()
        .find(|l| l.op.name() == op.signature.name);
    if layer.is_some_and(|layer| layer.parameters.is_empty()) {
        assert!(!codes.contains(&"E0308"), "{source}");
        return None;
    }
    assert_eq!(codes, ["E0308"], "{source}");
    Some(story(&source, &errors))
}

/// The uses whose errors are told in one net, and the rest: what is checked of a
/// whole net is told where nothing else is wrong.
fn together(uses: Vec<String>) -> (Vec<String>, Vec<String>) {
    let source = net(&uses);
    let places: Vec<usize> = errors(&source)
        .iter()
        .filter_map(|error| error.span().map(|span| span.start))
        .collect();
    let told = |number: usize, use_: &str| {
        let line = format!("let a{number} = {use_};");
        let at = source.find(&line).expect("it is there");
        places
            .iter()
            .any(|place| (at..at + line.len()).contains(place))
    };
    let numbered = uses.iter().cloned().enumerate();
    let (one, rest): (Vec<_>, Vec<_>) = numbered.partition(|(number, use_)| told(*number, use_));
    let texts = |pairs: Vec<(usize, String)>| pairs.into_iter().map(|(_, use_)| use_).collect();
    (texts(one), texts(rest))
}

fn story(source: &str, errors: &[Diagnostic]) -> String {
    format!("SOURCE\n{source}\n\nMESSAGE\n{}", rendered(source, errors))
}

#[test]
fn every_op_refuses_what_is_wrong() {
    for op in OPS {
        let name = op.signature.name;
        let always = always_wrong(op);
        let mut all = refused(&always);
        let accepted = always
            .iter()
            .find(|use_| all.iter().all(|(known, _)| known != *use_));
        assert_eq!(accepted, None, "{name} takes it");
        all.extend(refused(&perhaps_wrong(op)));
        check_codes(op, &all);
        let all: Vec<String> = all.into_iter().map(|(use_, _)| use_).collect();
        let (uses, whole) = together(all);
        let source = net(&uses);
        let found = errors(&source);
        assert_eq!(found.len(), uses.len(), "{}", rendered(&source, &found));
        let forms = FORMS.map(|(x, ..)| apply(op, x, &[]));
        let forms: Vec<String> = forms.into_iter().filter(|form| right(form)).collect();
        let mut text = format!("TAKES\n{}\n\n{}", forms.join("\n"), story(&source, &found));
        for use_ in whole {
            let source = net(&[use_]);
            text.push_str(&format!("\n{}", story(&source, &errors(&source))));
        }
        if let Some(shared) = shared(op) {
            text.push_str(&format!("\n{shared}"));
        }
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(format!("bad_input_of_{name}"), text));
    }
}

/// What an option of this name or kind must be able to get wrong.
fn check_codes(op: &Op, refused: &[(String, &str)]) {
    let name = op.signature.name;
    let needs = |code: &str, why: &str| {
        let found = refused.iter().any(|(_, known)| *known == code);
        assert!(found, "{name}: no case of {code}, {why}");
    };
    for option in op.signature.options {
        match option.name {
            "groups" | "heads" => needs("E0305", "parts that do not divide"),
            "patch" => needs("E0310", "patches that do not divide"),
            "kernel" | "size" => needs("E0304", "a window larger than its input"),
            "shape" => needs("E0311", "another number of elements"),
            _ => {}
        }
        if matches!(
            option.name,
            "out" | "multiplier" | "kernel" | "factor" | "shape"
        ) {
            needs("E0307", "a size that overflows");
        }
        if matches!(option.kind, Kind::Integer { .. } | Kind::Pair { .. }) {
            needs("E0404", "a count of 0");
        }
        if option.default.is_none() {
            needs("E0402", "an option that is missing");
        }
    }
    if op.inputs.several() {
        needs("E0303", "shapes that differ");
        needs("E0409", "another number of tensors");
    }
    needs("E0401", "an option that there is not");
}
