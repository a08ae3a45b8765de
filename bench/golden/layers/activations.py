"""Element-wise functions and softmax. At a kink the derivative is PyTorch's."""

import jax
import jax.numpy as jnp
import numpy as np
import torch
import torch.nn.functional as F

from .layer import ROUNDED, halves, layer

# Every kink of the functions, both sides of it, and far away.
POINTS = [[-20, -8, -6, -5.5, -4, -3.5, -3, -2.5, -1, -0.5, -0.03125, 0, 0.03125, 0.5, 1, 2, 2.5, 3, 3.5, 5.5, 6, 6.5, 8, 20]]
OFF_ZERO = [[v for v in POINTS[0] if v != 0]]
COTANGENT = [(-1) ** i * (1 + i % 4) for i in range(len(POINTS[0]))]


# Of the normal distribution, in value and slope.
NORMAL = 2e-7


def _function(name, body, torch_f, jax_f=None, x=POINTS, **known):
    dy = known.pop("dy", COTANGENT[: len(x[0])])
    return layer(name, f"x |> {body}", [x], torch_f, jax_f, dy=dy, **known)


def _reports():
    five = [[-200, -5.5, 0, 1, 200]]
    ones = [1] * 5
    return [
        _function("bug_13_relu6", "relu6", F.relu6, x=[[-1, 0, 3, 6, 7]], dy=[1, 2, 4, 8, 16], output=[0, 0, 3, 6, 6],
                  gradients=[[0, 0, 4, 0, 0]], exact=True),
        _function("bug_15_relu6_nan", "relu6", F.relu6, x=[[np.nan, -1, 2]], dy=None, output=[np.nan, 0, 2]),
        _function("bug_15_swish_nan", "swish", F.silu, x=[[np.nan, -1, 2]], dy=None),
        _function("bug_15_gelu_nan", "gelu", F.gelu, x=[[np.nan, -1, 2]], dy=None, tolerance=NORMAL),
        _function("bug_16_swish", "swish", F.silu, jax.nn.silu, x=five, dy=ones, output=[0, -0.022386, 0, 0.731059, 200],
                  gradients=[[0, None, 0.5, None, 1]], atol=1e-6),
        _function("bug_16_gelu", "gelu", F.gelu, x=five, dy=ones, output=[0, -1.0445e-7, 0, 0.841345, 200],
                  gradients=[[0, None, 0.5, 1.083315, 1]], atol=1e-6, tolerance=NORMAL),
        _function("bug_16_gelu_tanh", "gelu(approximate=tanh)", lambda x: F.gelu(x, approximate="tanh"), x=five, dy=ones,
                  output=[0, None, 0, 0.841192, 200], gradients=[[0, None, 0.5, 1.082964, 1]], atol=1e-6, tolerance=ROUNDED),
    ]


def cases():
    return _reports() + [
        _function("relu6", "relu6", F.relu6, jax.nn.relu6, exact=True),
        _function("leaky_relu", "leaky_relu", F.leaky_relu, tolerance=ROUNDED),
        _function("leaky_relu_off_zero", "leaky_relu(0.25)", lambda x: F.leaky_relu(x, 0.25), lambda x: jax.nn.leaky_relu(x, 0.25),
                  x=OFF_ZERO, exact=True),
        _function("leaky_relu_negative_slope", "leaky_relu(-2)", lambda x: F.leaky_relu(x, -2)),
        _function("elu", "elu", F.elu, jax.nn.elu),
        _function("elu_half", "elu(0.5)", lambda x: F.elu(x, 0.5), lambda x: jax.nn.elu(x, 0.5)),
        _function("sigmoid", "sigmoid", torch.sigmoid, jax.nn.sigmoid),
        _function("tanh", "tanh", torch.tanh, jnp.tanh),
        _function("swish", "swish", F.silu, jax.nn.silu),
        _function("hard_swish", "hard_swish", F.hardswish, jax.nn.hard_swish),
        # PyTorch's own hardsigmoid has 1/6 rounded to f32 in its derivative.
        _function("hard_sigmoid", "hard_sigmoid", lambda x: F.relu6(x + 3) / 6, jax.nn.hard_sigmoid),
        _function("gelu", "gelu", F.gelu, lambda x: jax.nn.gelu(x, approximate=False), tolerance=NORMAL),
        _function("gelu_tanh", "gelu(approximate=tanh)", lambda x: F.gelu(x, approximate="tanh"),
                  lambda x: jax.nn.gelu(x, approximate=True), tolerance=ROUNDED),
        _function("softplus", "softplus", lambda x: F.softplus(x, threshold=1e9), jax.nn.softplus),
        layer("activation_of_an_image", "x |> swish", [halves("swish.image", (2, 3, 2, 4))], F.silu, jax.nn.silu),
        layer("softmax_vector", "x |> softmax", [halves("softmax.vector", (3, 5))], lambda x: F.softmax(x, 1), jax.nn.softmax),
        layer("softmax_far", "x |> softmax", [[[10000, 0, -10000], [-431, 279, 427]]], lambda x: F.softmax(x, 1), jax.nn.softmax),
        layer("softmax_one", "x |> softmax", [[[3.0], [-2.0]]], lambda x: F.softmax(x, 1), output=[1, 1], gradients=[[0, 0]]),
        layer("softmax_tokens", "x |> softmax", [halves("softmax.tokens", (2, 3, 4))], lambda x: F.softmax(x, 2), jax.nn.softmax),
        layer("softmax_image", "x |> softmax", [halves("softmax.image", (2, 3, 2, 2))], lambda x: F.softmax(x, 1),
              lambda x: jax.nn.softmax(x, 1)),
    ]
