#!/usr/bin/env python3
"""Recomputes the goldens of the zoo: loss and gradients of every net of examples/, from its PyTorch twin in float64.

A golden holds what draws a small instance of the net again, and what its gradients are. Every number is a function of
indices, through the hash of golden/draw.py: splitmix64(x), in wrapping u64, is

    z = x + 0x9E3779B97F4A7C15; z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9; z = (z ^ (z >> 27)) * 0x94D049BB133111EB; z ^ (z >> 31)

With `stream` the golden's number and v(p, i) = (splitmix64(((stream + p) << 40) + i) >> 40) / 2^24:

- element i (row-major, in cnnc's canonical layout: conv OIHW, dense [in, out]) of the parameter with index p is
  f32(center + scale * (v(p, i) - 0.5)), computed in f64 and rounded once;
- element i of the images, N x C x H x W, is f32(2 * v(4095, i) - 1);
- label i is (7 i + 3) mod classes; of a net with a label per pixel, i counts pixels in row-major order;
- sketch k of the gradient g of parameter p is the sum over i of +g[i] where bit k of splitmix64(((1000 + p) << 40) + i) is
  set and -g[i] where it is clear.

Batch norm uses the statistics of the batch; the instances have no dropout. A difference d of two gradients shows in each
sketch with standard deviation norm(d). The points are clear of kinks: `margin` is the smallest distance of any relu's
input to 0, or of a pool window's two largest cells, in units of their tensor's root mean square. `tolerance` is what a
test in f32 may be off in a sketch: 1e-4 of the norm. Where contributions cancel (batch norm makes some gradients vanish
identically) it is 1e-5 of the net's median norm, or ten times what PyTorch's own f32 is off, if that is more.
"""

import argparse
import math
import pathlib
import statistics
import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from golden import draw, write
from twins import NETS, kinks

ROOT = pathlib.Path(__file__).resolve().parent.parent
BATCH = 4
IMAGE, STREAMS = 4095, 4096
SKETCHES = 3
COLUMNS = ["name", "shape", "center", "scale", "norm of the gradient", "tolerance", "sketch"]
# The least margin, and what a test may be off relative to a gradient's norm.
CLEAR, TOLERANCE = 3e-6, 1e-4
# How far PyTorch's own f32 may be off, relative to the norm or to this part of the median norm.
AGREEMENT, SMALL = 5e-5, 0.1


def layout(model):
    """(name, parameter, whether PyTorch holds it transposed) in cnnc's order."""
    linear = {id(m.weight) for m in model.modules() if isinstance(m, nn.Linear)}
    return [(name, p, id(p) in linear) for name, p in model.named_parameters()]


def rule(net, name, shape):
    """(center, scale) of a parameter's numbers."""
    module, kind = name.rsplit(".", 1)
    module = module.rsplit(".", 1)[-1]
    if module.startswith(("batch_norm", "layer_norm", "scale")):
        if kind == "weight":
            center = net.gamma if module.startswith("batch_norm") else 0.5 if module.startswith("scale") else 1.0
            return center, 0.5
        # Most cells are above a relu's kink, but not all: a deep net whose cells lie around it is chaotic.
        return (net.gamma / 2, 0.5) if module.startswith("batch_norm") else (0.0, 0.25)
    if module.startswith(("class_token", "position_embedding")):
        return 0.0, 1.0
    if kind == "bias":
        return 0.0, 0.25
    fan_in = shape[0] if len(shape) == 2 else math.prod(shape[1:])
    return 0.0, rounded_to(2 * net.gain * math.sqrt(3 / fan_in), 6)


def parameters(net, model, stream):
    """[name, shape, center, scale] of every parameter, and its values in cnnc's layout."""
    rows, values = [], []
    for p, (name, parameter, transposed) in enumerate(layout(model)):
        shape = tuple(parameter.shape[::-1] if transposed else parameter.shape)
        center, scale = rule(net, name, shape)
        v = (draw.hashes(stream + p, math.prod(shape)) >> np.uint64(40)).astype(np.float64) / 2**24
        values.append((center + scale * (v - 0.5)).astype(np.float32).reshape(shape))
        rows.append([name, list(shape), center, scale])
    return rows, values


def batch(net, stream):
    images = draw.hashes(stream + IMAGE, BATCH * math.prod(net.small_image)) >> np.uint64(40)
    images = (2 * (images.astype(np.float64) / 2**24) - 1).astype(np.float32).reshape(BATCH, *net.small_image)
    shape = (BATCH, *net.small_image[1:]) if net.dense else (BATCH,)
    labels = (7 * np.arange(math.prod(shape)) + 3) % net.classes
    return torch.from_numpy(images), torch.from_numpy(labels.reshape(shape))


