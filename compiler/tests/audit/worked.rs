//! Numbers worked by hand: where a 2 x 2 max-pool and a relu send a gradient.

use cnnc::autodiff;
use cnnc::reference::{Options, Tensor, Ties, run, run_with};
use cnnc::stablehlo::{Builder, Function, Reducer, TensorType, Window};

/// The pullback of a function of one argument.
fn pullback(b: Builder) -> Function {
    autodiff::pullback(&b.function, &[0], "pullback", "cotangent").unwrap()
}

/// The pullback of a 2 x 2 max-pool of stride 2 over 2 x 2 cells.
fn pool() -> Function {
    let mut b = Builder::named("pool");
    let x = b
        .function
        .argument(Some("x"), TensorType::f32([1, 1, 2, 2]));
    let mut window = Window::unit(4);
    window.size = vec![1, 1, 2, 2];
    window.strides = vec![1, 1, 2, 2];
    let y = b.reduce_window(Reducer::Max, x, window).unwrap();
    b.function.output(None, y);
    pullback(b)
}

fn arguments(x: [f64; 4], cotangent: f64) -> [Tensor<f64>; 2] {
    let cells = TensorType::f32([1, 1, 2, 2]);
    let one = TensorType::f32([1, 1, 1, 1]);
    [
        Tensor::from_f64(cells, &x).unwrap(),
        Tensor::from_f64(one, &[cotangent]).unwrap(),
    ]
}

fn routed(x: [f64; 4], ties: Ties) -> Vec<f64> {
    let options = Options {
        ties,
        ..Options::default()
    };
    let results = run_with(&pool(), &arguments(x, 7.0), options, |_| {}).unwrap();
    results[0].to_f64()
}

#[test]
fn a_tie_goes_to_the_first_maximal_cell() {
    let cases = [
        ([5.0, 5.0, 5.0, 5.0], [7.0, 0.0, 0.0, 0.0]),
        ([1.0, 2.0, 2.0, 2.0], [0.0, 7.0, 0.0, 0.0]),
        ([0.0, 0.0, 0.0, 0.0], [7.0, 0.0, 0.0, 0.0]),
        ([-1.0, -2.0, -1.0, -3.0], [7.0, 0.0, 0.0, 0.0]),
        ([1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 7.0]),
    ];
    for (x, expected) in cases {
        assert_eq!(routed(x, Ties::First), expected, "{x:?}");
        assert_eq!(
            run(&pool(), &arguments(x, 7.0)).unwrap()[0].to_f64(),
            expected
        );
    }
}

#[test]
fn another_maximal_cell_can_be_chosen_and_only_a_maximal_one() {
    let x = [1.0, 2.0, 2.0, 2.0];
    let last = [
        [0.0, 7.0, 0.0, 0.0],
        [0.0, 0.0, 7.0, 0.0],
        [0.0, 0.0, 0.0, 7.0],
    ];
    for number in 0..6 {
        assert_eq!(routed(x, Ties::Nth(number)), last[number % 3], "{number}");
    }
    let drawn: Vec<Vec<f64>> = (0..32).map(|seed| routed(x, Ties::Drawn(seed))).collect();
    for cell in last {
        assert!(drawn.iter().any(|chosen| *chosen == cell), "never {cell:?}");
    }
    assert!(
        drawn
            .iter()
            .all(|chosen| last.iter().any(|cell| chosen == cell))
    );
    let unique = [3.0, 1.0, 2.0, 2.0];
    for ties in [Ties::Nth(1), Ties::Drawn(1), Ties::Drawn(2)] {
        assert_eq!(routed(unique, ties), [7.0, 0.0, 0.0, 0.0]);
    }
}

/// PyTorch's relu has derivative 0 at 0, too.
#[test]
fn relu_has_derivative_0_at_0() {
    let mut b = Builder::named("relu");
    let x = b.function.argument(Some("x"), TensorType::f32([4]));
    let zero = b.splat_like(0.0, x).unwrap();
    let y = b.maximum(x, zero).unwrap();
    b.function.output(None, y);
    let of = |values: [f64; 4]| Tensor::<f64>::from_f64(TensorType::f32([4]), &values).unwrap();
    let x = of([-1.0, 0.0, -0.0, 2.0]);
    let results = run(&pullback(b), &[x, of([7.0; 4])]).unwrap();
    assert_eq!(results[0].to_f64(), [0.0, 0.0, 0.0, 7.0]);
}

/// relu before a pool: all cells below 0 or at it, so nothing flows, whichever
/// cell the pool selects.
#[test]
fn nothing_flows_through_a_dead_window() {
    let mut b = Builder::named("relu_pool");
    let x = b
        .function
        .argument(Some("x"), TensorType::f32([1, 1, 2, 2]));
    let zero = b.splat_like(0.0, x).unwrap();
    let y = b.maximum(x, zero).unwrap();
    let mut window = Window::unit(4);
    window.size = vec![1, 1, 2, 2];
    let y = b.reduce_window(Reducer::Max, y, window).unwrap();
    b.function.output(None, y);
    let pullback = pullback(b);
    let flows = |x: [f64; 4], number: usize| {
        let options = Options {
            ties: Ties::Nth(number),
            ..Options::default()
        };
        let results = run_with(&pullback, &arguments(x, 7.0), options, |_| {}).unwrap();
        results[0].to_f64()
    };
    for number in 0..4 {
        assert_eq!(flows([-1.0, -2.0, -1.0, -3.0], number), [0.0; 4]);
        assert_eq!(flows([0.0, -2.0, 0.0, 0.0], number), [0.0; 4]);
        assert_eq!(flows([-1.0, 3.0, -1.0, 2.0], number), [0.0, 7.0, 0.0, 0.0]);
    }
}
