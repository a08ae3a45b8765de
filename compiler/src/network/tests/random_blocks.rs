//! Random nets of blocks: printed, they come back the same.

use super::printing::check;
use proptest::prelude::*;

/// Blocks on `f32[N, 4, 6, 6]` that keep the shape, and use one another.
const BLOCKS: &str = "
block affine(init=ones) {
    input x;
    param scale: f32[x.channels] = init;
    param gain: f32[] = constant(0.5);
    x * scale * gain - scale
}
block unit(c, act=relu, k=3) {
    input x;
    let conv1 = conv(c, kernel=k);
    let y = x |> conv1 |> batch_norm |> act;
    if c == x.channels { y + x } else { y }
}
block mix(c) {
    input a;
    input b;
    let s = unit(c);
    concat(a |> s, b |> s) |> conv(c, kernel=1) |> repeat 2 { let r = affine; r |> relu }
}
block deep(n, f=identity) {
    input x;
    let shared = conv(4, kernel=1) |> relu;
    x |> repeat n { unit(4, k=1) |> f |> shared } |> if n > 1 { mix(4, x) }
}
block silent {
    input x;
    x
}
block bn {
    input x;
    let norm = batch_norm(affine=false);
    x |> norm |> norm |> max_pool(x.height / 2, stride=1, padding=same)
}
";

fn random_net() -> impl Strategy<Value = String> {
    let op = prop::sample::select(vec![
        "relu",
        "conv(4, kernel=3)",
        "affine",
        "affine(init=normal(0.1))",
        "unit(4)",
        "unit(4, act=act)",
        "deep(1)",
        "deep(2, f=affine)",
        "silent",
        "bn",
        "act",
        "conv2",
        "unit1",
        "pool",
        "chain",
        "norm",
        "repeat 2 { unit(4, k=1) |> act }",
        "repeat 3 { let c = conv(4, kernel=1, bias=false); c }",
        "if x.height > 3 { deep(1, f=conv2) } else { dense(3) }",
        "mix(4, x)",
        "both(x)",
    ]);
    let name = prop::sample::select(vec![
        "y", "relu1", "conv1", "unit2", "unit1_1", "act_1", "affine1", "c1", "scale", "add1",
    ]);
    let step = (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        0..6_usize,
        op,
        name,
    );
    prop::collection::vec(step, 1..9).prop_map(|steps| {
        let mut tensors = vec!["x".to_string()];
        let mut body = String::new();
        for (a, b, kind, op, name) in steps {
            let (a, b) = (a.get(&tensors).clone(), b.get(&tensors).clone());
            // `scale` is an op, and so cannot be a `let`.
            let name = match tensors.iter().any(|known| known == name) || name == "scale" {
                true => format!("t{}", tensors.len()),
                false => name.to_string(),
            };
            let value = match kind {
                0 => format!("{a} + {b} |> {op}"),
                1 => format!("({a} |> {op}) * shift - {b}"),
                2 => a,
                3 => format!("mix({a}, {b}, 4)"),
                4 => format!("both({a}, {b}) |> {op}"),
                _ => format!("{a} |> {op} |> {op} |> add({b})"),
            };
            body.push_str(&format!("let {name} = {value};\n"));
            tensors.push(name);
        }
        let uses: Vec<String> = tensors
            .iter()
            .map(|name| format!("({name} |> act)"))
            .collect();
        format!(
            "{BLOCKS} net a(wide=4) {{ input x: f32[N, 4, 6, 6];
            param shift: f32[4] = zeros; param scale: f32[4, 6, 6] = ones;
            let act = tanh; let conv2 = conv(wide, kernel=3); let unit1 = unit(4);
            let pool = max_pool(2, stride=1, padding=same);
            let chain = conv(4, kernel=1) |> unit1 |> affine;
            let norm = batch_norm(affine=false); let both = mix(4);
            {body} {} + (x * scale |> conv2 |> unit1 |> pool |> chain |> norm |> both(x + shift))
            |> flatten |> dense(3) }}",
            uses.join(" + ")
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_networks_of_blocks_survive(source in random_net()) {
        check(&source);
    }
}
