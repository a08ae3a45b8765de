//! Errors of imports, blocks and their expansion: `E0211` to `E0221`.

use cnnc_grammar::diagnostics::Code;

/// A block that uses itself.
pub const RECURSION: Code = Code {
    name: "E0211",
    title: "a block uses itself",
    meaning: "The block or net is used in its own body, or in that of a block that it uses.",
    why: "Blocks are expanded where they are used, so that this would never end; an `if` does not \
          help, since every use is looked at.",
    example: "block deep(n) {\n    input x;\n    if n == 0 { x } else { x |> relu |> deep(n - 1) }\n}\nnet a {\n    input x: f32[N, 1, 28, 28];\n    x |> deep(3) |> flatten |> dense(10)\n}",
    instead: "block deep(n) {\n    input x;\n    x |> repeat n { relu }\n}\nnet a {\n    input x: f32[N, 1, 28, 28];\n    x |> deep(3) |> flatten |> dense(10)\n}",
};

/// A file that cannot be imported.
pub const IMPORT: Code = Code {
    name: "E0212",
    title: "a file cannot be imported",
    meaning: "The file of an `import` is not there, or is no text. Its path is relative to the file \
              with the `import`.",
    why: "The blocks of that file are missing. Unknown names are not reported beside this error, \
          since that file may have them.",
    example: "import \"missing.net\";\nnet a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> head(10)\n}",
    instead: "block head(classes) {\n    input x;\n    x |> dense(classes)\n}\nnet a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> head(10)\n}",
};

/// Files that import each other.
pub const IMPORT_CYCLE: Code = Code {
    name: "E0213",
    title: "files import each other",
    meaning: "A file imports itself, or a file that leads back to it.",
    why: "What belongs together this closely belongs in one file, and what both need in a third.",
    example: "# model.net\nimport \"model.net\";\nnet a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10)\n}",
    instead: "# model.net\nnet a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10)\n}",
};

/// A block that takes no tensor.
pub const NO_INPUT: Code = Code {
    name: "E0214",
    title: "a block or net has no input",
    meaning: "A block needs at least one `input x;`, a net at least one `input x: f32[N, ...];`.",
    why: "Without one there is nothing to feed.",
    example: "block head(c) {\n    dense(c)\n}\nnet a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> head(10)\n}",
    instead: "block head(c) {\n    input x;\n    x |> dense(c)\n}\nnet a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> head(10)\n}",
};

/// Too much of something.
pub const LIMIT: Code = Code {
    name: "E0215",
    title: "a net expands to too much",
    meaning: "Layers, uses of blocks and rounds of `repeat` may be 65536 together, blocks may stand \
              64 deep in one another, and a file may import 256 others.",
    why: "A slip in a number must not fill the memory.",
    example: "block wide {\n    input x;\n    x |> repeat 300 { relu }\n}\nnet a {\n    input x: f32[N, 1, 28, 28];\n    x |> repeat 300 { wide } |> flatten |> dense(10)\n}",
    instead: "block wide {\n    input x;\n    x |> repeat 3 { relu }\n}\nnet a {\n    input x: f32[N, 1, 28, 28];\n    x |> repeat 3 { wide } |> flatten |> dense(10)\n}",
};

/// Two parameters of one name.
pub const SAME_PARAMETER: Code = Code {
    name: "E0216",
    title: "two parameters have one name",
    meaning: "The paths of parameters come of `let`s, blocks, ops and numbers; two of them are the \
              same. It takes a name with points to bring this about.",
    why: "The path is the key of checkpoints.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    let c = dense(10);\n    param c.bias: f32[10] = zeros;\n    (x |> flatten |> c) + c.bias\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    let c = dense(10);\n    param shift: f32[10] = zeros;\n    (x |> flatten |> c) + shift\n}",
};

/// An `if` without a value.
pub const NO_BRANCH: Code = Code {
    name: "E0217",
    title: "an `if` has no value",
    meaning: "No condition holds, and there is no `else`. Behind `|>` such an `if` passes its input \
              on; elsewhere it needs a value.",
    why: "There is nothing to compute with.",
    example: "net a(wide=false) {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(if wide { 20 })\n}",
    instead: "net a(wide=false) {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(if wide { 20 } else { 10 })\n}",
};

/// A name with points for something else than one op.
pub const POINTS: Code = Code {
    name: "E0218",
    title: "a name with points does not name one op",
    meaning: "A name such as `stage1.conv2` is that of a layer inside blocks, as `--emit=network` \
              prints it. Its `let` holds one op, applied or not.",
    why: "The name is given to the layer, so that there must be just one.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    let head.y = x |> relu |> flatten;\n    head.y |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    let y = x |> relu |> flatten;\n    y |> dense(10)\n}",
};

/// An `input` in the wrong place.
pub const INNER_INPUT: Code = Code {
    name: "E0219",
    title: "an `input` inside a net or block",
    meaning: "Only a net or block itself has inputs, not the braces of an `if` or `repeat`.",
    why: "What stands in those braces sees the names around it.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> repeat 2 {\n        input y;\n        y |> relu\n    } |> flatten |> dense(10)\n}",
    instead: "block b {\n    input y;\n    y |> relu\n}\nnet a {\n    input x: f32[N, 1, 28, 28];\n    x |> repeat 2 { b } |> flatten |> dense(10)\n}",
};

/// A `param` of a type that cannot be.
pub const PARAM_TYPE: Code = Code {
    name: "E0220",
    title: "a parameter has a type that is not supported",
    meaning: "The type of a `param` is `f32[...]` with extents of at least 1 and without the batch; \
              `f32[]` is a single number.",
    why: "A parameter is the same for every example.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    param scale: f32[N, 1] = ones;\n    x * scale |> flatten |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    param scale: f32[1] = ones;\n    x * scale |> flatten |> dense(10)\n}",
};

/// A tensor that is not what a typed input says.
pub const INPUT_SHAPE: Code = Code {
    name: "E0221",
    title: "a net is fed a tensor of another shape",
    meaning: "A net that is used like a block, or a block whose input has a type, takes tensors of \
              that type only.",
    why: "The type is there to be relied on.",
    example: "net digits {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10)\n}\nnet a {\n    input x: f32[N, 3, 32, 32];\n    x |> digits\n}",
    instead: "block digits {\n    input x;\n    x |> flatten |> dense(10)\n}\nnet a {\n    input x: f32[N, 3, 32, 32];\n    x |> digits\n}",
};

/// All codes of this file.
pub const ALL: &[Code] = &[
    RECURSION,
    IMPORT,
    IMPORT_CYCLE,
    NO_INPUT,
    LIMIT,
    SAME_PARAMETER,
    NO_BRANCH,
    POINTS,
    INNER_INPUT,
    PARAM_TYPE,
    INPUT_SHAPE,
];
