"""Several steps of each optimizer, by PyTorch, and LAMB by Optax, in f64."""

import jax.numpy as jnp
import numpy as np
import optax
import torch

from . import draw

SCHEMA = {
    "optimizer": "as it is written in a network file",
    "weight": "the parameter before the first step, row-major [2, 3]",
    "steps": "for each step its learning rate, the gradient, and the parameter after it; the third gradient is zero",
}

SHAPE = (2, 3)
RATES = [1.0, 0.5, 0.75, 0.125, 1.0, 0.25]


def _drawn(stream):
    return draw.integers(stream, SHAPE, -64, 64) / 32.0


def _torch(make):
    """The parameter after each step of a PyTorch optimizer."""

    def run(weight, gradients, rates):
        parameter = torch.nn.Parameter(torch.tensor(weight, dtype=torch.float64))
        optimizer = make([parameter])
        for gradient, rate in zip(gradients, rates):
            for group in optimizer.param_groups:
                group["lr"] = rate
            parameter.grad = torch.tensor(gradient, dtype=torch.float64)
            optimizer.step()
            yield parameter.detach().numpy().copy()

    return run


def _lamb(**options):
    """The same of Optax's LAMB, whose learning rate is a function of the step."""

    def run(weight, gradients, rates):
        table = jnp.asarray(rates)
        transform = optax.lamb(lambda step: table[step], **options)
        parameter = jnp.asarray(weight)
        state = transform.init(parameter)
        for gradient in gradients:
            updates, state = transform.update(jnp.asarray(gradient), state, parameter)
            parameter = optax.apply_updates(parameter, updates)
            yield np.asarray(parameter)

    return run


CASES = [
    ("sgd(lr=0.1)", 0.1, _torch(lambda p: torch.optim.SGD(p))),
    ("sgd(lr=0.1, weight_decay=0.25)", 0.1, _torch(lambda p: torch.optim.SGD(p, weight_decay=0.25))),
    ("sgd(lr=0.1, momentum=0.9)", 0.1, _torch(lambda p: torch.optim.SGD(p, momentum=0.9))),
    (
        "sgd(lr=0.1, momentum=0.9, nesterov=true, weight_decay=0.25)",
        0.1,
        _torch(lambda p: torch.optim.SGD(p, momentum=0.9, nesterov=True, weight_decay=0.25)),
    ),
    ("adam", 1e-3, _torch(lambda p: torch.optim.Adam(p))),
    (
        "adam(lr=0.05, betas=(0.5, 0.75), eps=0.001, weight_decay=0.25)",
        0.05,
        _torch(lambda p: torch.optim.Adam(p, betas=(0.5, 0.75), eps=0.001, weight_decay=0.25)),
    ),
    ("adam(lr=0.05, betas=(0, 0.999))", 0.05, _torch(lambda p: torch.optim.Adam(p, betas=(0.0, 0.999)))),
    ("adamw", 1e-3, _torch(lambda p: torch.optim.AdamW(p))),
    (
        "adamw(lr=0.05, weight_decay=0.5)",
        0.05,
        _torch(lambda p: torch.optim.AdamW(p, weight_decay=0.5)),
    ),
    ("rmsprop", 1e-2, _torch(lambda p: torch.optim.RMSprop(p))),
    (
        "rmsprop(lr=0.05, alpha=0.75, eps=0.001, momentum=0.5, weight_decay=0.25)",
        0.05,
        _torch(lambda p: torch.optim.RMSprop(p, alpha=0.75, eps=0.001, momentum=0.5, weight_decay=0.25)),
    ),
    (
        "rmsprop(lr=0.05, alpha=0.75, eps=0.001, momentum=0.5, centered=true)",
        0.05,
        _torch(lambda p: torch.optim.RMSprop(p, alpha=0.75, eps=0.001, momentum=0.5, centered=True)),
    ),
    ("lamb", 1e-3, _lamb()),
    (
        "lamb(lr=0.05, betas=(0.5, 0.75), eps=0.001, weight_decay=0.25)",
        0.05,
        _lamb(b1=0.5, b2=0.75, eps=0.001, weight_decay=0.25),
    ),
]


def all_cases():
    cases = []
    for index, (text, rate, run) in enumerate(CASES):
        weight = _drawn(100 * index)
        gradients = [_drawn(100 * index + step + 1) for step in range(len(RATES))]
        gradients[2] = np.zeros(SHAPE)
        rates = [rate * factor for factor in RATES]
        steps = [
            {"lr": lr, "gradient": [float(v) for v in g.ravel()], "weight": [float(v) for v in w.ravel()]}
            for lr, g, w in zip(rates, gradients, run(weight, gradients, rates))
        ]
        cases.append({"optimizer": text, "weight": [float(v) for v in weight.ravel()], "steps": steps})
    return cases
