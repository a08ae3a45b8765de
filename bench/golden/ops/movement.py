"""Operations that only move values: broadcast_in_dim, reshape, transpose, reverse, slice, pad, concatenate."""

import jax.numpy as jnp
import numpy as np
import torch
from jax import lax

from .case import array, case, drawn


def _broadcast(name, x, shape, dimensions, **known):
    x = array(x)
    lifted = [1] * len(shape)
    for i, d in enumerate(dimensions):
        lifted[d] = x.shape[i]
    order = sorted(range(len(dimensions)), key=lambda i: dimensions[i])
    return case(name, "broadcast_in_dim", [x], {"shape": shape, "dimensions": dimensions},
                torch_f=lambda v: v.permute(order).reshape(lifted).expand(shape),
                jax_f=(lambda v: lax.broadcast_in_dim(v, shape, dimensions)) if order == list(range(len(order))) else None, **known)


def _reshape(name, x, shape, **known):
    return case(name, "reshape", [x], {"shape": shape}, torch_f=lambda v: v.reshape(shape), jax_f=lambda v: v.reshape(shape), **known)


def _transpose(name, x, permutation, **known):
    return case(name, "transpose", [x], {"permutation": permutation},
                torch_f=lambda v: v.permute(permutation), jax_f=lambda v: lax.transpose(v, permutation), **known)


def _reverse(name, x, dimensions, **known):
    return case(name, "reverse", [x], {"dimensions": dimensions},
                torch_f=lambda v: v.flip(dimensions), jax_f=lambda v: lax.rev(v, dimensions), **known)


def _slice(name, x, start, limit, strides, **known):
    index = tuple(slice(*t) for t in zip(start, limit, strides))
    return case(name, "slice", [x], {"start": start, "limit": limit, "strides": strides},
                torch_f=lambda v: v[index], jax_f=lambda v: lax.slice(v, start, limit, strides), **known)


def _pad(name, x, value, low, high, interior, **known):
    config = list(zip(low, high, interior))

    def torch_pad(v, fill):
        for axis, (lo, hi, gap) in enumerate(config):
            n = v.shape[axis]
            spread = fill.expand([*v.shape[:axis], max(n + (n - 1) * gap, 0), *v.shape[axis + 1 :]])
            spread = spread.index_copy(axis, torch.arange(n) * (gap + 1), v)
            spread = spread[(slice(None),) * axis + (slice(max(-lo, 0), spread.shape[axis] - max(-hi, 0)),)]
            edge = lambda k: fill.expand([*v.shape[:axis], max(k, 0), *v.shape[axis + 1 :]])  # noqa: B023, E731
            v = torch.cat([edge(lo), spread, edge(hi)], axis)
        return v

    return case(name, "pad", [x, value], {"low": low, "high": high, "interior": interior},
                torch_f=torch_pad, jax_f=lambda v, fill: lax.pad(v, fill, config), **known)


def _concatenate(name, parts, dimension, **known):
    return case(name, "concatenate", parts, {"dimension": dimension},
                torch_f=lambda *v: torch.cat(v, dimension), jax_f=lambda *v: jnp.concatenate(v, dimension), **known)


def cases():
    x = drawn("movement.x", (2, 3, 4))
    cube = np.fromfunction(lambda n, c, h, w: 100 * h + 10 * w + c, (1, 2, 2, 2))
    return [
        _broadcast("broadcast_scalar", 3.0, [2, 3], [], dy=[1, 2, 3, 4, 5, 6], output=[3] * 6, gradients=[21]),
        _broadcast("broadcast_bias", drawn("bias.b", (3,)), [2, 3, 2, 2], [1]),
        _broadcast("broadcast_ones", drawn("ones.b", (2, 1, 3)), [2, 4, 3], [0, 1, 2]),
        _broadcast("broadcast_inner_one", drawn("inner.b", (1, 3)), [3, 2, 3], [0, 2]),
        _broadcast("broadcast_permuted", drawn("permuted.b", (2, 3)), [3, 2], [1, 0]),
        _reshape("reshape", x, [4, 6]),
        _reshape("reshape_scalar", [[7.0]], []),
        _reshape("bug_69_flatten_order", cube, [1, 8], output=[0, 10, 100, 110, 1, 11, 101, 111]),
        _transpose("transpose", x, [2, 0, 1]),
        _transpose("transpose_nchw_to_nhwc", drawn("nchw", (2, 3, 2, 4)), [0, 2, 3, 1]),
        _reverse("reverse", x, [1]),
        _reverse("reverse_spatial", drawn("kernel", (2, 1, 3, 2)), [2, 3]),
        _slice("slice", x, [0, 1, 1], [2, 3, 4], [1, 1, 1]),
        _slice("slice_strided", drawn("strided", (5, 8)), [1, 0], [5, 7], [2, 3]),
        _slice("slice_stride_not_dividing", [0, 1, 2, 3, 4, 5, 6], [1], [6], [3], dy=[1, 2], output=[1, 4],
               gradients=[[0, 1, 0, 0, 2, 0, 0]]),
        _pad("pad_edges", [1, 2, 3], 9.0, [2], [1], [0], dy=[1, 2, 3, 4, 5, 6],
             output=[9, 9, 1, 2, 3, 9], gradients=[[3, 4, 5], [9]]),
        _pad("pad_interior", [1, 2, 3], 0.0, [0], [0], [2], dy=[1, 2, 3, 4, 5, 6, 7],
             output=[1, 0, 0, 2, 0, 0, 3], gradients=[[1, 4, 7], [16]]),
        _pad("pad_negative", [1, 2, 3, 4], 0.0, [-1], [-2], [0], dy=[5], output=[2], gradients=[[0, 5, 0, 0], [0]]),
        _pad("pad_negative_interior", [1, 2, 3], 7.0, [-2], [1], [1], dy=[1, 2, 3, 4],
             output=[2, 7, 3, 7], gradients=[[0, 1, 3], [6]]),
        _pad("pad_matrix", drawn("pad.x", (2, 3)), -1.0, [1, -1], [0, 2], [1, 2]),
        _concatenate("concatenate", [drawn("cat.a", (2, 1, 3)), drawn("cat.b", (2, 2, 3)), drawn("cat.c", (2, 4, 3))], 1),
        _concatenate("concatenate_one", [drawn("cat.d", (3,))], 0),
    ]
