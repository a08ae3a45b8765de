"""max_pool and sum_pool."""

import jax.numpy as jnp
import numpy as np
import torch.nn.functional as F
from jax import lax

from .case import array, case, drawn, image
from .padding import same

VALID = [[0, 0], [0, 0]]


def _torch_pool(op, window, strides, padding):
    flat = padding[1] + padding[0]
    if op == "max_pool":
        return lambda x: F.max_pool2d(F.pad(x, flat, value=-np.inf), window, strides)
    return lambda x: F.avg_pool2d(F.pad(x, flat), window, strides, divisor_override=1)


def _jax_pool(op, window, strides, padding):
    start, combine = (-jnp.inf, lax.max) if op == "max_pool" else (0.0, lax.add)
    full = [(0, 0), (0, 0), *map(tuple, padding)]
    return lambda x: lax.reduce_window(x, start, combine, (1, 1, *window), (1, 1, *strides), full)


def pool(name, x, window, strides, padding=None, op="max_pool", **known):
    attrs = {"window": list(window), "strides": list(strides)}
    if padding == "same":
        attrs["padding"], attrs["same"] = same(x.shape[2:], window, strides), True
    else:
        attrs["padding"] = padding or VALID
    arguments = (op, attrs["window"], attrs["strides"], attrs["padding"])
    return case(name, op, [x], attrs, torch_f=_torch_pool(*arguments), jax_f=_jax_pool(*arguments), **known)


def _reports():
    stem = np.arange(25.0).reshape(5, 5)
    stem[1, 1] = 99
    dx = np.zeros((5, 5))
    dx[1, 1], dx[1, 4], dx[3, 4], dx[4, 1], dx[4, 3], dx[4, 4] = 27, 4, 32, 64, 128, 256
    one = [[1, 1], [1, 1]]
    four = [[1, 2], [4, 8]]
    gaps = [[1, 0, 2], [0, 0, 0], [4, 0, 8]]
    loose = [[3, 0, 0, 2, 9], [0, 0, 0, 0, 9], [0, 0, 4, 1, 9], [0, 0, 0, 0, 9], [9, 9, 9, 9, 9]]
    loose_dx = np.zeros((5, 5))
    loose_dx[0, 0], loose_dx[0, 3], loose_dx[2, 0], loose_dx[2, 2] = 1, 2, 4, 8
    wide_dx = np.zeros((3, 5))
    wide_dx[1, 0], wide_dx[1, 3], wide_dx[2, 3] = 5, 2, 8
    columns = array([[1, 5], [2, 5], [3, 6], [4, 4]]).T[None, :, :, None]
    return [
        pool("bug_01_a_overlap_adds", image([[6, 2, 1, 3, 6]]), (1, 2), (1, 1),
             dy=[1, 10, 100, 1000], output=[6, 2, 3, 6], gradients=[[1, 10, 0, 100, 1000]]),
        pool("bug_01_b_stem", image(stem), (3, 3), (2, 2), [[1, 1], [1, 1]],
             dy=[1, 2, 4, 8, 16, 32, 64, 128, 256], output=[99, 99, 9, 99, 99, 19, 21, 23, 24], gradients=[dx]),
        pool("bug_02_a_negative", image([[-1, -2], [-3, -4]]), (3, 3), (1, 1), one,
             dy=[1, 1, 1, 1], output=[-1, -1, -1, -1], gradients=[[4, 0, 0, 0]]),
        pool("bug_02_b_same", image(-np.arange(1.0, 10).reshape(3, 3)), (2, 2), (2, 2), "same",
             dy=four, output=[-1, -3, -7, -9], gradients=[gaps]),
        pool("bug_02_c_all_sides", image(np.arange(1.0, 10).reshape(3, 3)), (2, 2), (2, 2), one,
             dy=four, output=[1, 3, 7, 9], gradients=[gaps]),
        pool("bug_02_d_28x28_same", drawn("bug_02_d", (1, 2, 28, 28), -9, -1), (3, 3), (2, 2), "same"),
        pool("bug_03_ties", image([[1, 2], [2, 2]]), (2, 2), (2, 2), dy=[8], output=[2], gradients=[[0, 8, 0, 0]]),
        pool("bug_05_a_uncovered", image(loose), (2, 2), (2, 2), dy=four, output=[3, 2, 0, 4], gradients=[loose_dx]),
        pool("bug_05_b_padded_size_3", image(loose), (2, 2), (2, 2), one),
        pool("bug_09_window_2x3", image([[1, 5, 2, 4, 3], [9, 0, 7, 8, 6], [2, 3, 1, 9, 9]]), (2, 3), (1, 2),
             dy=four, output=[9, 8, 9, 9], gradients=[wide_dx]),
        pool("bug_10_a_9x9x4", drawn("bug_10_a", (1, 4, 9, 9), 0, 4), (3, 2), (2, 2)),
        pool("bug_10_b_3x3_stride_2_pad_1", drawn("bug_10_b", (2, 2, 8, 8), 0, 3), (3, 3), (2, 2), one),
        pool("bug_10_c_stablehlo_example", columns, (3, 1), (2, 1), [[0, 1], [0, 0]],
             dy=array([[5, 6], [7, 8]]).T, output=array([[3, 6], [4, 6]]).T, gradients=[array([[0, 0], [0, 0], [5, 14], [7, 0]]).T]),
    ]


