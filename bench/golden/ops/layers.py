"""Layers made of several operations: average pools, activations, batch norm, label smoothing."""

import jax
import jax.numpy as jnp
import numpy as np
import torch
import torch.nn.functional as F
from jax import lax

from .case import array, case, drawn, image
from .padding import same

VALID = [[0, 0], [0, 0]]


def avg_pool(name, x, window, strides, padding=None, count_padding=False, **known):
    padding = same(x.shape[2:], window, strides) if padding == "same" else padding or VALID
    attrs = {"window": list(window), "strides": list(strides), "padding": padding, "count_padding": count_padding}
    flat = padding[1] + padding[0]
    full = [(0, 0), (0, 0), *map(tuple, padding)]

    def torch_f(x):
        sums = F.avg_pool2d(F.pad(x, flat), window, strides, divisor_override=1)
        ones = F.pad(torch.ones_like(x), flat, value=float(count_padding))
        return sums / F.avg_pool2d(ones, window, strides, divisor_override=1)

    def jax_f(x):
        sums = lax.reduce_window(x, 0.0, lax.add, (1, 1, *window), (1, 1, *strides), full)
        ones = jnp.pad(jnp.ones_like(x), full, constant_values=float(count_padding))
        return sums / lax.reduce_window(ones, 0.0, lax.add, (1, 1, *window), (1, 1, *strides), "VALID")

    return case(name, "avg_pool", [x], attrs, torch_f=torch_f, jax_f=jax_f, **known)


def global_avg_pool(name, x, **known):
    return case(name, "global_avg_pool", [x], torch_f=lambda x: x.mean((2, 3)), jax_f=lambda x: x.mean((2, 3)), **known)


ACTIVATIONS = {
    "relu6": (F.relu6, jax.nn.relu6),
    "swish": (F.silu, jax.nn.silu),
    "gelu_tanh": (lambda x: F.gelu(x, approximate="tanh"), lambda x: jax.nn.gelu(x, approximate=True)),
}


def activation(name, op, x, **known):
    torch_f, jax_f = ACTIVATIONS[op]
    return case(name, op, [x], torch_f=torch_f, jax_f=jax_f, **known)


def batch_norm(name, x, gamma, beta, eps=1e-5, torch_too=True, **known):
    """Training mode: the biased variance of the batch, in two passes."""

    def jax_f(x, gamma, beta):
        mean = x.mean((0, 2, 3), keepdims=True)
        var = ((x - mean) ** 2).mean((0, 2, 3), keepdims=True)
        y = (x - mean) / jnp.sqrt(var + eps)
        return y * gamma[None, :, None, None] + beta[None, :, None, None]

    def torch_f(x, gamma, beta):
        return F.batch_norm(x, None, None, gamma, beta, training=True, eps=eps)

    return case(name, "batch_norm", [x, gamma, beta], {"eps": eps}, torch_f=torch_f if torch_too else None, jax_f=jax_f, **known)


def batch_norm_fixed(name, x, gamma, beta, mean, var, eps=1e-5, **known):
    """Evaluation mode: mean and variance are given."""

    def jax_f(x, gamma, beta, mean, var):
        lift = lambda v: v[None, :, None, None]  # noqa: E731
        return (x - lift(mean)) / jnp.sqrt(lift(var) + eps) * lift(gamma) + lift(beta)

    # PyTorch has no derivative by the running statistics.
    return case(name, "batch_norm_fixed", [x, gamma, beta, mean, var], {"eps": eps}, jax_f=jax_f, **known)


def running_statistics(name, x, mean, var, momentum=0.1, **known):
    """(1 - m) running + m batch; the variance is the unbiased one."""

    def torch_f(x, mean, var):
        mean, var = mean.detach().clone(), var.detach().clone()
        F.batch_norm(x, mean, var, training=True, momentum=momentum)
        return torch.cat([mean, var])

    def jax_f(x, mean, var):
        own = jnp.concatenate([x.mean((0, 2, 3)), x.var((0, 2, 3), ddof=1)])
        return (1 - momentum) * jnp.concatenate([mean, var]) + momentum * own

    return case(name, "running_statistics", [x, mean, var], {"momentum": momentum}, dy=None, torch_f=torch_f, jax_f=jax_f, **known)


def smoothed(name, logits, labels, smoothing, dy=(1.0,), **known):
    def jax_f(z):
        classes = z.shape[1]
        target = (1 - smoothing) * jax.nn.one_hot(jnp.array(labels), classes, dtype=z.dtype) + smoothing / classes
        return -jnp.mean((target * jax.nn.log_softmax(z)).sum(1))

    return case(name, "softmax_cross_entropy", [logits], {"labels": list(labels), "smoothing": smoothing},
                dy=None if dy is None else list(dy),
                torch_f=lambda z: F.cross_entropy(z, torch.tensor(labels), label_smoothing=smoothing), jax_f=jax_f, **known)


def _column(*values):
    """One channel with a value per example."""
    return array(values).reshape(-1, 1, 1, 1)


