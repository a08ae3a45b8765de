use super::{ElementType, Mode, Tensor, lowered, numbers, run, scalar};
use crate::autodiff;
use crate::stablehlo::Function;

fn dropped(layer: &str) -> Function {
    let text = format!("net a {{ input x: f32[N, 1, 3, 5]; x |> flatten |> {layer} }}");
    lowered(&text, 1, Mode::Training).expect("lowered")
}

fn state(seed: i64, step: i64) -> [Tensor<f64>; 2] {
    [
        scalar(ElementType::Ui64, seed),
        scalar(ElementType::Ui32, step),
    ]
}

fn results(function: &Function, [seed, step]: [i64; 2], rest: &[Tensor<f64>]) -> Vec<f64> {
    let mut arguments = state(seed, step).to_vec();
    arguments.extend_from_slice(rest);
    run(function, &arguments).expect("a result")[0].to_f64()
}

/// A string with an x for each element that is not 0.
fn pattern(values: &[f64]) -> String {
    let letter = |&v: &f64| if v == 0.0 { '.' } else { 'x' };
    values.iter().map(letter).collect()
}

fn threes(batch: i64) -> Tensor<f64> {
    numbers(&[batch, 1, 3, 5], &vec![3.0; 15 * batch as usize])
}

/// The patterns are those that bench/dropout_mask.py prints.
#[test]
fn jax_draws_the_same_mask() {
    let quarter = dropped("dropout(0.25)");
    for ([seed, step], expected) in [
        ([7, 0], "xxx.xxxxxx.x.xx"),
        ([7, 1], "xxxxxxxx.x.xxx."),
        ([7 + (3 << 32), 0], "x.x..xxxxxx.xxx"),
    ] {
        let y = results(&quarter, [seed, step], &[threes(1)]);
        assert_eq!(pattern(&y), expected, "seed {seed}, step {step}");
        // BUG-57: kept values are exactly 3 / (1 - 0.25).
        assert!(y.iter().all(|&v| v == 0.0 || v == 4.0), "{y:?}");
    }
    let later = dropped("identity |> dropout(0.5)");
    let y = results(&later, [7, 0], &[threes(1)]);
    assert_eq!(pattern(&y), ".xxx.x.x..xx.xx");
}

#[test]
fn bug_57_backward_drops_what_forward_drops() {
    let forward = dropped("dropout(0.25)");
    let pullback = autodiff::pullback(&forward, &[2], "pullback", "dy").expect("a pullback");
    let dy: Vec<f64> = (1..=15).map(|i| f64::from(3 * i)).collect();
    let image = threes(1);
    let y = results(&forward, [9, 4], std::slice::from_ref(&image));
    let dx = results(&pullback, [9, 4], &[image, numbers(&[1, 15], &dy)]);
    let expected: Vec<f64> = y
        .iter()
        .zip(&dy)
        .map(|(y, dy)| if *y == 0.0 { 0.0 } else { dy / 0.75 })
        .collect();
    assert!(y.contains(&0.0), "{y:?}");
    assert_eq!(dx, expected);
}

#[test]
fn bug_57_rates_0_and_1_and_evaluation() {
    let text =
        |p: &str| format!("net a {{ input x: f32[N, 1, 3, 5]; x |> flatten |> dropout({p}) }}");
    let none = lowered(&text("0"), 1, Mode::Training).expect("lowered");
    // No state: nothing is drawn.
    let y = run(&none, &[threes(1)]).expect("logits")[0].to_f64();
    assert_eq!(y, [3.0; 15]);
    let all = lowered(&text("1"), 1, Mode::Training).expect("lowered");
    assert_eq!(results(&all, [1, 2], &[threes(1)]), [0.0; 15]);
    let pullback = autodiff::pullback(&all, &[2], "pullback", "dy").expect("a pullback");
    let dy = numbers(&[1, 15], &[1.0; 15]);
    assert_eq!(results(&pullback, [1, 2], &[threes(1), dy]), [0.0; 15]);
    let evaluation = lowered(&text("0.9"), 1, Mode::Evaluation).expect("lowered");
    assert_eq!(results(&evaluation, [1, 2], &[threes(1)]), [3.0; 15]);
}

/// 48,902 of 65,536 by bench/dropout_mask.py; 49,152 are expected, and three
/// deviations are 333.
#[test]
fn a_quarter_is_dropped() {
    let text = "net a { input x: f32[N, 16, 64, 64];
                x |> identity |> identity |> identity |> dropout(0.25) |> flatten }";
    let function = lowered(text, 1, Mode::Training).expect("lowered");
    let image = numbers(&[1, 16, 64, 64], &vec![3.0; 65536]);
    let y = results(&function, [1, 2], &[image]);
    let kept = y.iter().filter(|&&v| v != 0.0).count();
    assert_eq!(kept, 48_902);
    let mean = y.iter().sum::<f64>() / 65536.0;
    assert!((mean - 3.0).abs() < 0.02, "{mean}");
}

#[test]
fn drop_path_drops_whole_examples() {
    let text = "net a { input x: f32[N, 1, 3, 5]; x |> drop_path(0.5) |> flatten }";
    let function = lowered(text, 64, Mode::Training).expect("lowered");
    let y = results(&function, [5, 0], &[threes(64)]);
    let kept: Vec<bool> = y
        .chunks(15)
        .map(|example| {
            assert!(example.iter().all(|&v| v == example[0]), "{example:?}");
            assert!(example[0] == 0.0 || example[0] == 6.0, "{example:?}");
            example[0] != 0.0
        })
        .collect();
    let count = kept.iter().filter(|&&k| k).count();
    // Half of 64; 12 is three deviations.
    assert!((20..=44).contains(&count), "{count}");
}
