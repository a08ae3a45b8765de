//! BUG-68: whatever parses is built or refused with a place, and nothing panics.

use super::network;
use crate::network::ops::OPS;
use crate::network::{Options, print};
use proptest::prelude::*;

fn value() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "x",
        "y",
        "z",
        "0",
        "1",
        "2",
        "3",
        "-1",
        "2.5",
        "9223372036854775807",
        "true",
        "same",
        "tanh",
        "none",
        "element",
        "features",
        "0.5",
        "relu",
        "conv",
        "he_normal",
        "normal(0.1)",
        "(2, 3)",
        "((0, 1), (1, 0))",
        "\"text\"",
        "N",
        "x.channels",
        "[1]",
        "conv(4, kernel=3)",
        "batch_norm",
        "b",
        "p",
        "p.features",
        "c.weight",
        "if k == 3 { x } else { 2 }",
        "if x.channels > k { relu }",
        "k",
    ])
    .prop_map(str::to_string);
    leaf.prop_recursive(2, 6, 3, |inner| {
        let op = prop::sample::select(vec!["+", "-", "*", "/", "%", "==", "&&"]);
        prop_oneof![
            (inner.clone(), op, inner.clone()).prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            (inner.clone(), stage(inner)).prop_map(|(a, stage)| format!("({a} |> {stage})")),
        ]
    })
}

fn stage(value: impl Strategy<Value = String> + Clone + 'static) -> impl Strategy<Value = String> {
    let others = [
        "x",
        "c",
        "cnov",
        "b",
        "two",
        "p",
        "same",
        "repeat k { b }",
        "repeat 2 { let c = x; c }",
        "if k == 3 { conv(4, kernel=1) } else { 3 }",
    ];
    let ops = OPS.iter().map(|op| op.signature.name);
    let name = prop::sample::select(ops.chain(others).collect::<Vec<_>>());
    let option = prop::sample::select(vec![
        "",
        "",
        "kernel=",
        "stride=",
        "padding=",
        "dilation=",
        "groups=",
        "bias=",
        "init=",
        "out=",
        "size=",
        "multiplier=",
        "count_padding=",
        "shape=",
        "over=",
        "affine=",
        "approximate=",
        "eps=",
        "p=",
        "kernl=",
    ]);
    let argument = (option, value).prop_map(|(name, value)| format!("{name}{value}"));
    (name, prop::collection::vec(argument, 0..4)).prop_map(|(name, arguments)| {
        if arguments.is_empty() || name.contains(' ') {
            name.to_string()
        } else {
            format!("{name}({})", arguments.join(", "))
        }
    })
}

fn source() -> impl Strategy<Value = String> {
    let chain = prop::collection::vec(stage(value().boxed()), 0..4);
    (value(), value(), chain, value()).prop_map(|(first, second, chain, batch)| {
        format!(
            "block b(k={first}) {{ input x; param q: f32[x.channels] = ones; let d = {second}; x * q |> {} }}
            block two(i=he_normal) {{ input x; input y; x |> b |> add(y |> b(k={first})) }}
            net a(k=3) {{ input x: f32[N, 4, 6, 6]; param p: f32[4] = zeros; let c = {first}; let y = x |> relu; let z = {second};
            x + y |> {} |> flatten |> dense(3) }} train {{ batch = {batch}; seed = {second}; }}",
            chain.first().map_or("b", String::as_str),
            if chain.is_empty() { "identity".to_string() } else { chain.join(" |> ") }
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nets_are_built_or_refused(source in source()) {
        match network(&source, &Options::default()) {
            Ok(built) => prop_assert!(super::good(&print(&built)).layers.len() == built.layers.len()),
            Err(errors) => {
                prop_assert!(!errors.is_empty());
                for error in errors {
                    let span = error.span().expect("a place");
                    prop_assert!(span.start <= span.end && span.end <= source.len());
                }
            }
        }
    }
}