def _normalisation():
    one, zero = [1.0], [0.0]
    result = [
        running_statistics("bug_36_running_statistics", _column(1, 2, 3, 6), zero, one, output=[0.3, 1.366667], atol=1e-6),
        running_statistics("running_statistics_channels", drawn("running", (3, 4, 2, 2)), np.arange(4.0), np.arange(1.0, 5)),
        batch_norm("bug_38_far_from_zero", _column(5800, 5801, 5802, 5803), one, zero, atol=1e-6,
                   output=[-1.341635, -0.447212, 0.447212, 1.341635]),
        batch_norm("bug_38_pixels", _column(*range(0, 256, 5)), one, zero),
        batch_norm("bug_39_a_eps_inside_the_root", _column(1, 2, 3, 6), one, zero, eps=1.0, atol=1e-6,
                   output=[-0.942809, -0.471405, 0, 1.414214]),
        # PyTorch multiplies x and the mean by the scale before it subtracts, and is 2e-12 off.
        batch_norm("bug_39_b_constant_channel", np.full((1, 1, 3, 3), 100.0), one, [0.25], torch_too=False, output=[0.25] * 9),
        batch_norm("bug_40_input_gradient", _column(1, 2, 3, 6), [2.0], zero, dy=[1, 0, 0, 0], atol=1e-6,
                   output=[-2.138087, -1.069043, 0, 3.207130],
                   gradients=[[0.496342, -0.419981, -0.267261, 0.190899], [-1.069043], [1]]),
        batch_norm_fixed("bug_41_evaluation", _column(5, 7, 3, 3), [2.0], one, [3.0], [3.99999], dy=[1, 2, 3, 4],
                         output=[3, 5, 1, 1], gradients=[[1, 2, 3, 4]]),
        batch_norm_fixed("bug_41_evaluation_of_one", _column(7), [2.0], one, [3.0], [3.99999], dy=[2], output=[5], gradients=[[2]]),
    ]
    for c in (1, 3, 5, 7, 8):
        name = f"bug_33_{c}_channels"
        result.append(batch_norm(name, drawn(name, (2, c, 8, 8)), drawn(name + ".g", (c,), 1, 4) / 2, drawn(name + ".b", (c,))))
    return result


def cases():
    kinks, dy = [-1, 0, 3, 6, 7], [1, 2, 4, 8, 16]
    corner = image([[1, 2], [3, 4]])
    tails = [-200, -5.5, 0, 1, 200]
    infinite = [[-np.inf, 0, 0]]
    return [
        avg_pool("bug_12_a_real_cells", corner, (2, 2), (1, 1), "same", dy=[1] * 4,
                 output=[2.5, 3, 3.5, 4], gradients=[[0.25, 0.75, 0.75, 2.25]]),
        avg_pool("bug_12_a_full_window", corner, (2, 2), (1, 1), "same", count_padding=True, dy=[1] * 4,
                 output=[2.5, 1.5, 1.75, 1], gradients=[[0.25, 0.5, 0.5, 1]]),
        avg_pool("avg_pool_stem", drawn("avg_pool_stem", (2, 3, 7, 6)), (3, 3), (2, 2), [[1, 1], [1, 1]]),
        avg_pool("avg_pool_2x3", drawn("avg_pool_2x3", (1, 2, 5, 7)), (2, 3), (2, 2)),
        global_avg_pool("bug_12_b_global", drawn("bug_12_b", (2, 1, 2, 3)), dy=[6, 12], gradients=[[1] * 6 + [2] * 6]),
        activation("bug_13_relu6_at_the_kinks", "relu6", kinks, dy=dy, output=[0, 0, 3, 6, 6], gradients=[[0, 0, 4, 0, 0]]),
        activation("bug_15_relu6_nan", "relu6", [np.nan, -1, 2], dy=None, output=[np.nan, 0, 2]),
        activation("bug_15_swish_nan", "swish", [np.nan, -1, 2], dy=None),
        activation("bug_15_gelu_nan", "gelu_tanh", [np.nan, -1, 2], dy=None),
        activation("bug_16_swish", "swish", tails, dy=[1] * 5, atol=1e-6,
                   output=[0, -0.022386, 0, 0.731059, 200], gradients=[[0, -0.018225, 0.5, 0.927671, 1]]),
        activation("bug_16_gelu", "gelu_tanh", tails, dy=[1] * 5, atol=1e-6,
                   output=[0, 0, 0, 0.841192, 200], gradients=[[0, 0, 0.5, 1.082964, 1]]),
        smoothed("bug_44_smoothed_minus_infinity", infinite, [1], 0.1, dy=None, output=[np.inf]),
        smoothed("bug_44_only_minus_infinity", [[-np.inf] * 3], [0], 0.0, dy=None, output=[np.nan]),
        smoothed("bug_44_plus_infinity", [[np.inf, 0, 0]], [0], 0.0, dy=None, output=[np.nan]),
        smoothed("bug_45_smoothing", [[2, 0, 0, 0]], [0], 0.2, atol=1e-6, output=[0.640753],
                 gradients=[[-0.138765, 0.046255, 0.046255, 0.046255]]),
        smoothed("smoothing_batch", drawn("smoothing", (3, 5)) / 2, [4, 0, 2], 0.1),
        *_normalisation(),
    ]
