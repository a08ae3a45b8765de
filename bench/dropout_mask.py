#!/usr/bin/env python3
"""Which elements dropout keeps, by JAX's Threefry-2x32: the patterns of compiler/src/lower/tests/dropout.rs and of
compiler/tests/ops_on_iree/stateful.rs."""

import jax.numpy as jnp
import numpy as np
from jax.extend.random import threefry_2x32


CASES = [
    (7, 0, 1, 0.25, 15),
    (7, 1, 1, 0.25, 15),
    (7 + (3 << 32), 0, 1, 0.25, 15),
    (7, 0, 2, 0.5, 15),
    (7, 0, 2, 0.25, 15),
    (7, 1, 2, 0.25, 15),
    # drop_path: a word for each of eight examples.
    (7, 0, 2, 0.5, 8),
    (7, 1, 2, 0.5, 8),
]


def kept(seed, step, place, p, count):
    """A key for the place in the step, from it two words per counter; a word below p 2^32 drops its element."""
    key = jnp.array([seed & 0xFFFFFFFF, seed >> 32], jnp.uint32)
    key = threefry_2x32(key, jnp.array([step, place | 1 << 31], jnp.uint32))
    half = (count + 1) // 2
    words = threefry_2x32(key, jnp.concatenate([jnp.arange(half, dtype=jnp.uint32), jnp.zeros(half, jnp.uint32)]))
    return np.asarray(words)[:count] >= round(p * 2**32)


def main():
    for seed, step, place, p, count in CASES:
        print(seed, step, place, p, "".join(".x"[int(k)] for k in kept(seed, step, place, p, count)))
    print("of 65536:", int(kept(1, 2, 3, 0.25, 65536).sum()))


if __name__ == "__main__":
    main()
