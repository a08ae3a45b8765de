"""Batch, layer and group normalisation."""

import jax.numpy as jnp
import numpy as np
import torch.nn.functional as F

from .layer import ROUNDED, distinct, halves, layer


def _normalized(x, axes, eps, mean=None, variance=None):
    """Without PyTorch: biased variance, eps inside the root."""
    mean = x.mean(axes, keepdims=True) if mean is None else mean
    variance = x.var(axes, keepdims=True) if variance is None else variance
    return (x - mean) / jnp.sqrt(variance + eps)


def _per_channel(v, x):
    return v.reshape([1, -1] + [1] * (x.ndim - 2))


def _batch(name, options, x, *, training, affine=True, eps=1e-5, **known):
    """Parameters, running statistics and x; the statistics do nothing in training."""
    channels = x.shape[1]
    buffers = [halves(name + ".mean", (channels,)), (halves(name + ".var", (channels,)) + 4)]
    weights = [halves(name + ".w", (channels,)), halves(name + ".b", (channels,))] if affine else []

    def torch_f(*v):
        w, b = v[:2] if affine else (None, None)
        mean, variance, x = v[-3:]
        if training:
            return F.batch_norm(x, None, None, w, b, True, 0.1, eps) + 0 * (mean.sum() + variance.sum())
        # PyTorch has no derivative by the running statistics.
        y = (x - _per_channel(mean, x)) / (_per_channel(variance, x) + eps).sqrt()
        assert abs(y - F.batch_norm(x, mean.detach(), variance.detach(), None, None, False, 0.1, eps)).max() < 1e-12
        return y * _per_channel(w, x) + _per_channel(b, x) if affine else y

    def jax_f(*v):
        mean, variance, x = v[-3:]
        axes = tuple(i for i in range(x.ndim) if i != 1)
        y = _normalized(x, axes, eps) if training else _normalized(x, axes, eps, _per_channel(mean, x), _per_channel(variance, x))
        return y * _per_channel(v[0], x) + _per_channel(v[1], x) if affine else y

    return layer(name, f"x |> batch_norm{options}", [*weights, *buffers, x], torch_f, jax_f, training=training, tolerance=ROUNDED, **known)


def _one_channel(name, options, x, w, b, running, *, training, dy=None, output=None, gradients=None, eps=1e-5):
    x = np.array(x, np.float64).reshape(-1, 1)
    inputs = [[w], [b], [running[0]], [running[1]], x]

    def torch_f(w, b, mean, variance, x):
        if training:
            return F.batch_norm(x, None, None, w, b, True, 0.1, eps) + 0 * (mean.sum() + variance.sum())
        return (x - mean) / (variance + eps).sqrt() * w + b

    return layer(name, f"x |> batch_norm{options}", inputs, torch_f, training=training, dy=dy or [1] * len(x), output=output,
                 gradients=gradients, atol=2e-6, tolerance=ROUNDED)


def _reports():
    four = [1, 2, 3, 6]
    return [
        _one_channel("bug_38_far_from_zero", "", [5800, 5801, 5802, 5803], 1, 0, (0, 1), training=True,
                     output=[-1.341635, -0.447212, 0.447212, 1.341635]),
        _one_channel("bug_39_a_eps_inside_the_root", "(eps=1)", four, 1, 0, (0, 1), training=True, eps=1,
                     output=[-0.942809, -0.471405, 0, 1.414214]),
        _one_channel("bug_39_b_constant", "", [100] * 9, 3, 2, (0, 1), training=True, dy=[1, 2, 3, 4, 5, 6, 7, 8, 9], output=[2] * 9),
        _one_channel("bug_40_gradient", "", four, 2, 0, (0, 1), training=True, dy=[1, 0, 0, 0],
                     output=[-2.138087, -1.069043, 0, 3.207130],
                     gradients=[[-1.069043], [1], None, None, [0.496342, -0.419981, -0.267261, 0.190899]]),
        _one_channel("bug_41_evaluation", "", [5, 7, 3, 3], 2, 1, (3, 3.99999), training=False, dy=[1, 2, 3, 4], output=[3, 5, 1, 1],
                     gradients=[None, [10], None, None, [1, 2, 3, 4]]),
        _one_channel("bug_41_evaluation_of_one", "", [7], 2, 1, (3, 3.99999), training=False, dy=[2], output=[5],
                     gradients=[None, None, None, None, [2]]),
    ]


