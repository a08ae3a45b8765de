"""Depthwise convolutions, average pools, and what moves or scales elements."""

import jax
import jax.numpy as jnp
import numpy as np
import torch
import torch.nn.functional as F
from jax import lax

from ..ops.case import image
from ..ops.padding import same
from .layer import halves, layer


def _depthwise(name, options, x, kernel, multiplier=1, *, strides=(1, 1), padding="same", dilation=(1, 1), bias=True):
    x = halves(name + ".x", x)
    channels = x.shape[1]
    pads = same(x.shape[2:], kernel, strides, dilation) if padding == "same" else padding
    weights = [halves(name + ".w", (channels * multiplier, 1, *kernel))]
    weights += [halves(name + ".b", (channels * multiplier,))] if bias else []

    def torch_f(w, *rest):
        b = rest[0] if bias else None
        return F.conv2d(F.pad(rest[-1], pads[1] + pads[0]), w, b, strides, 0, dilation, channels)

    def jax_f(w, *rest):
        y = lax.conv_general_dilated(rest[-1], w, strides, [tuple(p) for p in pads], None, dilation, ("NCHW", "OIHW", "NCHW"), channels)
        return y + rest[0][None, :, None, None] if bias else y

    return layer(name, f"x |> depthwise_conv({options})", [*weights, x], torch_f, jax_f, exact=True)


def _average(name, options, x, window, strides=None, padding=None, count_padding=False, **known):
    strides = strides or window
    pads = same(x.shape[2:], window, strides) if padding == "same" else padding or [[0, 0], [0, 0]]

    def torch_f(x):
        flat = pads[1] + pads[0]
        total = F.avg_pool2d(F.pad(x, flat), window, strides, divisor_override=1)
        real = F.avg_pool2d(F.pad(torch.ones_like(x), flat), window, strides, divisor_override=1)
        return total / (window[0] * window[1] if count_padding else real.detach())

    return layer(name, f"x |> avg_pool({options})", [x], torch_f, **known)


def _same_torch(name, options, x, arguments, **known):
    """A pool that PyTorch has under its own name."""
    return layer(name, f"x |> avg_pool({options})", [halves(name, x)], lambda x: F.avg_pool2d(x, *arguments), **known)


def _reports():
    two = image([[1, 2], [3, 4]])
    ones = [1] * 4
    pair = np.array([[[[1.0, 2, 3], [4, 5, 6]]], [[[2.0, 0, 4], [6, 8, 4]]]])
    return [
        _average("bug_12_a_real_cells", "2, stride=1, padding=same", two, (2, 2), (1, 1), "same", dy=ones, output=[2.5, 3, 3.5, 4],
                 gradients=[[0.25, 0.75, 0.75, 2.25]], exact=True),
        _average("bug_12_a_all_cells", "2, stride=1, padding=same, count_padding=true", two, (2, 2), (1, 1), "same", True, dy=ones,
                 output=[2.5, 1.5, 1.75, 1], gradients=[[0.25, 0.5, 0.5, 1]], exact=True),
        layer("bug_12_b_global", "x |> global_avg_pool", [pair], lambda x: x.mean((2, 3)), lambda x: x.mean((2, 3)), dy=[6, 12],
              output=[3.5, 4], gradients=[[1] * 6 + [2] * 6]),
        layer("bug_21_b_depthwise_multiplier_2", "x |> depthwise_conv(kernel=1, multiplier=2, bias=false)",
              [np.array([1.0, 2, 3, 4]).reshape(4, 1, 1, 1), np.array([1.0, 10]).reshape(1, 2, 1, 1)],
              lambda w, x: F.conv2d(x, w, groups=2), output=[1, 2, 30, 40], exact=True),
    ]


def _concat(name, body, x, torch_f, jax_f):
    return layer(name, body, [halves(name, x)], torch_f, jax_f, exact=True)


