"""The SAME rule, checked against JAX."""

from jax import lax


def same(sizes, window, strides, dilation=(1, 1)):
    """Pads [[lo, hi], ...] of TensorFlow's SAME rule: the odd cell goes after."""
    pads = []
    for n, k, s, d in zip(sizes, window, strides, dilation):
        total = max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0)
        pads.append([total // 2, total - total // 2])
    effective = [(k - 1) * d + 1 for k, d in zip(window, dilation)]
    assert pads == [list(p) for p in lax.padtype_to_pads(sizes, effective, strides, "SAME")]
    return pads