def _layer(name, options, x, axes, weights=None, eps=1e-5, **known):
    """`weights` have the shape that broadcasts over what the mean is not taken over."""
    def jax_f(*v):
        y = _normalized(v[-1], axes, eps)
        return y if weights is None else y * v[0].reshape(weights) + v[1].reshape(weights)

    shape = x.shape[1:] if len(axes) > 1 or x.ndim == 2 else [x.shape[axes[0]]]
    moved = len(axes) == 1 and x.ndim == 4

    def torch_f(*v):
        x = v[-1].movedim(1, -1) if moved else v[-1]
        full = weights is not None and known["element"]
        w, b = (v[0], v[1]) if full else (None, None)
        y = F.layer_norm(x, tuple(shape), w, b, eps)
        y = y.movedim(-1, 1) if moved else y
        return y if weights is None or full else y * v[0] + v[1]

    element = known.setdefault("element", True)
    inputs = [] if weights is None else [halves(name + ".w", shape if element else (1,)), halves(name + ".b", shape if element else (1,))]
    return layer(name, f"x |> layer_norm{options}", [*inputs, x], torch_f, jax_f, tolerance=ROUNDED)


def _group(name, options, x, groups, affine=True, eps=1e-5):
    channels = x.shape[1]
    weights = [halves(name + ".w", (channels,)), halves(name + ".b", (channels,))] if affine else []

    def torch_f(*v):
        w, b = v[:2] if affine else (None, None)
        return F.group_norm(v[-1], groups, w, b, eps)

    def jax_f(*v):
        x = v[-1]
        y = _normalized(x.reshape(x.shape[0], groups, -1), 2, eps).reshape(x.shape)
        return y * _per_channel(v[0], x) + _per_channel(v[1], x) if affine else y

    return layer(name, f"x |> group_norm({options})", [*weights, x], torch_f, jax_f, tolerance=ROUNDED)


def cases():
    image, tokens, vector = (2, 3, 4, 3), (2, 4, 3), (3, 5)
    return _reports() + [
        _batch("batch_norm_image", "", halves("bn.image", image), training=True),
        _batch("batch_norm_vector", "", halves("bn.vector", (6, 3)), training=True),
        _batch("batch_norm_plain", "(affine=false, eps=0.01)", halves("bn.plain", image), training=True, affine=False, eps=0.01),
        _batch("batch_norm_evaluation", "", halves("bn.eval", image), training=False),
        _batch("batch_norm_evaluation_plain", "(affine=false)", halves("bn.evalplain", (1, 4, 2, 2)), training=False, affine=False),
        _layer("layer_norm_tokens", "", distinct("ln.tokens", tokens), (2,), (1, 1, 3)),
        _layer("layer_norm_vector", "(eps=0.001)", distinct("ln.vector", vector), (1,), (1, 5), eps=1e-3),
        _layer("layer_norm_pixels", "", distinct("ln.pixels", image), (1,), (1, 3, 1, 1)),
        _layer("layer_norm_image", "(over=features)", distinct("ln.image", image), (1, 2, 3), (1, 3, 4, 3)),
        _layer("layer_norm_all_tokens", "(over=features)", distinct("ln.all", tokens), (1, 2), (1, 4, 3)),
        _layer("layer_norm_scalar", "(over=features, affine=scalar)", distinct("ln.scalar", image), (1, 2, 3), (1, 1, 1, 1), element=False),
        _layer("layer_norm_scalar_tokens", "(affine=scalar)", distinct("ln.stokens", tokens), (2,), (1, 1, 1), element=False),
        _layer("layer_norm_plain", "(affine=none)", distinct("ln.plain", tokens), (2,)),
        _group("group_norm_image", "3", distinct("gn.image", (2, 6, 3, 2)), 3),
        _group("group_norm_one", "1, eps=0.1", distinct("gn.one", image), 1, eps=0.1),
        _group("group_norm_channels", "3, affine=false", distinct("gn.channels", image), 3, affine=False),
        _group("group_norm_vector", "2", distinct("gn.vector", (3, 6)), 2),
    ]