def cases():
    one = [[1, 1], [1, 1]]
    scale = [halves("scale.w", (3,)), halves("scale.x", (2, 3, 2, 2))]
    biased = [halves("scale_bias.w", (4,)), halves("scale_bias.b", (4,)), halves("scale_bias.x", (2, 3, 4))]
    return _reports() + [
        _depthwise("depthwise", "kernel=3", (2, 3, 5, 4), (3, 3)),
        _depthwise("depthwise_stride_2", "kernel=3, stride=2, padding=1", (2, 4, 6, 6), (3, 3), strides=(2, 2), padding=one),
        _depthwise("depthwise_multiplier_2", "kernel=(3, 2), multiplier=2, bias=false", (2, 3, 5, 4), (3, 2), 2, bias=False),
        _depthwise("depthwise_multiplier_3_stride", "kernel=3, multiplier=3, stride=(2, 1), dilation=(1, 2)", (1, 2, 6, 7), (3, 3), 3,
                   strides=(2, 1), dilation=(1, 2)),
        _depthwise("depthwise_valid", "kernel=2, padding=valid", (2, 2, 4, 4), (2, 2), padding=[[0, 0], [0, 0]]),
        _depthwise("depthwise_7x7", "kernel=7", (1, 3, 5, 5), (7, 7)),
        _depthwise("depthwise_one_channel", "kernel=3", (2, 1, 4, 4), (3, 3)),
        _same_torch("avg_pool_2", "2", (2, 3, 4, 6), (2,), exact=True),
        _same_torch("avg_pool_overlap", "3, stride=2, padding=1", (2, 2, 5, 7), (3, 2, 1, False, False)),
        _same_torch("avg_pool_count_padding", "3, stride=2, padding=1, count_padding=true", (2, 2, 5, 7), (3, 2, 1, False, True)),
        _same_torch("avg_pool_uncovered", "(4, 2), stride=3", (1, 2, 6, 7), ((4, 2), 3), exact=True),
        _same_torch("avg_pool_2x4", "(2, 4), stride=(1, 2)", (2, 2, 5, 8), ((2, 4), (1, 2)), exact=True),
        _average("avg_pool_asymmetric", "3, stride=1, padding=((2, 0), (1, 2))", halves("avg_pool_asymmetric", (1, 2, 4, 3)), (3, 3), (1, 1),
                 [[2, 0], [1, 2]]),
        _average("avg_pool_same_stride", "3, stride=2, padding=same", halves("avg_pool_same_stride", (2, 2, 6, 5)), (3, 3), (2, 2), "same"),
        layer("global_avg_pool_tokens", "x |> global_avg_pool", [halves("gap.tokens", (2, 4, 3))], lambda x: x.mean(1), lambda x: x.mean(1),
              exact=True),
        layer("upsample_2", "x |> upsample(2)", [halves("upsample", (2, 2, 3, 2))], lambda x: F.interpolate(x, scale_factor=2),
              lambda x: jnp.repeat(jnp.repeat(x, 2, 2), 2, 3), exact=True),
        layer("upsample_3x1", "x |> upsample((3, 1))", [halves("upsample31", (1, 2, 2, 3))],
              lambda x: F.interpolate(x, scale_factor=(3, 1)), lambda x: jnp.repeat(x, 3, 2), exact=True),
        layer("reshape_image", "x |> reshape(6, 2, 4)", [halves("reshape", (2, 3, 4, 4))], lambda x: x.reshape(2, 6, 2, 4), exact=True),
        layer("reshape_vector", "x |> reshape(2, 3) |> softmax", [halves("reshape.v", (2, 6))], lambda x: F.softmax(x.reshape(2, 2, 3), 2)),
        _concat("concat_image", "concat(x, x * x, x |> relu)", (2, 2, 3, 2), lambda x: torch.cat([x, x * x, F.relu(x)], 1),
                lambda x: jnp.concatenate([x, x * x, jax.nn.relu(x)], 1)),
        _concat("concat_vector", "concat(x * x, x)", (3, 4), lambda x: torch.cat([x * x, x], 1), lambda x: jnp.concatenate([x * x, x], 1)),
        _concat("concat_tokens", "x |> concat(x * x)", (2, 3, 2), lambda x: torch.cat([x, x * x], 2),
                lambda x: jnp.concatenate([x, x * x], 2)),
        layer("scale", "x |> scale", scale, lambda w, x: x * w[:, None, None], lambda w, x: x * w[:, None, None], exact=True),
        layer("scale_bias_tokens", "x |> scale(bias=true)", biased, lambda w, b, x: x * w + b, lambda w, b, x: x * w + b, exact=True),
    ]
