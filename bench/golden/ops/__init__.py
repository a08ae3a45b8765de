"""Cases of single operations: inputs, output, a cotangent, and the gradients it brings back."""

from . import arithmetic, convolutions, heads, layers, movement, pools, reductions

SCHEMA = {
    "case": "name, op, attrs, inputs [{shape, data}], output {shape, data}, dy (row-major, shape of output), gradients (one "
    "row-major list per input), source, exact; dy and gradients are null where only the value is checked",
    "numbers": "row-major f64; inf, -inf and nan are strings",
    "exact": "true: every intermediate is a small dyadic number, so f32 must give these values bit for bit",
    "layout": "activations NCHW, convolution kernels OIHW, dense weights [in, out]",
    "padding": "[[top, bottom], [left, right]], may be asymmetric; same: true marks pads that the SAME rule gives",
    "max_pool": "attrs window, strides, padding; pads are -inf; the first maximal cell in row-major order gets all of dy",
    "sum_pool": "attrs window, strides, padding; pads are 0",
    "conv2d": "cross-correlation; attrs strides, padding, dilation (of the kernel), lhs_dilation (of the input), groups, "
    "batch_groups; inputs x, kernel and, where there are three, a bias [O]",
    "dense": "inputs x [N, in], w [in, out], b [out]",
    "avg_pool": "attrs window, strides, padding, count_padding: whether the divisor counts padding",
    "global_avg_pool": "output [N, C]",
    "gelu_tanh": "x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))",
    "batch_norm": "inputs x, gamma [C], beta [C]; attrs eps; by the biased variance of the batch",
    "batch_norm_fixed": "inputs x, gamma, beta, mean, variance, each [C]; attrs eps",
    "running_statistics": "inputs x, running mean [C], running variance [C]; attrs momentum; output [2 C]: (1 - momentum) "
    "running + momentum batch, means, then unbiased variances",
    "softmax_cross_entropy": "inputs logits [N, K]; attrs labels and, for targets (1 - s) onehot + s / K, smoothing s; "
    "output the mean loss",
    "maximum, minimum, reduce_max": "equal maxima share the cotangent evenly",
    "select": "attrs pred (0 or 1, row-major); inputs where true, where false",
    "pad": "inputs x, scalar value; attrs low, high (may be negative), interior",
    "broadcast_in_dim": "attrs shape, dimensions",
    "dot_general": "attrs lhs_batch, rhs_batch, lhs_contracting, rhs_contracting",
}


def all_cases():
    """Every case, with unique names."""
    cases = [c for room in (pools, convolutions, heads, layers, arithmetic, reductions, movement) for c in room.cases()]
    names = [c["name"] for c in cases]
    twice = {n for n in names if names.count(n) > 1}
    assert not twice, f"names used twice: {twice}"
    return cases
