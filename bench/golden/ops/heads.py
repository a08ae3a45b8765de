"""dense, relu and softmax_cross_entropy."""

import jax
import jax.numpy as jnp
import numpy as np
import torch
import torch.nn.functional as F

from .case import array, case, drawn


def dense(name, x, w, b, **known):
    f = lambda x, w, b: x @ w + b  # noqa: E731
    return case(name, "dense", [x, w, b], torch_f=f, jax_f=f, **known)


def relu(name, x, **known):
    return case(name, "relu", [x], torch_f=F.relu, jax_f=jax.nn.relu, **known)


def cross_entropy(name, logits, labels, dy=(1.0,), **known):
    def jax_f(z):
        log_p = jax.nn.log_softmax(z)
        return -jnp.mean(jnp.take_along_axis(log_p, jnp.array(labels)[:, None], 1))

    return case(name, "softmax_cross_entropy", [logits], {"labels": list(labels)}, dy=list(dy),
                torch_f=lambda z: F.cross_entropy(z, torch.tensor(labels)), jax_f=jax_f, **known)


def cases():
    far = [[10000, 0, -10000]]
    third = np.log(4.0)
    return [
        dense("dense_by_hand", [[1, 2]], [[1, 2, 3], [4, 5, 6]], [10, 20, 30],
              dy=[1, 10, 100], output=[19, 32, 45], gradients=[[321, 654], [1, 10, 100, 2, 20, 200], [1, 10, 100]]),
        dense("dense_batch", drawn("dense.x", (4, 6)), drawn("dense.w", (6, 5)), drawn("dense.b", (5,))),
        dense("dense_one_output", drawn("dense1.x", (3, 4)), drawn("dense1.w", (4, 1)), drawn("dense1.b", (1,))),
        relu("bug_13_relu_at_zero", [-1, 0, 3, 6, 7], dy=[1, 2, 4, 8, 16], output=[0, 0, 3, 6, 7], gradients=[[0, 0, 4, 8, 16]]),
        relu("bug_13_relu_at_minus_zero", [-0.0, 0.0, 1.0], dy=[1, 2, 4], gradients=[[0, 0, 4]]),
        relu("bug_15_relu_nan", [np.nan, -1, 2], dy=None, output=[np.nan, 0, 2]),
        relu("relu_infinite", [np.inf, -np.inf, 1], dy=[1, 2, 4], output=[np.inf, 0, 1], gradients=[[1, 0, 4]]),
        cross_entropy("bug_42_a_far_label_0", far, [0], output=[0], gradients=[[0, 0, 0]]),
        cross_entropy("bug_42_b_far_label_1", far, [1], output=[10000], gradients=[[1, -1, 0]]),
        cross_entropy("bug_42_c_far_label_2", far, [2], output=[20000], gradients=[[1, 0, -1]]),
        cross_entropy("bug_42_d_858", [[-431, 279, 427]], [0], output=[858], gradients=[[-1, 0, 1]]),
        cross_entropy("bug_44_minus_infinity", [[-np.inf, 0, 0]], [1], output=[0.693147], gradients=[[0, -0.5, 0.5]], atol=1e-6),
        cross_entropy("cross_entropy_uniform", np.zeros((2, 4)), [0, 3], output=[third],
                      gradients=[array([[-0.75, 0.25, 0.25, 0.25], [0.25, 0.25, 0.25, -0.75]]) / 2]),
        cross_entropy("cross_entropy_batch", drawn("ce", (5, 10)) / 2, [3, 1, 4, 1, 9]),
        cross_entropy("cross_entropy_cotangent_3", drawn("ce3", (3, 4)), [0, 2, 3], dy=[3.0]),
        cross_entropy("cross_entropy_one_class", [[5.0], [-2.0]], [0, 0], output=[0], gradients=[[0, 0]]),
    ]
