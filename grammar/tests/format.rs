//! The canonical form, by example.

use cnnc_grammar::format;

fn canonical(source: &str) -> String {
    format(source).expect("parses")
}

#[test]
fn examples_of_the_language_are_canonical() {
    for source in [
        include_str!("../../examples/linear.net"),
        include_str!("../../examples/mlp.net"),
        include_str!("../../examples/mnist_cnn.net"),
        include_str!("language.net"),
    ] {
        assert_eq!(canonical(source), source);
    }
}

#[test]
fn a_messy_file_in_full() {
    let source = "\u{FEFF}# top\r\n\r\n\r\nnet   a( c=3,k , ) {\r\n\r\n  input x :f32[ N,1 , 28,28 ];  # the image\r\n\
        let  y=x|>conv( c,kernel=k*2-1 )   |>relu # twice\r\n  |>relu;\r\n\r\n\r\n   # the value\r\n\
        if c==3&&!true{y}else{let z=y;z}|>repeat 3{relu}|>dense(10,)\r\n}\r\n\
        train{loss=softmax_cross_entropy;optimizer=sgd( lr = 1e-3 );# slow\r\nnormalize=(0.5,1);}";
    let expected = "# top

net a(c=3, k) {
    input x: f32[N, 1, 28, 28];  # the image
    let y = x |> conv(c, kernel=k * 2 - 1) |> relu  # twice
              |> relu;

    # the value
    if c == 3 && !true { y } else {
        let z = y;
        z
    } |> repeat 3 { relu } |> dense(10)
}
train {
    loss      = softmax_cross_entropy;
    optimizer = sgd(lr=1e-3);  # slow
    normalize = (0.5, 1);
}
";
    assert_eq!(canonical(source), expected);
}

#[test]
fn a_comment_alone_stays() {
    assert_eq!(canonical("  # alone  "), "# alone\n");
    assert_eq!(canonical(""), "");
    assert_eq!(canonical("train { # why\n}"), "train {  # why\n}\n");
}

#[test]
fn the_tree_of_every_form() {
    let file = cnnc_grammar::parse(include_str!("language.net")).expect("parses");
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("language", cnnc_grammar::ast::dump(&file)));
}
