"""Cases of ops of the language: a net of one op, its parameters and input, what it gives, and what a cotangent brings back."""

from . import activations, basics, images, norms, tails, tokens

SCHEMA = {
    "case": "name, op (layer), attrs, inputs [{shape, data}], output {shape, data}, dy (row-major, shape of output), gradients (one "
    "row-major list per input), source, exact, tolerance",
    "attrs": "body: the op applied to the input x, as in a .net file; training: whether it is lowered for training",
    "inputs": "the parameters in the order of the network, then the buffers, then x: [N, channels, height, width], [N, tokens, channels] "
    "or [N, features]",
    "numbers": "row-major f64; inf, -inf and nan are strings",
    "tolerance": "relative error that constants rounded to f32 and approximations leave, 0 for most",
    "exact": "true: every intermediate is a small dyadic number, so f32 must give these values bit for bit",
}


def all_cases():
    """Every case, with unique names."""
    cases = [c for room in (activations, basics, images, norms, tokens) for c in room.cases()]
    names = [c["name"] for c in cases]
    twice = {n for n in names if names.count(n) > 1}
    assert not twice, f"names used twice: {twice}"
    return cases
