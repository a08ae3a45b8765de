"""The MNIST files: reading, and cutting a small valid pair out of them."""

import struct

import numpy as np


def read(path):
    """An IDX file of unsigned bytes as an array."""
    data = path.read_bytes()
    zero, kind, rank = struct.unpack(">HBB", data[:4])
    if zero != 0 or kind != 8:
        raise ValueError(f"{path}: not an IDX file of unsigned bytes")
    shape = struct.unpack(f">{rank}I", data[4 : 4 + 4 * rank])
    return np.frombuffer(data, np.uint8, offset=4 + 4 * rank).reshape(shape)


def write(path, array):
    header = struct.pack(f">HBB{array.ndim}I", 0, 8, array.ndim, *array.shape)
    path.write_bytes(header + array.astype(np.uint8).tobytes())


def write_fixture(data, fixtures, count=16):
    """Writes the first training images and labels, and returns them."""
    images = read(data / "train-images-idx3-ubyte")[:count]
    labels = read(data / "train-labels-idx1-ubyte")[:count]
    write(fixtures / f"mnist{count}-images.idx3-ubyte", images)
    write(fixtures / f"mnist{count}-labels.idx1-ubyte", labels)
    return images, labels
