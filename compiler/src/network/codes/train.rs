//! Errors of the `train` section and of `--set`: `E05xx`.

use cnnc_grammar::diagnostics::Code;

/// A setting that does not exist.
pub const UNKNOWN_SETTING: Code = Code {
    name: "E0501",
    title: "unknown setting",
    meaning: "The `train` section has no setting of that name.",
    why: "A setting that is ignored is a setting that was meant to matter.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10)\n}\ntrain {\n    epoch = 3;\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10)\n}\ntrain {\n    epochs = 3;\n}",
};

/// A setting or section given twice.
pub const SET_TWICE: Code = Code {
    name: "E0502",
    title: "a setting is given twice",
    meaning: "A setting has two values, or the file has two `train` sections.",
    why: "It is open which of them was meant.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10)\n}\ntrain {\n    batch = 64;\n    batch = 128;\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10)\n}\ntrain {\n    batch = 128;\n}",
};

/// `--set` of something that is not there.
pub const UNKNOWN_KEY: Code = Code {
    name: "E0503",
    title: "`--set` names nothing that can be set",
    meaning: "`--set key=value` takes the hyper-parameters of the net, settings as `train.batch=64`, \
              and options of the loss, the optimizer and the schedule as `train.optimizer.lr=0.01`.",
    why: "A run with a misspelt key would be the same run again.",
    example: "# --set clases=5\nnet a(classes=10) {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(classes)\n}",
    instead: "# --set classes=5\nnet a(classes=10) {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(classes)\n}",
};

/// Settings or options that contradict each other.
pub const CONFLICT: Code = Code {
    name: "E0504",
    title: "settings that do not go together",
    meaning: "Each of them is right alone, but not with the others or with this net.",
    why: "One of them would have no effect, or another one than it says.",
    example: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10)\n}\ntrain {\n    optimizer = sgd(lr=0.1, nesterov=true);\n}",
    instead: "net a {\n    input x: f32[N, 1, 28, 28];\n    x |> flatten |> dense(10)\n}\ntrain {\n    optimizer = sgd(lr=0.1, momentum=0.9, nesterov=true);\n}",
};

/// All codes of this file.
pub const ALL: &[Code] = &[UNKNOWN_SETTING, SET_TWICE, UNKNOWN_KEY, CONFLICT];
