"""Numbers that a test in any language can draw again from nothing but their index."""

import numpy as np

SKETCH_OFFSET = 1000
SKETCH_SIZE = 64

RECIPE = {
    "hash": "splitmix64(x) in wrapping u64: z = x + 0x9E3779B97F4A7C15; "
    "z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9; z = (z ^ (z >> 27)) * 0x94D049BB133111EB; "
    "return z ^ (z >> 31); splitmix64(0) = 0xE220A8397B1DCDAF",
    "element": "h = splitmix64((p << 40) + i) for element i (row-major, canonical layout) of the parameter "
    "with index p in the list below; v = h >> 40, an integer below 2^24",
    "uniform": "f32(s * (v / 2^24 - 0.5)), s the parameter's scale, the product in f64, rounded once",
    "ternary": "s * (floor(3 * v / 2^24) - 1), one of -s, 0, s, exact",
    "sketch": "for gradient g of parameter p: signs = splitmix64(((1000 + p) << 40) + i); projection k is the sum over i "
    "of +g[i] where bit k of signs is set and -g[i] where it is clear, in f64",
    "error": "with d[k] the difference of two sketches, sqrt(mean of d[k]^2 over the 64 k) estimates the L2 norm of the "
    "difference of the two gradients, with a relative standard deviation of about 9 %; the gradient in full is given "
    "for parameters of at most 512 elements",
}


def splitmix64(x):
    """The splitmix64 finaliser of a u64 array."""
    with np.errstate(over="ignore"):
        z = np.asarray(x, np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


assert int(splitmix64(0)) == 0xE220A8397B1DCDAF, "the published first output of seed 0"


def hashes(stream, count):
    """splitmix64((stream << 40) + i) for i below count."""
    return splitmix64((np.uint64(stream) << np.uint64(40)) + np.arange(count, dtype=np.uint64))


def uniform(p, shape, scale):
    v = (hashes(p, int(np.prod(shape))) >> np.uint64(40)).astype(np.float64)
    return (scale * (v / 2**24 - 0.5)).astype(np.float32).reshape(shape)


def ternary(p, shape, scale):
    v = (hashes(p, int(np.prod(shape))) >> np.uint64(40)).astype(np.int64)
    return (scale * ((3 * v >> 24) - 1)).astype(np.float32).reshape(shape)


def sketch(p, gradient):
    """64 Rademacher projections of a gradient."""
    flat = np.asarray(gradient, np.float64).reshape(-1)
    bits = hashes(SKETCH_OFFSET + p, flat.size)
    signs = [((bits >> np.uint64(k)) & np.uint64(1)).astype(np.float64) * 2 - 1 for k in range(SKETCH_SIZE)]
    return [float(s @ flat) for s in signs]


def integers(stream, shape, low, high):
    """Integers in [low, high] as f64, for op cases whose results must be exact."""
    v = (hashes(stream, int(np.prod(shape))) >> np.uint64(40)).astype(np.int64)
    return (low + (v * (high - low + 1) >> 24)).astype(np.float64).reshape(shape)
