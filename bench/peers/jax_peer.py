"""mnist_cnn in JAX: one jitted step whose parameters are donated."""

import argparse
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import protocol
from jax import lax

SHAPES = [(32, 1, 3, 3), (32,), (32, 32, 3, 3), (32,), (6272, 512), (512,), (512, 512), (512,), (512, 10), (10,)]


def initial():
    random = np.random.default_rng(0)

    def one(shape):
        if len(shape) == 1:
            return np.zeros(shape, np.float32)
        fan_in = shape[0] if len(shape) == 2 else int(np.prod(shape[1:]))
        return (random.standard_normal(shape) * np.sqrt(2 / fan_in)).astype(np.float32)

    return [jnp.asarray(one(s)) for s in SHAPES]


def loss(p, x, y):
    def conv(h, w, b):
        return jax.nn.relu(lax.conv_general_dilated(h, w, (1, 1), "SAME") + b[None, :, None, None])

    h = conv(conv(x, p[0], p[1]), p[2], p[3])
    h = lax.reduce_window(h, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID").reshape(x.shape[0], -1)
    h = jax.nn.relu(h @ p[4] + p[5])
    h = jax.nn.relu(h @ p[6] + p[7])
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(h @ p[8] + p[9]), y[:, None], 1))


def step(p, x, y):
    value, gradients = jax.value_and_grad(loss)(p, x, y)
    return [a - protocol.LEARNING_RATE * g for a, g in zip(p, gradients)], value


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    args = parser.parse_args()
    jax.config.update("jax_platforms", "cpu")

    images, labels = protocol.batches(args.data)
    images = [jnp.asarray(x) for x in images]
    labels = [jnp.asarray(y, jnp.int32) for y in labels]
    jitted = jax.jit(step, donate_argnums=0)
    p = initial()

    def run(steps):
        nonlocal p
        for i in range(steps):
            p, value = jitted(p, images[i % len(images)], labels[i % len(labels)])
        return float(jax.block_until_ready((p, value))[1])

    protocol.serve(run, args.steps)


if __name__ == "__main__":
    main()
