"""What every contestant speaks: a line on stdin asks for K training steps, a JSON line answers with ms per step."""

import json
import pathlib
import sys
import time

import numpy as np

BATCH = 128
BATCHES = 8
LEARNING_RATE = 0.1


def batches(data):
    """Eight fixed batches of MNIST, so that the loss stays that of training."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
    from golden import mnist

    count = BATCH * BATCHES
    images = mnist.read(data / "train-images-idx3-ubyte")[:count].astype(np.float32) / np.float32(255)
    labels = mnist.read(data / "train-labels-idx1-ubyte")[:count].astype(np.int64)
    return images.reshape(BATCHES, BATCH, 1, 28, 28), labels.reshape(BATCHES, BATCH)


def serve(run, steps):
    """`run(k)` takes k training steps and returns the last loss; it must not return before they are done."""
    for _ in sys.stdin:
        start = time.perf_counter()
        loss = run(steps)
        ms = (time.perf_counter() - start) * 1e3 / steps
        if not np.isfinite(loss):
            sys.exit(f"loss is {loss}")
        print(json.dumps({"ms_per_step": ms, "loss": loss}), flush=True)
