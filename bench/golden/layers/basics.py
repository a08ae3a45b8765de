"""Convolutions, max pools and dense layers with every option, and what works element by element."""

import jax
import numpy as np
import torch.nn.functional as F
from jax import lax

from ..ops.padding import same
from .layer import halves, layer


def _conv(name, out, options, x, kernel, *, strides=(1, 1), padding="same", dilation=(1, 1), groups=1, bias=True):
    x = halves(name + ".x", x)
    pads = same(x.shape[2:], kernel, strides, dilation) if padding == "same" else padding
    weights = [halves(name + ".w", (out, x.shape[1] // groups, *kernel))] + ([halves(name + ".b", (out,))] if bias else [])

    def torch_f(w, *rest):
        return F.conv2d(F.pad(rest[-1], pads[1] + pads[0]), w, rest[0] if bias else None, strides, 0, dilation, groups)

    def jax_f(w, *rest):
        y = lax.conv_general_dilated(rest[-1], w, strides, [tuple(p) for p in pads], None, dilation, ("NCHW", "OIHW", "NCHW"), groups)
        return y + rest[0][None, :, None, None] if bias else y

    return layer(name, f"x |> conv({out}, {options})", [*weights, x], torch_f, jax_f, exact=True)


def _max_pool(name, options, x, window, strides=None, padding=None):
    """Few different numbers, so that many are the largest of their window."""
    x, strides = halves(name, x, -2, 2), strides or window
    pads = same(x.shape[2:], window, strides) if padding == "same" else padding or [[0, 0], [0, 0]]
    return layer(name, f"x |> max_pool({options})", [x],
                 lambda x: F.max_pool2d(F.pad(x, pads[1] + pads[0], value=-np.inf), window, strides), exact=True)


def _pixelwise(name, body, torch_f, jax_f):
    return layer(name, body, [halves(name, (2, 3, 2, 4))], torch_f, jax_f, exact=True)


def cases():
    dense = [halves("dense.w", (5, 4)), halves("dense.b", (4,)), halves("dense.x", (3, 5))]
    plain = [halves("dense_plain.w", (5, 2)), halves("dense_plain.x", (3, 5))]
    return [
        _conv("conv", 4, "kernel=3", (2, 3, 5, 4), (3, 3)),
        _conv("conv_no_bias", 2, "kernel=1, bias=false", (2, 3, 3, 4), (1, 1), bias=False),
        _conv("conv_stride_2", 3, "kernel=3, stride=2", (2, 2, 7, 6), (3, 3), strides=(2, 2)),
        _conv("conv_stride_not_dividing", 2, "kernel=2, stride=3, padding=valid", (1, 2, 7, 9), (2, 2), strides=(3, 3), padding=[[0, 0], [0, 0]]),
        _conv("conv_7x7", 2, "kernel=7, stride=2, padding=3", (1, 2, 7, 8), (7, 7), strides=(2, 2), padding=[[3, 3], [3, 3]]),
        _conv("conv_rectangular", 3, "kernel=(4, 1), stride=(1, 2), padding=(2, 1)", (2, 2, 5, 6), (4, 1), strides=(1, 2),
              padding=[[2, 2], [1, 1]]),
        _conv("conv_asymmetric", 2, "kernel=3, padding=((2, 0), (0, 1))", (1, 2, 4, 5), (3, 3), padding=[[2, 0], [0, 1]]),
        _conv("conv_dilated", 2, "kernel=(2, 3), dilation=(3, 2)", (1, 2, 6, 7), (2, 3), dilation=(3, 2)),
        _conv("conv_groups", 6, "kernel=3, groups=2", (2, 4, 4, 5), (3, 3), groups=2),
        _conv("conv_every_option", 4, "kernel=(3, 2), stride=(2, 1), padding=((1, 0), (2, 1)), dilation=(1, 2), groups=2, bias=false",
              (2, 6, 6, 5), (3, 2), strides=(2, 1), padding=[[1, 0], [2, 1]], dilation=(1, 2), groups=2, bias=False),
        _max_pool("max_pool", "2", (2, 3, 4, 6), (2, 2)),
        _max_pool("max_pool_overlap", "3, stride=2, padding=1", (2, 2, 7, 5), (3, 3), (2, 2), [[1, 1], [1, 1]]),
        _max_pool("max_pool_rectangular", "(2, 3), stride=(1, 2)", (1, 3, 4, 7), (2, 3), (1, 2)),
        _max_pool("max_pool_same", "(3, 2), padding=same", (2, 2, 5, 5), (3, 2), padding="same"),
        _max_pool("max_pool_asymmetric", "3, stride=1, padding=((2, 0), (0, 1))", (1, 2, 4, 4), (3, 3), (1, 1), [[2, 0], [0, 1]]),
        layer("dense", "x |> dense(4)", dense, lambda w, b, x: x @ w + b, lambda w, b, x: x @ w + b, exact=True),
        layer("dense_no_bias", "x |> dense(2, bias=false)", plain, lambda w, x: x @ w, lambda w, x: x @ w, exact=True),
        _pixelwise("flatten", "x |> flatten", lambda x: x.flatten(1), lambda x: x.reshape(2, 24)),
        _pixelwise("relu", "x |> relu", F.relu, jax.nn.relu),
        _pixelwise("identity", "x |> identity", lambda x: x, lambda x: x),
        _pixelwise("add", "x |> add(x |> relu)", lambda x: x + F.relu(x), lambda x: x + jax.nn.relu(x)),
        _pixelwise("add_sign", "x + (x |> relu)", lambda x: x + F.relu(x), lambda x: x + jax.nn.relu(x)),
        _pixelwise("subtract", "(x |> relu) - x", lambda x: F.relu(x) - x, lambda x: jax.nn.relu(x) - x),
        _pixelwise("multiply", "multiply(x, x |> relu6)", lambda x: x * F.relu6(x), lambda x: x * jax.nn.relu6(x)),
        _pixelwise("multiply_sign", "x * (x |> relu6)", lambda x: x * F.relu6(x), lambda x: x * jax.nn.relu6(x)),
        layer("bug_13_relu6_at_minus_zero", "x |> relu6", [[[-0.0, 0.0, 6.0, 1.0]]], F.relu6, dy=[1, 2, 4, 8], output=[0, 0, 6, 1],
              gradients=[[0, 0, 0, 8]], exact=True),
        layer("bug_18_even_kernel", "x |> conv(1, kernel=(1, 4), stride=2, bias=false)",
              [np.array([[[[1.0, 10, 100, 1000]]]]), np.array([[[[1.0, 2, 3, 4, 5]]]])],
              lambda w, x: F.conv2d(F.pad(x, (1, 2)), w, None, 2), dy=[1, 2, 4], output=[3210, 5432, 54],
              gradients=[[20, 27, 10, 13], [10, 102, 1020, 204, 2040]], exact=True),
    ]
