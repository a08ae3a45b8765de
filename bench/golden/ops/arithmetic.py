"""Element-wise operations."""

import jax.numpy as jnp
import numpy as np
import torch
from jax import lax

from .case import array, case, drawn

BINARY = {
    "add": (torch.add, lax.add),
    "subtract": (torch.sub, lax.sub),
    "multiply": (torch.mul, lax.mul),
    "divide": (torch.div, lax.div),
    "maximum": (torch.maximum, lax.max),
    "minimum": (torch.minimum, lax.min),
}
UNARY = {"negate": (torch.neg, lax.neg), "exponential": (torch.exp, lax.exp), "log": (torch.log, lax.log)}


def _op(name, op, inputs, **known):
    torch_f, jax_f = (BINARY | UNARY)[op]
    return case(name, op, inputs, torch_f=torch_f, jax_f=jax_f, **known)


def _select(name, pred, a, b, **known):
    pred = np.asarray(pred, bool)
    return case(name, "select", [a, b], {"pred": pred.astype(int).reshape(-1).tolist()},
                torch_f=lambda x, y: torch.where(torch.tensor(pred), x, y), jax_f=lambda x, y: jnp.where(pred, x, y), **known)


def cases():
    a, b = drawn("binary.a", (2, 3)), drawn("binary.b", (2, 3))
    halves = dict(dy=[2, 4, 8, 16])
    return [
        _op("add", "add", [a, b]),
        _op("subtract", "subtract", [a, b]),
        _op("multiply", "multiply", [a, b]),
        _op("multiply_by_zero", "multiply", [[0, 3], [5, 0]], dy=[1, 2], output=[0, 0], gradients=[[5, 0], [0, 6]]),
        _op("divide", "divide", [[6, -3, 1], [2, 4, -8]], dy=[8, 16, 64],
            output=[3, -0.75, -0.125], gradients=[[4, 4, -8], [-12, 3, -1]]),
        _op("divide_thirds", "divide", [[1, 2], [3, -7]]),
        _op("maximum_ties", "maximum", [[1, 2, 3, -0.5], [2, 2, 1, -0.5]], **halves,
            output=[2, 2, 3, -0.5], gradients=[[0, 2, 8, 8], [2, 2, 0, 8]]),
        _op("minimum_ties", "minimum", [[1, 2, 3, -0.5], [2, 2, 1, -0.5]], **halves,
            output=[1, 2, 1, -0.5], gradients=[[2, 2, 0, 8], [0, 2, 8, 8]]),
        _op("maximum_nan", "maximum", [[np.nan, 1, 2], [1, np.nan, 3]], dy=None, output=[np.nan, np.nan, 3]),
        _op("minimum_nan", "minimum", [[np.nan, 1, 2], [1, np.nan, 3]], dy=None, output=[np.nan, np.nan, 2]),
        _op("negate", "negate", [[1, -2, 0.5]], dy=[1, 10, 100], output=[-1, 2, -0.5], gradients=[[-1, -10, -100]]),
        _op("exponential", "exponential", [[0, 1, -2, 5]], dy=[1, 2, 3, 0.5]),
        _op("exponential_underflow", "exponential", [[-np.inf, -10000, 0]], dy=[1, 2, 3], output=[0, 0, 1], gradients=[[0, 0, 3]]),
        _op("log", "log", [[1, 2, 0.5, 8]], dy=[1, 2, 3, 4], gradients=[array([1, 1, 6, 0.5])]),
        _select("select", [[1, 0, 1], [0, 0, 1]], a, b),
        _select("select_keeps_nan_out", [1, 0], [1, np.nan], [np.nan, 2], dy=[3, 4], output=[1, 2], gradients=[[3, 0], [0, 4]]),
    ]
