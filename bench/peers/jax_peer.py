"""The nets in hand-written JAX: one jitted step whose parameters are donated; images as NHWC or NCHW."""

import jax
import jax.numpy as jnp
import nets
import numpy as np
import protocol
from jax import lax


class Layout:
    """Where channels, height and width stand."""

    def __init__(self, form):
        self.last = form == "nhwc"
        self.dims = ("NHWC", "HWIO", "NHWC") if self.last else ("NCHW", "OIHW", "NCHW")
        self.space = (1, 2) if self.last else (2, 3)

    def images(self, x):
        return np.moveaxis(x, 1, -1) if self.last else x

    def kernel(self, w):
        return w.transpose(2, 3, 1, 0) if self.last else w

    def wide(self, v):
        """One value per channel, to be added to images."""
        return v if self.last else v[:, None, None]

    def window(self, size):
        return (1, size, size, 1) if self.last else (1, 1, size, size)

    def conv(self, x, w, stride=1):
        size = w.shape[0] if self.last else w.shape[2]
        pads = [(size // 2, size // 2)] * 2
        return lax.conv_general_dilated(x, w, (stride, stride), pads, dimension_numbers=self.dims)

    def max_pool(self, x, size):
        return lax.reduce_window(x, -jnp.inf, lax.max, self.window(size), self.window(size), "VALID")

    def batch_norm(self, x, p, old):
        """Normalised by the batch; and the running mean and variance."""
        axes = (0, *self.space)
        mean, var = x.mean(axes), x.var(axes)
        count = x.size // mean.size
        new = 0.9 * old[0] + 0.1 * mean, 0.9 * old[1] + 0.1 * var * (count / (count - 1))
        y = (x - self.wide(mean)) * self.wide(lax.rsqrt(var + 1e-5) * p["gamma"]) + self.wide(p["beta"])
        return y, new


class Parameters:
    """Draws them: He-normal weights, biases 0."""

    def __init__(self, layout):
        self.layout, self.random = layout, np.random.default_rng(0)

    def _normal(self, shape, fan_in):
        return (self.random.standard_normal(shape) * np.sqrt(2 / fan_in)).astype(np.float32)

    def conv(self, i, o, size):
        return self.layout.kernel(self._normal((o, i, size, size), i * size * size))

    def conv_bias(self, i, o, size):
        return {"w": self.conv(i, o, size), "b": np.zeros(o, np.float32)}

    def conv_bn(self, i, o, size):
        return {"w": self.conv(i, o, size), "gamma": np.ones(o, np.float32), "beta": np.zeros(o, np.float32)}

    def dense(self, *widths):
        pairs = zip(widths, widths[1:])
        return [{"w": self._normal((i, o), i), "b": np.zeros(o, np.float32)} for i, o in pairs]


def statistics(p):
    """Running mean and variance for each batch norm among the parameters, by its place."""
    if isinstance(p, dict):
        if "gamma" in p:
            return (np.zeros_like(p["beta"]), np.ones_like(p["gamma"]))
        return {k: statistics(v) for k, v in p.items()}
    return [statistics(v) for v in p] if isinstance(p, list) else None


def dense_layers(x, ps):
    for p in ps[:-1]:
        x = jax.nn.relu(x @ p["w"] + p["b"])
    return x @ ps[-1]["w"] + ps[-1]["b"]


class Mlp:
    @staticmethod
    def parameters(draw):
        return {"dense": draw.dense(784, 512, 512, 10)}

    @staticmethod
    def logits(layout, p, s, x):
        return dense_layers(x.reshape(x.shape[0], -1), p["dense"]), s


class MnistCnn:
    @staticmethod
    def parameters(draw):
        convs = [draw.conv_bias(1, 32, 3), draw.conv_bias(32, 32, 3)]
        return {"conv": convs, "dense": draw.dense(6272, 512, 512, 10)}

    @staticmethod
    def logits(layout, p, s, x):
        for conv in p["conv"]:
            x = jax.nn.relu(layout.conv(x, conv["w"]) + layout.wide(conv["b"]))
        x = layout.max_pool(x, 2)
        return dense_layers(x.reshape(x.shape[0], -1), p["dense"]), s


class CifarBn:
    @staticmethod
    def parameters(draw):
        widths = [(3, 32), (32, 32), (32, 64), (64, 64)]
        return {"conv": [draw.conv_bn(i, o, 3) for i, o in widths], "dense": draw.dense(4096, 512, 512, 10)}

    @staticmethod
    def logits(layout, p, s, x):
        new = []
        for k, (conv, old) in enumerate(zip(p["conv"], s["conv"])):
            x, stats = layout.batch_norm(layout.conv(x, conv["w"]), conv, old)
            x = jax.nn.relu(x)
            new.append(stats)
            if k % 2:
                x = layout.max_pool(x, 2)
        return dense_layers(x.reshape(x.shape[0], -1), p["dense"]), {**s, "conv": new}


class Resnet18Cifar:
    @staticmethod
    def parameters(draw):
        blocks, i = [], 64
        for stage, o in enumerate([64, 128, 256, 512]):
            for k in range(2):
                block = {"a": draw.conv_bn(i, o, 3), "b": draw.conv_bn(o, o, 3)}
                if i != o:
                    block["skip"] = draw.conv_bn(i, o, 1)
                blocks.append(block)
                i = o
        return {"stem": draw.conv_bn(3, 64, 3), "blocks": blocks, "dense": draw.dense(512, 10)}

    @staticmethod
    def logits(layout, p, s, x):
        def conv_bn(x, p, old, stride=1):
            return layout.batch_norm(layout.conv(x, p["w"], stride), p, old)

        x, stem = conv_bn(x, p["stem"], s["stem"])
        x, new = jax.nn.relu(x), []
        for block, old in zip(p["blocks"], s["blocks"]):
            stride, stats = (2 if "skip" in block else 1), {}
            y, stats["a"] = conv_bn(x, block["a"], old["a"], stride)
            y, stats["b"] = conv_bn(jax.nn.relu(y), block["b"], old["b"])
            if "skip" in block:
                x, stats["skip"] = conv_bn(x, block["skip"], old["skip"], stride)
            x = jax.nn.relu(x + y)
            new.append(stats)
        return dense_layers(x.mean(layout.space), p["dense"]), {**s, "stem": stem, "blocks": new}


MODELS = {"mlp": Mlp, "mnist_cnn": MnistCnn, "cifar_bn": CifarBn, "resnet18_cifar": Resnet18Cifar}


def stepper(net, model, layout):
    def loss(p, s, x, y):
        logits, s = model.logits(layout, p, s, x)
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], 1)), s

    def step(p, v, s, x, y):
        (value, s), g = jax.value_and_grad(loss, has_aux=True)(p, s, x, y)
        if net.weight_decay:
            g = jax.tree.map(lambda g, p: g + net.weight_decay * p, g, p)
        if net.momentum:
            v = g = jax.tree.map(lambda v, g: net.momentum * v + g, v, g)
        return jax.tree.map(lambda p, g: p - net.lr * g, p, g), v, s, value

    return jax.jit(step, donate_argnums=(0, 1, 2))


def main():
    args = protocol.arguments(["nhwc", "nchw"])
    jax.config.update("jax_platforms", "cpu")
    net, model, layout = nets.NETS[args.net], MODELS[args.net], Layout(args.form)
    images, labels = nets.examples(net)
    images = [jnp.asarray(layout.images(x)) for x in images]
    labels = [jnp.asarray(y, jnp.int32) for y in labels]
    p = jax.tree.map(jnp.asarray, model.parameters(Parameters(layout)))
    s = jax.tree.map(jnp.asarray, statistics(p))
    v = jax.tree.map(jnp.zeros_like, p) if net.momentum else None
    step = stepper(net, model, layout)

    def run(steps):
        nonlocal p, v, s
        for i in range(steps):
            p, v, s, value = step(p, v, s, images[i % len(images)], labels[i % len(labels)])
        return float(jax.block_until_ready((p, value))[1])

    protocol.serve(run, args.steps)


if __name__ == "__main__":
    main()
