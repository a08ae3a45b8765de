"""Activations from far below 0 to far above: values and derivatives by formulas that do not cancel."""

import math

import numpy as np
import torch
import torch.nn.functional as F

MAGNITUDES = [1e30, 1e10, 1e4, 200, 103, 88, 50, 20, 12.5, 11.5, 8, 6.5, 5.5, 4, 3.1, 2.9, 2, 1.25, 1, 0.7, 0.3, 0.1, 1e-2, 1e-3, 1e-5, 1e-8, 1e-20]


def _normal(x):
    return torch.special.erfc(-x / math.sqrt(2)) / 2


def _tanh_share(x):
    """(1 + tanh(u)) / 2 as a sigmoid."""
    return torch.sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))


FUNCTIONS = {
    "relu": F.relu,
    "relu6": F.relu6,
    "leaky_relu(0.25)": lambda x: F.leaky_relu(x, 0.25),
    "elu(0.5)": lambda x: F.elu(x, 0.5),
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "swish": lambda x: x * torch.sigmoid(x),
    "hard_swish": lambda x: x * (F.relu6(x + 3) / 6),
    "hard_sigmoid": lambda x: F.relu6(x + 3) / 6,
    "gelu": lambda x: x * _normal(x),
    "gelu(approximate=tanh)": lambda x: x * _tanh_share(x.clamp(-1e4, 1e4)),
    "softplus": lambda x: torch.logaddexp(x, torch.zeros_like(x)),
}


def cases():
    """For each function f32 arguments in order, the values and the derivatives there."""
    points = sorted([*MAGNITUDES, 0.0, *[-m for m in MAGNITUDES]])
    points = [float(np.float32(p)) for p in points]
    result = []
    for body, f in FUNCTIONS.items():
        x = torch.tensor(points, dtype=torch.float64, requires_grad=True)
        y = f(x)
        (slope,) = torch.autograd.grad(y.sum(), x)
        assert torch.isfinite(y).all() and torch.isfinite(slope).all(), body
        result.append({"body": body, "x": points, "y": y.tolist(), "slope": slope.tolist()})
    return result
