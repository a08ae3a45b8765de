//! Errors of options and values: `E04xx`.

use cnnc_grammar::diagnostics::Code;

/// An option that the op lacks.
pub const UNKNOWN_OPTION: Code = Code {
    name: "E0401",
    title: "unknown option",
    meaning: "The op, loss, optimizer or initialiser has no option of that name.",
    why: "An option that is ignored is an option that was meant to matter.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> conv(8, kernal=3) |> flatten |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> conv(8, kernel=3) |> flatten |> dense(10)\n}",
};

/// A required option is not given.
pub const MISSING_OPTION: Code = Code {
    name: "E0402",
    title: "a required option is missing",
    meaning: "The option has no default.",
    why: "There is no value that most nets would want.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> conv(8) |> flatten |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> conv(8, kernel=3) |> flatten |> dense(10)\n}",
};

/// A value of another type.
pub const WRONG_TYPE: Code = Code {
    name: "E0403",
    title: "a value has the wrong type",
    meaning: "The option or operator takes values of another type, such as an integer where a float \
              is given.",
    why: "Nothing is rounded or converted in silence, but for integers where a float is due.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> conv(8, kernel=2.5) |> flatten |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> conv(8, kernel=3) |> flatten |> dense(10)\n}",
};

/// A value outside its range.
pub const OUT_OF_RANGE: Code = Code {
    name: "E0404",
    title: "a value is out of its range",
    meaning: "Counts, kernels, strides, dilations and groups are at least 1, padding at least 0; a \
              learning rate and an eps are finite and above 0, a probability is from 0 to 1.",
    why: "Other values have no meaning there.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> conv(8, kernel=3, stride=0) |> flatten |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> conv(8, kernel=3, stride=1) |> flatten |> dense(10)\n}",
};

/// A word that the option does not know.
pub const UNKNOWN_VALUE: Code = Code {
    name: "E0405",
    title: "unknown value",
    meaning: "The option or setting takes one of the words that the message lists.",
    why: "A misspelt word must not fall back to a default.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> conv(8, kernel=3, padding=smae) |> flatten |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> conv(8, kernel=3, padding=same) |> flatten |> dense(10)\n}",
};

/// A value without a name where one is needed.
pub const TOO_MANY: Code = Code {
    name: "E0406",
    title: "a value without a name, which it needs here",
    meaning: "Only the first option of an op may be given without its name: `conv(8, kernel=3)`.",
    why: "`conv(8, 3, 2)` can be read in several ways.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> conv(8, 3) |> flatten |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> conv(8, kernel=3) |> flatten |> dense(10)\n}",
};

/// An option given twice.
pub const TWICE: Code = Code {
    name: "E0407",
    title: "an option is given twice",
    meaning: "The same option has two values in one call.",
    why: "It is open which of them was meant.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> conv(8, kernel=3, kernel=5) |> flatten |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> conv(8, kernel=5) |> flatten |> dense(10)\n}",
};

/// Arithmetic without a result.
pub const ARITHMETIC: Code = Code {
    name: "E0408",
    title: "arithmetic has no result",
    meaning: "An integer leaves its 64 bits, a float is not finite, or something is divided by 0.",
    why: "A size that wraps around or a NaN in a setting would be found much later.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10 / 0)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10 / 1)\n}",
};

/// An op with too few or too many tensors.
pub const TENSOR_COUNT: Code = Code {
    name: "E0409",
    title: "an op is fed the wrong number of tensors",
    meaning: "`add` and `multiply` take two tensors: `add(a, b)` or `a |> add(b)`. The other ops take \
              the one left of `|>`.",
    why: "The op has no meaning for another number.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> add |> flatten |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> add(x) |> flatten |> dense(10)\n}",
};

/// A field that the value lacks.
pub const UNKNOWN_FIELD: Code = Code {
    name: "E0410",
    title: "unknown field",
    meaning: "Images have `.channels`, `.height` and `.width`, tokens have `.tokens` and `.channels`, \
              vectors have `.features`.",
    why: "Nothing else of a tensor is known when it is compiled.",
    example: "net a {\n    input x: f32[N, 8, 28, 28];\n    x |> conv(x.features, kernel=3) |> flatten |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 8, 28, 28];\n    x |> conv(x.channels, kernel=3) |> flatten |> dense(10)\n}",
};

/// A block that is given too many values.
pub const ARGUMENT_COUNT: Code = Code {
    name: "E0411",
    title: "too many values",
    meaning: "A block or net takes as many values without a name as it has hyper-parameters; tensors \
              do not count.",
    why: "A value that is left over was meant to matter.",
    example: "block head(c) {\n    input x;\n    x |> dense(c)\n}\nnet a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> head(10, false)\n}",
    instead: "block head(c, bias=true) {\n    input x;\n    x |> dense(c, bias=bias)\n}\nnet a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> head(10, false)\n}",
};

/// All codes of this file.
pub const ALL: &[Code] = &[
    UNKNOWN_OPTION,
    MISSING_OPTION,
    WRONG_TYPE,
    OUT_OF_RANGE,
    UNKNOWN_VALUE,
    TOO_MANY,
    TWICE,
    ARITHMETIC,
    TENSOR_COUNT,
    UNKNOWN_FIELD,
    ARGUMENT_COUNT,
];
