"""The gradients of one mnist_cnn step: on real images, and on a batch full of ties in the pool."""

import math

import numpy as np
import torch

from . import draw, network

AGREEMENT = 1e-5
FULL = 512


def relative(a, b):
    """Norm of the difference over the norm of b."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    return float(np.linalg.norm((a - b).ravel()) / np.linalg.norm(b.ravel()))


def _scales(dyadic):
    """(rule, scale) of each parameter."""
    result = []
    for name, _, fan_in in network.PARAMETERS:
        if dyadic and name.startswith("conv"):
            result.append(("ternary", 0.25 if name == "conv1.weight" else 0.125))
        elif fan_in is None:
            result.append(("uniform", 0.1))
        else:
            result.append(("uniform", 2 * math.sqrt(6 / fan_in)))
    return result


def _draw(scales):
    rules = {"uniform": draw.uniform, "ternary": draw.ternary}
    return [rules[rule](p, shape, s) for p, ((_, shape, _), (rule, s)) in enumerate(zip(network.PARAMETERS, scales))]


def _number(value, source):
    return float(value) if source.endswith("f64") else float(str(np.float32(value)))


def _result(source, loss, gradients):
    entries = []
    for p, ((name, _, _), g) in enumerate(zip(network.PARAMETERS, gradients)):
        entry = {"name": name, "norm": float(np.linalg.norm(g.astype(np.float64))), "sketch": draw.sketch(p, g)}
        if g.size <= FULL:
            entry["full"] = [_number(v, source) for v in g.ravel()]
        entries.append(entry)
    return {"source": source, "loss": float(loss), "gradients": entries}


def _golden(description, images_rule, parameters, scales, images, labels):
    runs = {
        "torch f64": network.torch_gradients(parameters, images, labels, torch.float64),
        "torch f32": network.torch_gradients(parameters, images, labels, torch.float32),
        "jax f32": network.jax_gradients(parameters, images, labels),
    }
    exact = runs["torch f64"]
    agreement = {}
    for source, (loss, gradients, _) in runs.items():
        assert abs(loss - exact[0]) <= 1e-6 * abs(exact[0]), f"{source}: loss {loss}, f64 says {exact[0]}"
        agreement[source] = [relative(g, e) for g, e in zip(gradients, exact[1])]
        for (name, _, _), r in zip(network.PARAMETERS, agreement[source]):
            assert r <= AGREEMENT, f"{source}: {name} is {r:.2e} away from f64"
    golden = {
        "description": description,
        "generator": "bench/goldens.py",
        "network": "mnist_cnn: mean softmax cross-entropy over the batch, canonical layout",
        "batch": {"count": len(labels), "images": images_rule, "labels": [int(v) for v in labels]},
        "recipe": draw.RECIPE,
        "parameters": [
            {"index": p, "name": name, "shape": list(shape), "rule": rule, "scale": s}
            for p, ((name, shape, _), (rule, s)) in enumerate(zip(network.PARAMETERS, scales))
        ],
        "relative_error_to_f64": agreement,
        "results": [_result(source, run[0], run[1]) for source, run in runs.items()],
    }
    return golden, runs


def real(images, labels):
    """Golden of the first MNIST images."""
    scales = _scales(dyadic=False)
    pixels = (images[:, None].astype(np.float32) / np.float32(255)).astype(np.float32)
    golden, _ = _golden(
        "Loss and gradients of mnist_cnn on the first 16 training images of MNIST",
        "tests/fixtures/mnist16-images.idx3-ubyte, each byte as f32 divided by 255",
        _draw(scales), scales, pixels, labels,
    )
    return golden


def _signatures(images):
    """Per cell of conv2, all it can see: for each tap whether it is in range, and conv1's zero-padded patch there."""
    n, _, height, width = images.shape
    padded = np.pad(images[:, 0], ((0, 0), (1, 1), (1, 1)))
    taps = [(i, j) for i in range(3) for j in range(3)]
    patches = np.stack([padded[:, i : i + height, j : j + width] for i, j in taps], -1)
    seen = np.concatenate([np.ones((n, height, width, 1)), patches], -1)
    seen = np.pad(seen, ((0, 0), (1, 1), (1, 1), (0, 0)))
    return np.concatenate([seen[:, i : i + height, j : j + width] for i, j in taps], -1)


def _tie_counts(activation, images):
    """Windows with a positive maximum in several cells, and those among them whose cells see different things."""
    def windows(a):
        return a.reshape(a.shape[0], 14, 2, 14, 2, *a.shape[3:]).swapaxes(2, 3).reshape(a.shape[0], 14, 14, 4, *a.shape[3:])

    sights = windows(_signatures(images))
    cells = windows(activation.transpose(0, 2, 3, 1))
    top = cells.max(3, keepdims=True)
    maximal = (cells == top) & (top > 0)
    tied = maximal.sum(3) >= 2
    differs = np.zeros_like(tied)
    for a in range(4):
        for b in range(a + 1, 4):
            distinct = (sights[:, :, :, a] != sights[:, :, :, b]).any(-1)[..., None]
            differs |= maximal[:, :, :, a] & maximal[:, :, :, b] & distinct
    return int(tied.sum()), int(differs.sum())


def ties(images, labels):
    """Golden of a batch whose convolutions are exact in f32 and whose pool windows tie between cells that are not twins."""
    scales = _scales(dyadic=True)
    parameters = _draw(scales)
    halves = ((images[:, None].astype(np.int64) * 4 + 255) // 510 / 2).astype(np.float32)
    golden, runs = _golden(
        "Loss and gradients of mnist_cnn where pool windows tie between cells that are different functions of the parameters: "
        "all of a window's cotangent belongs to the first maximal cell in row-major order",
        "tests/fixtures/mnist16-images.idx3-ubyte, each byte b as floor((4 b + 255) / 510) / 2 (b / 255 to the nearest of "
        "0, 1/2, 1); with the ternary convolutions every activation up to the pool is exact in f32",
        parameters, scales, halves, labels,
    )
    for source, (_, _, activation) in runs.items():
        assert np.array_equal(activation.astype(np.float64), runs["torch f64"][2]), f"{source}: convolutions are not exact"
    tied, different = _tie_counts(runs["torch f64"][2], halves)
    first = network.torch_routed(parameters, halves, labels, last=False)
    last = network.torch_routed(parameters, halves, labels, last=True)
    for (name, _, _), a, b in zip(network.PARAMETERS, first, runs["torch f64"][1]):
        assert relative(a, b) <= 1e-12, f"{name}: the pool written by hand is not max_pool2d"
    change = {name: relative(b, a) for (name, _, _), a, b in zip(network.PARAMETERS, first, last)}
    assert change["conv1.weight"] > 1e-2 and change["conv2.weight"] > 1e-2, f"the ties have no teeth: {change}"
    golden["ties"] = {
        "windows": int(runs["torch f64"][2].size // 4),
        "tied_positive_windows": tied,
        "of_these_not_twins": different,
        "twins": "cells that see the same: at each tap of conv2 the same in-range flag and, in range, the same zero-padded image patch",
        "relative_change_if_last_maximum": change,
    }
    return golden