def gradients(model, values, images, labels, dtype):
    """Loss and gradients in cnnc's layout, and the distance to the nearest kink."""
    model = model.to(dtype).train()
    for (_, parameter, transposed), value in zip(layout(model), values):
        value = torch.from_numpy(value)
        parameter.data = (value.T if transposed else value).to(dtype).contiguous()
        parameter.grad = None
    with kinks.watched() as nearest:
        loss = F.cross_entropy(model(images.to(dtype)), labels)
        margin = nearest()
    loss.backward()
    found = [p.grad.T if transposed else p.grad for _, p, transposed in layout(model)]
    return loss.item(), [g.contiguous().double().numpy() for g in found], margin


def sketches(p, gradient):
    bits = draw.hashes(draw.SKETCH_OFFSET + p, gradient.size)
    signs = [((bits >> np.uint64(k)) & np.uint64(1)).astype(np.float64) * 2 - 1 for k in range(SKETCHES)]
    return [rounded_to(s @ gradient.reshape(-1), 9) for s in signs]


def rounded_to(value, digits):
    return float(f"{value:.{digits}g}")


def full_size(net):
    """Parameters and multiply-adds of the net at full size; nothing is computed."""
    with torch.device("meta"):
        model = net.twin().eval()
        with FlopCounterMode(display=False) as counter:
            model(torch.empty(1, *net.image))
    return sum(p.numel() for p in model.parameters()), counter.get_total_flops() // 2


def attempt(net, model, stream):
    """The golden's point and gradients at a stream, or None where rounding decides too much there."""
    rows, values = parameters(net, model, stream)
    images, labels = batch(net, stream)
    loss, exact, margin = gradients(model, values, images, labels, torch.float64)
    if margin < CLEAR:
        return None
    rounded_loss, rounded, _ = gradients(model, values, images, labels, torch.float32)
    norms = [float(np.linalg.norm(g)) for g in exact]
    typical = statistics.median(norms)
    errors = [float(np.linalg.norm(r - g)) for r, g in zip(rounded, exact)]
    worst = max(error / max(norm, SMALL * typical) for error, norm in zip(errors, norms))
    if worst > AGREEMENT or abs(rounded_loss - loss) > AGREEMENT * loss:
        return None
    for p, (row, g, norm, error) in enumerate(zip(rows, exact, norms, errors)):
        tolerance = max(TOLERANCE * max(norm, SMALL * typical), 10 * error)
        row += [rounded_to(norm, 9), rounded_to(tolerance, 3), sketches(p, g)]
    margin = rounded_to(margin, 3) if math.isfinite(margin) else None
    return {"stream": stream, "margin": margin, "f32_error": rounded_to(worst, 3), "loss": loss, "columns": COLUMNS, "parameters": rows}


def golden(name, net):
    model = net.twin(**net.small)
    attempts = (attempt(net, model, stream) for stream in range(0, 64 * STREAMS, STREAMS))
    point = next(filter(None, attempts), None)
    assert point is not None, f"{name}: at every stream rounding decides too much"
    count, multiply_adds = full_size(net)
    assert net.known in (None, count), f"{name}: {count} parameters, {net.known} are known"
    return {
        "net": name,
        "generator": "bench/zoo_goldens.py",
        "full": {"parameters": count, "multiply_adds": multiply_adds},
        "hyper": net.small,
        "batch": BATCH,
        "image": list(net.small_image),
        "classes": net.classes,
        "label_per_pixel": net.dense,
        **point,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("nets", nargs="*", metavar="NET", help="all by default")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "compiler/tests/goldens/zoo")
    parser.add_argument("--counts", action="store_true", help="print parameters and forward GFLOP at full size only")
    args = parser.parse_args()
    unknown = [name for name in args.nets if name not in NETS]
    if unknown:
        parser.error(f"unknown net {unknown[0]!r}; there are {', '.join(NETS)}")
    args.out.mkdir(parents=True, exist_ok=True)
    for name in args.nets or NETS:
        if args.counts:
            count, multiply_adds = full_size(NETS[name])
            known = {None: "", count: "as published"}.get(NETS[name].known, "NOT AS PUBLISHED")
            print(f"{name:18} {count:12,} {2 * multiply_adds / 1e9:9.4f} GFLOP {known}", flush=True)
            continue
        result = golden(name, NETS[name])
        write.write_json(args.out / f"{name}.json", result)
        print(
            f"{name:18} loss {result['loss']:.6f}, stream {result['stream'] // STREAMS}, margin {result['margin']}, "
            f"f32 within {result['f32_error']} of f64",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
