"""What a vision transformer needs."""

import jax
import jax.numpy as jnp
import numpy as np
import torch
import torch.nn.functional as F

from .layer import ROUNDED, distinct, halves, layer


def _attention(name, options, n, count, channels, heads, bias=True):
    x = distinct(name + ".x", (n, count, channels))
    qkv = [distinct(name + ".qkv", (channels, 3 * channels)) / 2] + ([halves(name + ".qkv_b", (3 * channels,)) / 4] if bias else [])
    proj = [distinct(name + ".proj", (channels, channels))] + ([halves(name + ".proj_b", (channels,))] if bias else [])

    def split(v):
        return (v[0], v[1], v[2], v[3], v[4]) if bias else (v[0], None, v[1], None, v[2])

    def torch_f(*v):
        wqkv, bqkv, wproj, bproj, x = split(v)
        x = x.transpose(0, 1)
        y, _ = F.multi_head_attention_forward(
            x, x, x, channels, heads, wqkv.T, bqkv, None, None, False, 0.0, wproj.T, bproj, need_weights=False)
        return y.transpose(0, 1)

    def jax_f(*v):
        wqkv, bqkv, wproj, bproj, x = split(v)
        size = channels // heads
        all_ = x @ wqkv + (0 if bqkv is None else bqkv)
        q, k, v_ = all_.reshape(n, count, 3, heads, size).transpose(2, 0, 3, 1, 4)
        shares = jax.nn.softmax(q @ k.swapaxes(2, 3) / np.sqrt(size))
        y = (shares @ v_).transpose(0, 2, 1, 3).reshape(n, count, channels) @ wproj
        return y if bproj is None else y + bproj

    return layer(name, f"x |> attention({options})", [*qkv, *proj, x], torch_f, jax_f, tolerance=4 * ROUNDED)


def _patches(x, p, q):
    """By PyTorch's unfold, whose columns are in C, H, W order."""
    return F.unfold(x, (p, q), stride=(p, q)).transpose(1, 2)


def cases():
    dense = [halves("dense.tokens.w", (3, 4)), halves("dense.tokens.b", (4,)), halves("dense.tokens.x", (2, 5, 3))]
    token = [halves("class.w", (3,)), halves("class.x", (2, 4, 3))]
    position = [halves("position.w", (4, 3)), halves("position.x", (2, 4, 3))]
    return [
        _attention("attention_one_head", "1", 2, 3, 4, 1),
        _attention("attention_two_heads", "2", 2, 5, 6, 2),
        _attention("attention_no_bias", "3, bias=false", 1, 4, 6, 3, bias=False),
        layer("dense_tokens", "x |> dense(4)", dense, lambda w, b, x: x @ w + b, lambda w, b, x: x @ w + b, exact=True),
        layer("tokens_2", "x |> tokens(2)", [halves("tokens2", (2, 3, 4, 6))], lambda x: _patches(x, 2, 2), exact=True),
        layer("tokens_2x3", "x |> tokens((2, 3))", [halves("tokens23", (1, 2, 4, 6))], lambda x: _patches(x, 2, 3), exact=True),
        layer("tokens_1", "x |> tokens", [halves("tokens1", (2, 3, 2, 4))], lambda x: x.flatten(2).transpose(1, 2), exact=True),
        layer("class_token", "x |> class_token", token, lambda w, x: torch.cat([w.expand(2, 1, 3), x], 1),
              lambda w, x: jnp.concatenate([jnp.broadcast_to(w, (2, 1, 3)), x], 1), exact=True),
        layer("first_token", "x |> first_token", [halves("first.x", (2, 4, 3))], lambda x: x[:, 0], lambda x: x[:, 0], exact=True),
        layer("position_embedding", "x |> position_embedding", position, lambda w, x: x + w, lambda w, x: x + w, exact=True),
    ]
