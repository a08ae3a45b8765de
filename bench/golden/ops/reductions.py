"""reduce_add, reduce_max and dot_general."""

import string

import torch
from jax import lax

from .case import array, case, drawn


def _reduce(name, op, x, dimensions, **known):
    dims = tuple(dimensions)
    torch_f = (lambda x: x.sum(dims)) if op == "reduce_add" else (lambda x: x.amax(dims))
    jax_f = (lambda x: x.sum(dims)) if op == "reduce_add" else (lambda x: x.max(dims))
    return case(name, op, [x], {"dimensions": list(dims)}, torch_f=torch_f, jax_f=jax_f, **known)


def _equation(a_rank, b_rank, batch, contracting):
    """The einsum of a dot_general: batch dimensions first, then the left's and the right's free ones."""
    letters = iter(string.ascii_lowercase)
    a, b = [next(letters) for _ in range(a_rank)], [next(letters) for _ in range(b_rank)]
    for left, right in [*zip(*batch), *zip(*contracting)]:
        b[right] = a[left]
    shared = [a[i] for i in batch[0]]
    bound = {a[i] for i in contracting[0]} | set(shared)
    out = shared + [c for c in a if c not in bound] + [c for c in b if c not in bound]
    return f"{''.join(a)},{''.join(b)}->{''.join(out)}"


def _dot(name, a, b, batch=((), ()), contracting=((), ()), **known):
    attrs = {"lhs_batch": list(batch[0]), "rhs_batch": list(batch[1]),
             "lhs_contracting": list(contracting[0]), "rhs_contracting": list(contracting[1])}
    a, b = array(a), array(b)
    equation = _equation(a.ndim, b.ndim, batch, contracting)
    return case(name, "dot_general", [a, b], attrs, torch_f=lambda a, b: torch.einsum(equation, a, b),
                jax_f=lambda a, b: lax.dot_general(a, b, (contracting, batch)), **known)


def _drawn(name, a, b, batch=((), ()), contracting=((), ())):
    return _dot(name, drawn(name + ".a", a), drawn(name + ".b", b), batch, contracting)


def cases():
    x = drawn("reduce.x", (2, 3, 4))
    return [
        _reduce("reduce_add_last", "reduce_add", x, [2]),
        _reduce("reduce_add_bias", "reduce_add", drawn("bias", (2, 3, 2, 2)), [0, 2, 3]),
        _reduce("reduce_add_all", "reduce_add", x, [0, 1, 2]),
        _reduce("reduce_max_last", "reduce_max", [[1, 5, 2], [7, 3, 4]], [1], dy=[1, 10],
                output=[5, 7], gradients=[[0, 1, 0, 10, 0, 0]]),
        _reduce("reduce_max_ties_share", "reduce_max", [[2, 2, 1], [3, 3, 3], [0, 4, 4]], [1], dy=[4, 12, 8],
                output=[2, 3, 4], gradients=[[2, 2, 0, 4, 4, 4, 0, 4, 4]]),
        _reduce("reduce_max_middle", "reduce_max", x * 8 + array([[[0, 1, 2, 3]], [[4, 5, 6, 7]]]), [1]),
        _reduce("reduce_max_all", "reduce_max", [[1, 2], [-3, 0]], [0, 1], dy=[5], output=[2], gradients=[[0, 5, 0, 0]]),
        _drawn("dot_matrix", (3, 4), (4, 5), contracting=((1,), (0,))),
        _drawn("dot_both_transposed", (4, 3), (5, 4), contracting=((0,), (1,))),
        _drawn("dot_batch", (2, 3, 4), (2, 4, 5), ((0,), (0,)), ((2,), (1,))),
        _drawn("dot_batch_inside", (3, 2, 4), (4, 5, 2), ((1,), (2,)), ((2,), (0,))),
        _drawn("dot_two_batch_two_contracting", (2, 3, 4, 2, 3), (3, 2, 2, 4), ((1, 0), (0, 1)), ((3, 2), (2, 3))),
        _drawn("dot_outer", (2, 3), (4,)),
        _drawn("dot_vectors", (5,), (5,), contracting=((0,), (0,))),
        _drawn("dot_free_on_both_sides", (2, 3, 4), (3, 5, 6), contracting=((1,), (0,))),
    ]
