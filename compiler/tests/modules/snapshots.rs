//! Every emitted function as text. `cargo insta review` shows what a change
//! does to the code that users get.

use cnnc::iree::Target;
use cnnc::program::FUNCTIONS;

use crate::{BATCH, NETS, pretty, unit};

fn assert_text(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn portable_functions() {
    for net in NETS {
        let unit = unit(net);
        for function in FUNCTIONS {
            let module = unit.portable(BATCH, &[function]).unwrap();
            assert_text(&format!("{net}_{function}"), &pretty(&module));
        }
    }
}

#[test]
fn the_step_that_trains_mnist() {
    let module = unit("mnist_cnn").portable(128, &["train_step"]).unwrap();
    assert_text("mnist_cnn_train_step_128", &pretty(&module));
}

#[test]
fn tuned_steps() {
    for net in NETS {
        let module = unit(net)
            .tuned(BATCH, &["train_step"], Target::Cpu)
            .unwrap();
        assert_text(&format!("{net}_train_step_tuned"), &pretty(&module));
    }
}
