//! What users read when an op does not fit its input: one story per family.

use super::errors::check;

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
    ops_of_images_on_vectors: "net a {
    input x: f32[N, 4, 8, 8];
    let v = x |> flatten;
    let a = v |> depthwise_conv(kernel=3);
    let b = v |> avg_pool(2);
    let c = v |> global_avg_pool;
    let d = v |> upsample(2);
    let e = v |> tokens(2);
    a + b + c + d + e
}";
    ops_of_tokens_on_images: "net a {
    input x: f32[N, 4, 8, 8];
    let a = x |> attention(2);
    let b = x |> class_token;
    let c = x |> flatten |> first_token;
    let d = x |> flatten |> position_embedding;
    a + b + c + d
}";
    group_norm_of_tokens: "net a {
    input x: f32[N, 4, 8, 8];
    x |> tokens(2) |> group_norm(2) |> first_token
}";
    parts_that_do_not_divide: "net a {
    input x: f32[N, 4, 9, 8];
    let a = x |> group_norm(3);
    let b = x |> tokens(2);
    let c = x |> tokens((3, 3));
    let d = x |> tokens |> attention(3);
    a + b + c + d
}";
    windows_that_do_not_fit: "net a {
    input x: f32[N, 4, 5, 5];
    let a = x |> depthwise_conv(kernel=7, padding=valid);
    let b = x |> avg_pool(6);
    let c = x |> avg_pool(2, padding=2);
    let d = x |> avg_pool(3, padding=((0, 0), (0, 3)), stride=5, count_padding=true);
    a + b + c + d
}";
    reshape_to_another_size: "net a {
    input x: f32[N, 4, 5, 5];
    let a = x |> reshape(4, 5, 6);
    let b = x |> reshape(10, 2, 5, 1);
    let c = x |> reshape;
    a + b + c
}";
    concat_of_different_shapes: "net a {
    input x: f32[N, 4, 8, 8];
    let small = x |> max_pool(2);
    let flat = x |> flatten;
    let a = concat(x, x, small);
    let b = concat(flat, x);
    let c = x |> concat;
    let d = x |> tokens(2) |> concat(x |> tokens(4));
    a + b + c + d
}";
    options_of_ops: "net a {
    input x: f32[N, 4, 8, 8];
    let a = x |> gelu(approximate=tan);
    let b = x |> layer_norm(over=chanels, affine=per_element);
    let c = x |> batch_norm(epsilon=0.1, momentum=2);
    let d = x |> dropout(p=1.5);
    let e = x |> avg_pool(2, count_pad=true) |> leaky_relu(slope=fast);
    a + b + c + d + e
}";
    sizes_of_ops_that_overflow: "net a {
    input x: f32[N, 4, 8, 8];
    let a = x |> depthwise_conv(kernel=3, multiplier=9223372036854775807);
    let b = x |> upsample(4611686018427387904);
    let c = x |> upsample(1000000);
    let d = x |> reshape(9223372036854775807, 2, 2);
    let e = x |> tokens |> dense(1000000000000);
    let f = x |> avg_pool(1, padding=(0, 4000000000), count_padding=true);
    a + b + c + d + e + f
}";
    batch_norm_of_one_value: "net a {
    input x: f32[N, 4, 8, 8];
    x |> conv(8, kernel=3) |> batch_norm |> global_avg_pool |> batch_norm |> dense(10)
}
train { batch = 1; }";
    names_from_other_libraries: "net a {
    input x: f32[N, 4, 8, 8];
    x |> DepthwiseConv2D(3) |> HardSwish |> LayerNorm |> cat(x) |> flatten |> dense(10)
}";
}
