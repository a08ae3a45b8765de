//! Errors of names and structure: `E02xx`.

use cnnc_grammar::diagnostics::Code;

/// The file has no net.
pub const NO_NET: Code = Code {
    name: "E0201",
    title: "no layers: the file has no `net`",
    meaning: "A `.net` file needs at least one `net name { ... }`; this one is empty, or has only \
              comments, blocks or a `train` section.",
    why: "Without layers there is nothing to compile.",
    example: "# only a comment",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10)\n}",
};

/// A name that nothing has.
pub const UNKNOWN_NAME: Code = Code {
    name: "E0202",
    title: "unknown name",
    meaning: "The name is no op, no `input`, no `let` above this place, and no hyper-parameter of \
              the net. Names are used below where they are made.",
    why: "A misspelt op or tensor must not be guessed at.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> flaten |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10)\n}",
};

/// A name made twice.
pub const DUPLICATE_NAME: Code = Code {
    name: "E0203",
    title: "a name is made twice",
    meaning: "An `input`, `let`, hyper-parameter, `net` or `block` has the name of another one, or \
              of an op.",
    why: "A name has one meaning in all of its body, so that a net can be read from any place.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    let x = x |> flatten;\n    x |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    let y = x |> flatten;\n    y |> dense(10)\n}",
};

/// A name that is never used.
pub const UNUSED_NAME: Code = Code {
    name: "E0204",
    title: "a name is never used",
    meaning: "The `let` or `input` does not reach the value of the net.",
    why: "Most often a branch was left out of the net by mistake; its parameters would never learn.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    let y = x |> relu;\n    x |> flatten |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    let y = x |> relu;\n    y |> flatten |> dense(10)\n}",
};

/// `--net` names none of the file's nets.
pub const NO_SUCH_NET: Code = Code {
    name: "E0206",
    title: "the file has no net of that name",
    meaning: "`--net NAME` chooses one of the nets of a file; without it the last one is taken.",
    why: "Another net than the chosen one must not be trained in its place.",
    example: "# --net b\nnet a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10)\n}",
    instead: "# --net a\nnet a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10)\n}",
};

/// A body without a value.
pub const NO_RESULT: Code = Code {
    name: "E0207",
    title: "the net has no value",
    meaning: "The last expression of a net, which has no `;` behind it, is what the net computes.",
    why: "Without it the net has no output.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    let y = x |> flatten |> dense(10);\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    let y = x |> flatten |> dense(10);\n    y\n}",
};

/// A value of the wrong sort: tensor, op or number.
pub const WRONG_SORT: Code = Code {
    name: "E0208",
    title: "a tensor, an op or a number where another of them belongs",
    meaning: "Left of the first `|>` stands a tensor, right of each `|>` an op; `+`, `-` and `*` take \
              two tensors or two numbers; the value of a net is a tensor.",
    why: "Each of the three means something only in its own place.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    let y = x |> flatten;\n    x |> y |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    let y = x |> flatten;\n    y |> dense(10)\n}",
};

/// A net that computes nothing.
pub const NO_LAYERS: Code = Code {
    name: "E0209",
    title: "no layers: the net gives its input back",
    meaning: "The value of the net is one of its inputs; no op stands in between.",
    why: "There is nothing to compute and nothing to train.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10)\n}",
};

/// A hyper-parameter without a value.
pub const NO_VALUE: Code = Code {
    name: "E0210",
    title: "a hyper-parameter has no value",
    meaning: "A hyper-parameter of a net needs a default, or a value from `--set name=value`.",
    why: "Shapes must be known when the net is compiled.",
    example: "net a(classes) {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(classes)\n}",
    instead: "net a(classes=10) {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(classes)\n}",
};

/// All codes of this file.
pub const ALL: &[Code] = &[
    NO_NET,
    UNKNOWN_NAME,
    DUPLICATE_NAME,
    UNUSED_NAME,
    NO_SUCH_NET,
    NO_RESULT,
    WRONG_SORT,
    NO_LAYERS,
    NO_VALUE,
];