def cases():
    tied = image([[1, 1, 2, 3], [1, 1, 3, 3], [0, 5, 0, 0], [5, 0, 0, 0]])
    tied_dx = np.zeros((4, 4))
    tied_dx[0, 0], tied_dx[0, 3], tied_dx[2, 1], tied_dx[2, 2] = 10, 20, 30, 40
    flat = np.full((1, 1, 4, 4), 2.0)
    return _reports() + [
        pool("max_pool_first_maximum", tied, (2, 2), (2, 2), dy=[10, 20, 30, 40], output=[1, 3, 5, 0], gradients=[tied_dx]),
        pool("max_pool_plateau_overlap", flat, (3, 3), (1, 1),
             dy=[1, 2, 3, 4], gradients=[[1, 2, 0, 0, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]),
        pool("max_pool_zeros", np.zeros((1, 1, 4, 4)), (2, 2), (2, 2),
             dy=[1, 2, 3, 4], gradients=[[1, 0, 2, 0, 0, 0, 0, 0, 3, 0, 4, 0, 0, 0, 0, 0]]),
        pool("max_pool_batch_ties", drawn("max_pool_batch_ties", (3, 4, 6, 6), 0, 2), (2, 2), (2, 2)),
        pool("max_pool_asymmetric", drawn("max_pool_asymmetric", (2, 3, 7, 6), 0, 3), (3, 2), (2, 1), [[1, 0], [0, 1]]),
        pool("max_pool_gaps", drawn("max_pool_gaps", (1, 2, 8, 7)), (2, 2), (3, 3)),
        pool("max_pool_whole", drawn("max_pool_whole", (2, 2, 3, 5)), (3, 5), (1, 1)),
        pool("max_pool_identity", drawn("max_pool_identity", (1, 2, 3, 3)), (1, 1), (1, 1)),
        pool("max_pool_stride_only", drawn("max_pool_stride_only", (1, 1, 5, 6)), (1, 1), (2, 3)),
        pool("max_pool_single_output_uncovered", drawn("max_pool_single", (1, 1, 6, 6)), (4, 4), (3, 3)),
        pool("max_pool_tall_same", drawn("max_pool_tall_same", (1, 2, 7, 3), 0, 3), (4, 1), (3, 1), "same"),
        pool("sum_pool_2x2", drawn("sum_pool_2x2", (1, 2, 4, 4)), (2, 2), (2, 2), op="sum_pool"),
        pool("sum_pool_overlap_pad", drawn("sum_pool_overlap_pad", (2, 1, 5, 5)), (3, 3), (2, 2), [[1, 1], [1, 1]], op="sum_pool"),
        pool("sum_pool_same_2x2", image([[1, 2], [3, 4]]), (2, 2), (1, 1), "same", op="sum_pool",
             dy=[1, 1, 1, 1], output=[10, 6, 7, 4], gradients=[[1, 2, 2, 4]]),
        pool("sum_pool_uncovered", drawn("sum_pool_uncovered", (1, 1, 6, 7)), (4, 2), (3, 3), op="sum_pool"),
    ]
