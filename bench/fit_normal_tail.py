#!/usr/bin/env python3
"""Fits the coefficients of gelu (compiler/src/lower/gelu.rs) and measures them in f32.

The upper tail of the normal distribution is Q(a) = e^(-a^2 / 2) R(a), and R falls smoothly from 1/2 like 1 / a: it is nearly t times
a polynomial in t = 1 / (1 + 11 a / 32), fitted here in relative error by reweighted least squares.
"""

import numpy as np
from scipy.special import erfcx, ndtr

SLOPE, TERMS, FARTHEST, NODES, ROUNDS = 11 / 32, 9, 14.0, 400, 60


def fit():
    """The coefficients, and the largest relative error at the nodes."""
    least = 1 / (1 + SLOPE * FARTHEST)
    t = least + (1 - least) * (1 + np.cos(np.pi * (2 * np.arange(NODES) + 1) / (2 * NODES))) / 2
    r = erfcx((1 / t - 1) / SLOPE / np.sqrt(2)) / 2
    powers = t[:, None] ** np.arange(1, TERMS + 1) / r[:, None]
    weights = np.ones(NODES)
    for _ in range(ROUNDS):
        c, *_ = np.linalg.lstsq(powers * weights[:, None], weights, rcond=None)
        error = np.abs(powers @ c - 1)
        weights *= np.sqrt(error / error.max() + 1e-3)
        weights /= weights.max()
    return c, error.max()


def gelu(x, c):
    """Value and derivative in f32, as the compiler emits them."""
    f = np.float32
    x = x.astype(f)
    sign, base = np.where(x > 0, f(1), f(-1)), np.where(x > 0, f(1), f(0))
    a = x * sign
    t = f(1) / (f(1) + f(SLOPE) * a)
    r, slope = np.zeros_like(t), np.zeros_like(t)
    for k in c[::-1]:
        r = r + f(k)
        slope = slope * t + r
        r = r * t
    e = np.exp(a * a * f(-0.5))
    share = base - sign * (e * r)
    tail = e * (slope * f(-SLOPE) * t * t - a * r)
    return x * share, share - x * tail


def main():
    c, error = fit()
    print(f"relative error {error:.1e}, sum {sum(map(np.float32, c))}")
    for k in c:
        print(f"    {float(np.float32(k))!r},")
    x = np.linspace(-12, 12, 4800, dtype=np.float32)
    exact = x.astype(np.float64)
    value = exact * ndtr(exact)
    slope = ndtr(exact) + exact * np.exp(-exact * exact / 2) / np.sqrt(2 * np.pi)
    y, dy = gelu(x, c)
    for reach in (3, 6, 12):
        near = np.abs(x) <= reach
        print(f"|x| <= {reach}: value {np.max(np.abs(y - value)[near] / np.abs(value)[near]):.1e} relative, "
              f"derivative {np.max(np.abs(dy - slope)[near]):.1e} absolute")


if __name__ == "__main__":
    main()
