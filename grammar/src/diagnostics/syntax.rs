//! Errors of spelling and structure: `E01xx`.

use super::Code;

/// The text has something where the grammar wants something else.
pub const UNEXPECTED: Code = Code {
    name: "E0101",
    title: "unexpected text",
    meaning: "At the marked place the grammar allows only what the message lists.",
    why: "The rest of the statement cannot be read without guessing what was meant.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    let y = x |> flatten\n    y |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    let y = x |> flatten;\n    y |> dense(10)\n}",
};

/// A bracket without its partner.
pub const UNBALANCED: Code = Code {
    name: "E0102",
    title: "a bracket has no partner",
    meaning: "A `(`, `[` or `{` is never closed, or a closing bracket closes nothing or another sort.",
    why: "Where a bracket is missing, it is open what belongs inside. Only the first such place of \
          a file is reported, and other errors of its text are left until it is mended.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10)\n}",
};

/// A character or symbol that the language lacks.
pub const UNKNOWN_SYMBOL: Code = Code {
    name: "E0103",
    title: "a symbol that the language does not have",
    meaning: "The marked character or symbol has no meaning in a `.net` file. It often comes from \
              another language, or from a word processor.",
    why: "Names are of ASCII letters, digits and `_`; comments start with `#`; strings stand in `\"`.",
    example: "// a comment\nnet a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10)\n}",
    instead: "# a comment\nnet a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10)\n}",
};

/// A number that is malformed or too large.
pub const BAD_NUMBER: Code = Code {
    name: "E0104",
    title: "not a number",
    meaning: "Integers are decimal digits and below 2^63; floats are like `0.1`, `1e-5` or `2.5e3`, \
              with digits on both sides of the point.",
    why: "A number that is read otherwise than it was meant is found late, in a network that does \
          not learn.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(0x10)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(16)\n}",
};

/// A string that does not end.
pub const OPEN_STRING: Code = Code {
    name: "E0105",
    title: "a string has no end",
    meaning: "A string starts with `\"` and must end with `\"` on the same line. Inside it `\\\"` is a \
              quote and `\\\\` a backslash.",
    why: "Without its end the rest of the file would belong to it.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> conv(8, kernel=3, padding=\"same) |> flatten |> dense(10)\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> conv(8, kernel=3, padding=same) |> flatten |> dense(10)\n}",
};

/// Nested deeper than the compiler follows.
pub const TOO_DEEP: Code = Code {
    name: "E0106",
    title: "nested too deeply",
    meaning: "Brackets may be nested 64 deep, and an expression may have 256 operators inside one \
              another. A chain of `|>` may be as long as you like.",
    why: "The compiler keeps its memory bounded whatever text it is given.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((10))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10)\n}",
};

/// All codes of this crate, in order.
pub const ALL: &[Code] = &[
    UNEXPECTED,
    UNBALANCED,
    UNKNOWN_SYMBOL,
    BAD_NUMBER,
    OPEN_STRING,
    TOO_DEEP,
];
