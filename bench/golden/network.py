"""mnist_cnn written by hand, once in PyTorch and once in JAX, in canonical layout."""

import jax
import jax.numpy as jnp
import numpy as np
import torch
import torch.nn.functional as F
from jax import lax

PARAMETERS = [
    ("conv1.weight", (32, 1, 3, 3), 9),
    ("conv1.bias", (32,), None),
    ("conv2.weight", (32, 32, 3, 3), 288),
    ("conv2.bias", (32,), None),
    ("dense1.weight", (6272, 512), 6272),
    ("dense1.bias", (512,), None),
    ("dense2.weight", (512, 512), 512),
    ("dense2.bias", (512,), None),
    ("dense3.weight", (512, 10), 512),
    ("dense3.bias", (10,), None),
]


def torch_gradients(parameters, images, labels, dtype):
    """Loss, the ten gradients and conv2's relu output, as numpy arrays."""
    p = [torch.tensor(v, dtype=dtype, requires_grad=True) for v in parameters]
    h = F.relu(F.conv2d(torch.tensor(images, dtype=dtype), p[0], p[1], padding=1))
    activation = F.relu(F.conv2d(h, p[2], p[3], padding=1))
    h = F.max_pool2d(activation, 2).flatten(1)
    h = F.relu(h @ p[4] + p[5])
    h = F.relu(h @ p[6] + p[7])
    loss = F.cross_entropy(h @ p[8] + p[9], torch.tensor(labels.astype(np.int64)))
    loss.backward()
    return loss.item(), [v.grad.numpy() for v in p], activation.detach().numpy()


def _jax_loss(p, x, y):
    def conv(h, w, b):
        return lax.conv_general_dilated(h, w, (1, 1), "SAME") + b[None, :, None, None]

    h = jax.nn.relu(conv(x, p[0], p[1]))
    activation = jax.nn.relu(conv(h, p[2], p[3]))
    h = lax.reduce_window(activation, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
    h = jax.nn.relu(h.reshape(x.shape[0], -1) @ p[4] + p[5])
    h = jax.nn.relu(h @ p[6] + p[7])
    log_p = jax.nn.log_softmax(h @ p[8] + p[9])
    return -jnp.mean(jnp.take_along_axis(log_p, y[:, None], 1)), activation


def jax_gradients(parameters, images, labels):
    """The same in f32 with JAX."""
    step = jax.jit(jax.value_and_grad(_jax_loss, has_aux=True))
    with jax.enable_x64(False):
        p = [jnp.asarray(v, jnp.float32) for v in parameters]
        (loss, activation), g = step(p, jnp.asarray(images, jnp.float32), jnp.asarray(labels, jnp.int32))
        return float(loss), [np.asarray(v) for v in g], np.asarray(activation)


def torch_routed(parameters, images, labels, last):
    """Gradients in f64 with the pool written by hand: all of dy to the first (or last) maximal cell."""
    p = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in parameters]
    h = F.relu(F.conv2d(torch.tensor(images, dtype=torch.float64), p[0], p[1], padding=1))
    h = F.relu(F.conv2d(h, p[2], p[3], padding=1))
    n, c, height, width = h.shape
    cells = h.reshape(n, c, height // 2, 2, width // 2, 2).permute(0, 1, 2, 4, 3, 5).reshape(n, c, height // 2, width // 2, 4)
    maximal = (cells == cells.amax(-1, keepdim=True)).detach().to(torch.int64)
    rank = torch.arange(4, 0, -1) if not last else torch.arange(1, 5)
    chosen = (maximal * rank).argmax(-1, keepdim=True)
    h = cells.gather(-1, chosen).flatten(1)
    h = F.relu(h @ p[4] + p[5])
    h = F.relu(h @ p[6] + p[7])
    F.cross_entropy(h @ p[8] + p[9], torch.tensor(labels.astype(np.int64))).backward()
    return [v.grad.numpy() for v in p]
