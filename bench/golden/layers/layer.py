"""One case of an op of the language."""

import numpy as np

from ..ops.case import array, case, drawn


# What is left where constants are rounded to f32, as eps is.
ROUNDED = 1e-7


def layer(name, body, inputs, torch_f, jax_f=None, *, training=True, exact=False, tolerance=0.0, **known):
    """`inputs` are parameters, buffers and x; `exact` where f32 cannot round; `tolerance` is
    what rounded constants and approximations leave."""
    made = case(name, "layer", inputs, {"body": body, "training": training}, torch_f=torch_f, jax_f=jax_f, **known)
    made["exact"] = made["exact"] and exact
    made["tolerance"] = tolerance
    return made


def halves(name, shape, low=-6, high=6):
    """Multiples of 1/2 that depend on the name only."""
    return drawn(name, shape, low, high) / 2


def distinct(name, shape):
    """Numbers in -2..2 no two of which are alike."""
    count = int(np.prod(shape))
    order = np.argsort(drawn(name, (count,), 0, 1 << 20), kind="stable")
    return (array(order).reshape(shape) + 0.5) * 4 / count - 2
