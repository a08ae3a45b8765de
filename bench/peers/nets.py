"""The nets of the comparison: what their files in examples/ say of batch, optimizer and sizes."""

import dataclasses

import numpy as np

# Batches that take turns, so that none stays in a cache.
BATCHES = 8
# Of the file's learning rate, as in `cnnc bench`: the labels are noise.
SLOWER = 0.01


@dataclasses.dataclass(frozen=True)
class Net:
    batch: int
    # Channels, height, width.
    image: tuple
    learning_rate: float
    momentum: float = 0.0
    weight_decay: float = 0.0
    classes: int = 10
    # Per round, where the command line says nothing: half a second to two on two cores.
    steps: int = 20

    @property
    def lr(self):
        return self.learning_rate * SLOWER


NETS = {
    "mlp": Net(128, (1, 28, 28), 0.1, steps=200),
    "mnist_cnn": Net(128, (1, 28, 28), 0.1),
    "cifar_bn": Net(128, (3, 32, 32), 0.05, momentum=0.9, steps=10),
    "resnet18_cifar": Net(64, (3, 32, 32), 0.1, momentum=0.9, weight_decay=5e-4, steps=3),
}


def examples(net):
    """Images [batches, batch, C, H, W] of which one pixel in five is not black, and labels."""
    random = np.random.default_rng(0)
    shape = (BATCHES, net.batch, *net.image)
    images = random.random(shape, np.float32) * (random.random(shape, np.float32) < 0.2)
    return images.astype(np.float32), random.integers(0, net.classes, shape[:2])
