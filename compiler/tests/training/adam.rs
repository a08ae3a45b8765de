//! Adam over several parameters, whose updates share one counter.

use super::net::{Net, tensor};
use super::programs;

/// Two numbers whose gradients are 1 at every step: of 200 more than a label of 0
/// asks for, sigmoid is 1 in f32.
const TWO: &str = "net a { input x: f32[N, 1, 1, 1];
        param a: f32[] = zeros; param b: f32[] = zeros;
        (x |> flatten) + a + b }
    train { loss = binary_cross_entropy; optimizer = adam(0.001); }";

/// A counter that went on at each parameter would move the second one by -0.000744 at first,
/// and without correction both would move by -0.003162.
#[test]
fn bug_51_the_counter_goes_by_steps_and_not_by_parameters() {
    let net = Net::new(&programs::runtime(), TWO, 1, &["train_step"]);
    let mut state = net.state(&[("a", &[0.0]), ("b", &[0.0])]);
    for (step, expected) in [(1.0, -0.001), (2.0, -0.002), (3.0, -0.003)] {
        let output = net
            .program
            .train_step(&mut state, &[200.0], &[0], 0.001, true);
        output.expect("runs");
        for name in ["a", "b"] {
            let found = tensor(&net, &state, name)[0];
            assert!(
                (found - expected).abs() < 1e-8,
                "{name}: {found} after step {step}"
            );
        }
        assert_eq!(tensor(&net, &state, "optimizer:updates"), [step]);
    }
}
