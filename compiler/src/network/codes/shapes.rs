//! Errors of shapes: `E03xx`.

use cnnc_grammar::diagnostics::Code;

/// The type of an input is not an image batch.
pub const INPUT_TYPE: Code = Code {
    name: "E0301",
    title: "an input has a type that is not supported",
    meaning: "An input of a net is `f32[N, channels, height, width]`: 32-bit floats, the batch first, \
              always written `N`, then three extents of at least 1.",
    why: "The batch size is chosen when the net is compiled (`batch` of the `train` section), and the \
          readers of data give images.",
    example: "net a {\n    input x: f32[1, 28, 28];\n    x |> flatten |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10)\n}",
};

/// An op was fed a value of the wrong rank.
pub const RANK: Code = Code {
    name: "E0302",
    title: "an op is fed a value of the wrong rank",
    meaning: "Convolutions, pools, `upsample` and `tokens` work on images of rank 4, `f32[N, channels, \
              height, width]`; `dense` works on vectors of rank 2, `f32[N, features]`, and on each of \
              the tokens of `f32[N, tokens, channels]`; `attention` and embeddings work on tokens.",
    why: "`flatten` is never put in silently: where it stands decides what the net computes.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> max_pool(2) |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> max_pool(2) |> flatten |> dense(10)\n}",
};

/// Element-wise op on different shapes.
pub const SHAPES_DIFFER: Code = Code {
    name: "E0303",
    title: "two tensors have different shapes",
    meaning: "`+`, `-`, `*`, `add` and `multiply` take two tensors of exactly the same shape; the \
              tensors of `concat` may differ in their channels only.",
    why: "Nothing is broadcast: a 1 in a shape that silently spreads is a common source of wrong nets.",
    example: "net a {\n    input x: f32[N, 8, 28, 28];\n    x + (x |> conv(16, kernel=3)) |> flatten |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 8, 28, 28];\n    x + (x |> conv(8, kernel=3)) |> flatten |> dense(10)\n}",
};

/// The window does not fit.
pub const WINDOW_TOO_LARGE: Code = Code {
    name: "E0304",
    title: "a window is larger than its padded input",
    meaning: "A kernel or pool window of k cells with dilation d covers (k - 1) * d + 1 cells, and the \
              input with its padding has fewer, so that there would be no output.",
    why: "An output of no cells cannot be trained. Often there is one pool too many.",
    example: "net a {\n    input x: f32[N, 1, 3, 3];\n    x |> conv(8, kernel=5, padding=valid) |> flatten |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 1, 3, 3];\n    x |> conv(8, kernel=5, padding=same) |> flatten |> dense(10)\n}",
};

/// Groups that do not divide the channels.
pub const GROUPS: Code = Code {
    name: "E0305",
    title: "groups do not divide the channels",
    meaning: "`groups=g` of a convolution splits both the input and the output channels into g equal \
              parts; `group_norm(g)` and `attention(heads)` split the channels of their input.",
    why: "A part of a channel does not exist.",
    example: "net a {\n    input x: f32[N, 4, 28, 28];\n    x |> conv(6, kernel=3, groups=3) |> flatten |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 4, 28, 28];\n    x |> conv(6, kernel=3, groups=2) |> flatten |> dense(10)\n}",
};

/// A pool window that holds only padding.
pub const ONLY_PADDING: Code = Code {
    name: "E0306",
    title: "a pool window would lie in the padding alone",
    meaning: "The padding of a pool must be smaller than its window, and must not be so wide that a \
              window reaches no cell of the input.",
    why: "Padding counts as minus infinity in `max_pool` and as nothing in `avg_pool`, so such a window \
          would have no value.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> max_pool(2, padding=2) |> flatten |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> max_pool(2, padding=1) |> flatten |> dense(10)\n}",
};

/// Too many elements.
pub const TOO_LARGE: Code = Code {
    name: "E0307",
    title: "a tensor or net is too large",
    meaning: "A parameter, or a tensor of a whole batch, may have 2^36 numbers, and all of them \
              together 2^40; multiply-adds are counted in 63 bits.",
    why: "No machine could hold it, and sizes must not overflow in the middle of a compilation.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(1000000000000)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(1000)\n}",
};

/// A shared layer on inputs of different shapes.
pub const SHARED_LAYER: Code = Code {
    name: "E0308",
    title: "a shared layer is used on inputs that need different parameters",
    meaning: "`let c = conv(...)` names one layer; each `|> c` uses the same parameters, so each input \
              must ask for parameters of the same shapes.",
    why: "One weight cannot have two shapes.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    let c = conv(8, kernel=3);\n    x |> c |> c |> flatten |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 8, 28, 28];\n    let c = conv(8, kernel=3);\n    x |> c |> c |> flatten |> dense(10)\n}",
};

/// The loss cannot take the output.
pub const OUTPUT_RANK: Code = Code {
    name: "E0309",
    title: "the loss cannot take the value of the net",
    meaning: "A loss compares one number per class with a label, for the image or for each of its pixels: \
              it needs a net whose value is `f32[N, classes]`, or `f32[N, classes, height, width]` with \
              the height and width of the image.",
    why: "There is no label for anything else.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> conv(10, kernel=3, stride=2)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> conv(10, kernel=3, stride=2) |> flatten |> dense(10)\n}",
};

/// Patches that do not divide an image.
pub const PATCHES: Code = Code {
    name: "E0310",
    title: "patches do not divide the image",
    meaning: "`tokens(p)` cuts an image into patches of p x p cells: p must divide its height and width.",
    why: "A part of a patch would be lost in silence.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> tokens(8) |> flatten |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> tokens(7) |> flatten |> dense(10)\n}",
};

/// A reshape to another number of elements.
pub const RESHAPE: Code = Code {
    name: "E0311",
    title: "a reshape would change the number of elements",
    meaning: "`reshape(16, 7, 7)` gives the elements of each example another shape; the product of its \
              extents stays. The batch is not among them.",
    why: "It moves nothing, adds nothing and drops nothing.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> reshape(16, 7, 8) |> flatten |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> reshape(16, 7, 7) |> flatten |> dense(10)\n}",
};

/// A batch norm that sees one value per channel.
pub const ONE_VALUE: Code = Code {
    name: "E0312",
    title: "a `batch_norm` has one value per channel",
    meaning: "In training `batch_norm` takes mean and variance of each channel over the batch, height \
              and width. With `batch = 1` on a vector there is one value, whose variance is 0 and whose \
              unbiased variance does not exist.",
    why: "The net would forget its input, and the running variance would become NaN.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10) |> batch_norm\n}\ntrain { batch = 1; }",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10) |> layer_norm\n}\ntrain { batch = 1; }",
};

/// All codes of this file.
pub const ALL: &[Code] = &[
    INPUT_TYPE,
    RANK,
    SHAPES_DIFFER,
    WINDOW_TOO_LARGE,
    GROUPS,
    ONLY_PADDING,
    TOO_LARGE,
    SHARED_LAYER,
    OUTPUT_RANK,
    PATCHES,
    RESHAPE,
    ONE_VALUE,
];
