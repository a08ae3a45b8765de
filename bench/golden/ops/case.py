"""One case: run by PyTorch and JAX in f64, compared, checked against what is known beforehand, and recorded."""

import zlib

import jax
import jax.numpy as jnp
import numpy as np
import torch

from .. import draw

INEXACT = {
    "exponential", "log", "softmax_cross_entropy", "avg_pool", "global_avg_pool", "swish", "gelu_tanh", "batch_norm",
    "batch_norm_fixed", "running_statistics",
}


def array(value):
    return np.asarray(value, np.float64)


def image(rows):
    """Rows of one channel of one image as NCHW."""
    return array(rows)[None, None]


def drawn(name, shape, low=-3, high=3):
    """Small integers that depend on the name only."""
    return draw.integers(zlib.crc32(name.encode()) & 0xFFFFF, tuple(shape), low, high)


def _torch(f, inputs, dy):
    leaves = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in inputs]
    y = f(*leaves)
    if dy is None:
        return y.detach().numpy(), None
    gradients = torch.autograd.grad(y, leaves, torch.tensor(dy).reshape(y.shape))
    return y.detach().numpy(), [g.numpy() for g in gradients]


def _jax(f, inputs, dy):
    leaves = [jnp.asarray(v, jnp.float64) for v in inputs]
    if dy is None:
        return np.asarray(f(*leaves)), None
    y, pull = jax.vjp(f, *leaves)
    return np.asarray(y), [np.asarray(g) for g in pull(jnp.asarray(dy, jnp.float64).reshape(y.shape))]


def _compare(what, found, expected, atol=1e-12):
    found, expected = array(found), array(expected)
    assert found.shape == expected.shape, f"{what}: shape {found.shape}, expected {expected.shape}"
    assert np.allclose(found, expected, rtol=1e-12, atol=atol, equal_nan=True), f"{what}: {found.tolist()}, expected {expected.tolist()}"


def _check(what, found, expected, atol):
    """Compares with an answer known beforehand; None is an entry that is not known."""
    flat = [v for v in np.asarray(expected, object).reshape(-1)]
    assert len(flat) == found.size, f"{what}: {found.size} entries, expected {len(flat)}"
    known = [i for i, v in enumerate(flat) if v is not None]
    _compare(what, found.reshape(-1)[known], [flat[i] for i in known], atol)


def _dyadic(arrays):
    return all(np.isfinite(a).all() and (np.abs(a) < 2**20).all() and (a * 16 == np.round(a * 16)).all() for a in arrays)


def case(name, op, inputs, attrs=None, *, torch_f=None, jax_f=None, dy="drawn", output=None, gradients=None, atol=1e-12):
    """Records a case; `output` and `gradients` (None where unknown) are answers from outside PyTorch and JAX."""
    inputs = [array(v) for v in inputs]
    runners = [(label, run, f) for label, run, f in [("torch f64", _torch, torch_f), ("jax f64", _jax, jax_f)] if f]
    if isinstance(dy, str):
        _, run, f = runners[0]
        dy = drawn(name + ".dy", run(f, inputs, None)[0].shape)
    dy = None if dy is None else array(dy)
    results = [(label, *run(f, inputs, dy)) for label, run, f in runners]
    _, y, grads = results[0]
    for label, other_y, other_grads in results[1:]:
        _compare(f"{name}: output of {label}", other_y, y)
        for i, (a, b) in enumerate(zip(other_grads or [], grads or [])):
            _compare(f"{name}: gradient {i} of {label}", a, b)
    if output is not None:
        _check(f"{name}: output", y, output, atol)
    for i, expected in enumerate(gradients or []):
        if expected is not None:
            _check(f"{name}: gradient {i}", grads[i], expected, atol)
    numbers = [*inputs, y, *([dy] if dy is not None else []), *(grads or [])]
    return {
        "name": name,
        "op": op,
        "attrs": attrs or {},
        "inputs": [{"shape": list(v.shape), "data": v.reshape(-1).tolist()} for v in inputs],
        "output": {"shape": list(y.shape), "data": y.reshape(-1).tolist()},
        "dy": None if dy is None else dy.reshape(-1).tolist(),
        "gradients": None if grads is None else [g.reshape(-1).tolist() for g in grads],
        "source": " = ".join(label for label, *_ in results),
        "exact": op not in INEXACT and _dyadic(numbers),
    }
